package activities

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"

	"pawl/internal/fault"
	"pawl/internal/ledger"
	"pawl/workflows"
)

// labelSkipped is the decision of a condition that was false.
const labelSkipped = "skipped"

// Execute makes one attempt of a position, or finds what the ledger knows of it. It waits as long as the walk said and
// then leaves the attempt in the background.
func (a *Activities) Execute(ctx context.Context, in workflows.StepIn) (workflows.StepOut, error) {
	c, err := a.join(in)
	if err != nil || c == nil {
		return workflows.StepOut{State: workflows.Yield}, err
	}
	soft := time.NewTimer(time.Duration(in.SoftMS) * time.Millisecond)
	defer soft.Stop()
	select {
	case <-c.done:
		return c.out, c.err
	case <-soft.C:
		return workflows.StepOut{State: workflows.Detached}, nil
	case <-ctx.Done():
		return workflows.StepOut{}, ctx.Err()
	}
}

// Await waits for an attempt in the background: in this process, or in another one by its row. It makes the attempt
// itself when nobody has it under way.
func (a *Activities) Await(ctx context.Context, in workflows.StepIn) (workflows.StepOut, error) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		c, err := a.join(in)
		if err != nil || c == nil {
			return workflows.StepOut{State: workflows.Yield}, err
		}
		for waiting := true; waiting; {
			select {
			case <-c.done:
				waiting = false
			case <-tick.C:
				activity.RecordHeartbeat(ctx)
			case <-ctx.Done():
				return workflows.StepOut{}, ctx.Err()
			}
		}
		if c.err != nil || c.out.State != workflows.Detached {
			return c.out, c.err
		}
		select { // another process has it
		case <-time.After(busyPoll):
			activity.RecordHeartbeat(ctx)
		case <-ctx.Done():
			return workflows.StepOut{}, ctx.Err()
		}
	}
}

func (a *Activities) join(in workflows.StepIn) (*attemptCall, error) {
	id, err := parseRun(in.Run)
	if err != nil {
		return nil, err
	}
	return a.calls.join(in, id, a.attemptOf(in, id, nil)), nil
}

// attemptOf is the work of a call: the attempt, as a part of a stretch or by itself.
func (a *Activities) attemptOf(in workflows.StepIn, id uuid.UUID, ch *chain) work {
	return func(ctx context.Context, c *attemptCall) (workflows.StepOut, error) {
		out, err := a.attempt(ctx, in, id, c, ch)
		if ctx.Err() != nil && err != nil {
			return workflows.StepOut{State: workflows.Cancelled}, nil //nolint:nilerr // aborted, because the run is cancelled: that is the outcome
		}
		a.cfg.Changed(id)
		return out, err
	}
}

// trial is one attempt on its way through the facts to the wire.
type trial struct {
	in    workflows.StepIn
	call  *attemptCall
	chain *chain // of a stretch; nil for a step by itself
	run   *runFacts
	step  *planStep
	facts ledger.Facts
	began time.Time
	lease time.Duration // of the claim, once there is one
	owner uuid.UUID     // of the claim
}

// attempt makes one attempt: it looks at the facts, and again when they changed before the claim.
func (a *Activities) attempt(ctx context.Context, in workflows.StepIn, id uuid.UUID, c *attemptCall, ch *chain) (workflows.StepOut, error) {
	r, err := a.facts(ctx, id)
	if err != nil {
		return workflows.StepOut{}, err
	}
	_, stepID := splitPath(in.Path)
	t := &trial{in: in, call: c, chain: ch, run: r, step: r.plan.steps[stepID], began: time.Now()}
	if t.step == nil {
		return workflows.StepOut{}, errors.New("the document has no step " + stepID)
	}
	for range factsTries {
		if err = a.know(ctx, t); err != nil {
			return workflows.StepOut{}, err
		}
		out, err := a.try(ctx, t)
		if !errors.Is(err, errChanged) {
			return out, err
		}
		ch.drop()
	}
	return workflows.StepOut{}, errChanged
}

// errChanged says that the facts changed between the look and the claim: look again.
var errChanged = errors.New("the facts changed before the claim")

// know gets the facts of an attempt: those that the stretch has, or fresh ones.
func (a *Activities) know(ctx context.Context, t *trial) (err error) {
	ask := a.asks(t.run, t.step, t.in.Path)
	var ok bool
	if t.facts, ok = t.chain.take(ask); ok {
		return nil
	}
	if err := t.chain.settled(); err != nil {
		return err
	}
	if t.facts, err = a.cfg.Ledger.Facts(ctx, ask); err == nil {
		f := t.facts
		t.chain.bring(ask, &f)
	}
	return err
}

func (a *Activities) ask(ctx context.Context, t *trial) (ledger.Facts, error) {
	return a.cfg.Ledger.Facts(ctx, a.asks(t.run, t.step, t.in.Path))
}

// asks is what an attempt of a step has to know.
func (a *Activities) asks(r *runFacts, s *planStep, path string) ledger.Ask {
	ask := ledger.Ask{Run: r.Run, Path: path, Identity: s.identity, Scope: r.scope(s), Action: s.action, Account: r.accountID(s)}
	if _, read := a.reads.get(actionKey{ask.Scope, ask.Action}); read && !r.Call {
		ask.Action = "" // a release never changes: an action that once was a read needs no grant
	}
	return ask
}

// scope is where a step's binding holds: the whole installation, or the project for sources that a project imports.
func (r *runFacts) scope(s *planStep) uuid.UUID {
	if s.imported {
		return r.Project
	}
	return uuid.Nil
}

func (r *runFacts) accountID(s *planStep) uuid.UUID { return r.Accounts[s.identity+" "+s.account] }

func (t *trial) scope() uuid.UUID { return t.run.scope(t.step) }

func (t *trial) accountID() uuid.UUID { return t.run.accountID(t.step) }

// try decides by the facts.
func (a *Activities) try(ctx context.Context, t *trial) (workflows.StepOut, error) {
	if out, known, err := a.recorded(ctx, t); known || err != nil {
		t.chain.drop() // where one position is answered by the ledger, the next one may be too
		return out, err
	}
	if t.facts.Forced || (t.facts.Cancelled && !t.in.Finally) || ended(t.facts.RunState) {
		return workflows.StepOut{State: workflows.Cancelled}, nil
	}
	if skip, err := a.skips(ctx, t); skip || err != nil {
		return a.refusedOr(ctx, t, workflows.StepOut{State: workflows.Skipped}, err)
	}
	if t.facts.Binding == nil || !t.facts.Binding.Routable {
		return a.unavailable(ctx, t)
	}
	if t.facts.Waiting {
		if err := a.cfg.Ledger.Leave(ctx, t.run.Run, t.in.Path); err != nil {
			return workflows.StepOut{}, err
		}
	}
	x, err := a.prepare(ctx, t)
	if err != nil {
		return a.refusedOr(ctx, t, workflows.StepOut{}, err)
	}
	return a.send(ctx, t, x)
}

// refusedOr records a fault of the step as its outcome; other errors are the infrastructure's.
func (a *Activities) refusedOr(ctx context.Context, t *trial, out workflows.StepOut, err error) (workflows.StepOut, error) {
	if err == nil {
		return out, nil
	}
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind == fault.Internal {
		return workflows.StepOut{}, err
	}
	return a.refuse(ctx, t, f)
}

// refuse records that the attempt ended before anything was sent, for good.
func (a *Activities) refuse(ctx context.Context, t *trial, f *fault.Error) (workflows.StepOut, error) {
	rec := t.record(ledger.NotSent, false)
	rec.Effect = t.effectOrUnsafe()
	rec.Error = at(f, t.step.id, t.step.pointer)
	return a.record(ctx, t, rec)
}

func (a *Activities) record(ctx context.Context, t *trial, rec *ledger.Record) (workflows.StepOut, error) {
	if err := t.chain.settled(); err != nil {
		return workflows.StepOut{}, err
	}
	w, err := a.cfg.Ledger.Record(context.WithoutCancel(ctx), rec)
	if err != nil {
		return workflows.StepOut{}, err
	}
	if !w.Won {
		return workflows.StepOut{}, errChanged
	}
	if rec.Next != nil {
		t.chain.bring(*rec.Next, w.Next)
	}
	row := &ledger.Attempt{State: rec.State, Again: rec.Again, Error: rec.Error, RetryAfter: rec.RetryAfter}
	return outcome(row), nil
}

func (t *trial) record(state ledger.State, again bool) *ledger.Record {
	r := &ledger.Record{
		Run: t.run.Run, Path: t.in.Path, N: t.in.N, Action: t.step.action, State: state, Again: again,
		Owner: uuid.New(), Account: t.accountID(), Began: time.Since(t.began),
	}
	if t.facts.Binding != nil {
		r.Gen = t.facts.Binding.Gen
	}
	return r
}

// skips evaluates the step's condition, once.
func (a *Activities) skips(ctx context.Context, t *trial) (bool, error) {
	if t.step.cond == nil || t.facts.Last != nil {
		return false, nil
	}
	if err := t.chain.settled(); err != nil {
		return false, err
	}
	d, err := a.decideIf(ctx, t.run, t.step, t.in.Path)
	if err != nil {
		return false, err
	}
	if d.Error != nil {
		return false, d.Error
	}
	return d.Label == labelSkipped, nil
}

// unavailable is the outcome of a step whose binding is gone: it fails, or waits until the binding is back.
func (a *Activities) unavailable(ctx context.Context, t *trial) (workflows.StepOut, error) {
	if err := t.chain.settled(); err != nil {
		return workflows.StepOut{}, err
	}
	if t.step.hold && t.facts.Binding != nil {
		w := &ledger.Wait{Run: t.run.Run, Path: t.in.Path, Kind: "hold", Key: t.step.identity, For: ledger.HoldFor}
		held, expired, err := a.cfg.Ledger.RegisterHold(ctx, w, t.scope())
		switch {
		case err != nil:
			return workflows.StepOut{}, err
		case held:
			return workflows.StepOut{State: workflows.Held}, nil
		case !expired:
			return workflows.StepOut{}, errChanged // it is back
		}
		if err := a.cfg.Ledger.Leave(ctx, t.run.Run, t.in.Path); err != nil {
			return workflows.StepOut{}, err
		}
	}
	f, err := a.gone(ctx, t)
	if err != nil {
		return workflows.StepOut{}, err
	}
	return a.refuse(ctx, t, f)
}

// unknown is the outcome of an unsafe attempt of which nobody knows whether it happened.
func (a *Activities) unknown(ctx context.Context, t *trial) (workflows.StepOut, error) {
	if t.step.failUnknown {
		err := a.cfg.Ledger.Refresh(ctx, t.run.Run)
		return workflows.StepOut{State: workflows.Failed, Kind: string(fault.OutcomeUnknown)}, err
	}
	err := a.cfg.Ledger.Register(ctx, &ledger.Wait{Run: t.run.Run, Path: t.in.Path, Kind: "settle"})
	return workflows.StepOut{State: workflows.Unknown}, err
}
