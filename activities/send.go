package activities

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"pawl/actions"
	"pawl/actions/httpcall"
	"pawl/internal/fault"
	"pawl/internal/ledger"
	"pawl/workflows"
)

// send makes the attempt on the wire.
func (a *Activities) send(ctx context.Context, t *trial, x *ready) (workflows.StepOut, error) {
	if x.effect == actions.Read {
		return a.sendRead(ctx, t, x)
	}
	return a.sendEffect(ctx, t, x)
}

func (x *ready) exchange(t *trial, permit permit) *httpcall.Exchange {
	e := &httpcall.Exchange{Request: x.request, Auth: x.action.Auth, Secret: x.secret, Effect: x.effect, Timeout: x.timeout, Permit: permit}
	if x.action.SendsKey {
		e.IdempotencyKey = idempotencyKey(t.run.Run, t.in.Path, t.accountID())
	}
	return e
}

// sendRead sends a read. Nothing is claimed; the first answer that is recorded wins.
func (a *Activities) sendRead(ctx context.Context, t *trial, x *ready) (workflows.StepOut, error) {
	permit := func(ctx context.Context) (time.Time, error) {
		if time.Since(t.facts.Read) > readRecheck {
			return time.Time{}, a.recheck(ctx, t)
		}
		return time.Time{}, nil
	}
	if err := t.chain.settled(); err != nil {
		return workflows.StepOut{}, err
	}
	stop := a.showAfter(t, x)
	v, err := a.perform(ctx, t, x, permit)
	stop()
	if errors.Is(err, errChanged) {
		return workflows.StepOut{}, errChanged
	}
	rec := t.record(ledger.Answered, false)
	t.describe(rec, x)
	rec.Trace = v.trace
	rec.State, rec.Again, rec.Status, rec.Output, rec.Blobs, rec.Error, rec.RetryAfter = v.state, v.again, v.status, v.output, v.blobs, v.err, v.after
	return a.recordOutput(ctx, t, rec, v)
}

// perform makes the attempt: permit is asked before anything may go out. The verdict says what became of it; the error is
// what permit said, for the caller to look at.
func (a *Activities) perform(ctx context.Context, t *trial, x *ready, permit permit) (verdict, error) {
	if x.action.Tool != nil {
		return a.callTool(ctx, t, x, permit)
	}
	ans, err := a.cfg.Client.Do(ctx, x.exchange(t, permit))
	return judge(t, x, ans, err), err
}

// permit allows an attempt to begin, until an instant; the zero instant is no bound.
type permit func(context.Context) (sendBy time.Time, err error)

func (t *trial) describe(rec *ledger.Record, x *ready) {
	rec.Effect, rec.Input, rec.Request, rec.Digest = x.effect, x.input, summary(x.request), x.digest[:]
}

func (a *Activities) recordOutput(ctx context.Context, t *trial, rec *ledger.Record, v verdict) (workflows.StepOut, error) {
	if v.err == nil {
		rec.Next = a.following(t)
	}
	out, err := a.record(ctx, t, rec)
	if err == nil && v.err == nil {
		a.remembered(t, v.output)
	}
	return out, err
}

// remembered keeps an output as it is: most are never named, so they are parsed when one is.
func (a *Activities) remembered(t *trial, output []byte) {
	a.outputs.put(outputKey{t.run.Run, t.in.Path}, unparsed(output), len(output))
}

// recheck looks at the facts again before a read whose facts are old.
func (a *Activities) recheck(ctx context.Context, t *trial) error {
	f, err := a.ask(ctx, t)
	if err != nil {
		return err
	}
	b := f.Binding
	if b == nil || !b.Routable || b.Gen != t.facts.Binding.Gen || f.Cancelled != t.facts.Cancelled || f.Forced != t.facts.Forced ||
		f.Granted != t.facts.Granted || !sameAccount(f.Account, t.facts.Account) {
		return errChanged
	}
	t.facts.Read = f.Read
	return nil
}

func sameAccount(a, b *ledger.Account) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Removed == b.Removed && a.Secret == b.Secret && a.SecretVersion == b.SecretVersion
}

// showAfter makes a read that takes longer than a second visible as under way. The returned function ends that.
func (a *Activities) showAfter(t *trial, x *ready) (stop func()) {
	timer := time.AfterFunc(durableWait, func() {
		rec := t.record(ledger.Sending, false)
		t.describe(rec, x)
		rec.Lease = x.timeout + ledger.LeaseSlack
		ctx, cancel := context.WithTimeout(context.Background(), recordTimeout)
		defer cancel()
		if _, err := a.cfg.Ledger.Record(ctx, rec); err != nil {
			a.cfg.Log.Warn("show a read under way", "run", t.run.Run, "path", t.in.Path, "error", err)
		}
		a.cfg.Changed(t.run.Run)
	})
	return func() { timer.Stop() }
}

// errUnsure says that a claim may or may not stand; nothing was sent.
var errUnsure = errors.New("the claim is unsure")

// sendEffect claims, sends and answers. The claim is made with the connection open.
func (a *Activities) sendEffect(ctx context.Context, t *trial, x *ready) (workflows.StepOut, error) {
	c := t.claim(x)
	t.owner = c.Owner
	claimed := false
	var claimErr error
	permit := func(ctx context.Context) (time.Time, error) {
		began := time.Now()
		won, err := a.claimAfter(context.WithoutCancel(ctx), t, c)
		switch {
		case errors.Is(err, errUnsettled):
			claimErr = err
			return time.Time{}, claimErr
		case err != nil:
			claimErr = errors.Join(errUnsure, err)
			return time.Time{}, claimErr
		case !won:
			claimErr = errChanged
			return time.Time{}, claimErr
		}
		claimed = true
		a.calls.commit(t.call)
		a.cfg.Changed(t.run.Run)
		return began.Add(ledger.SendWindow), nil
	}
	v, _ := a.perform(ctx, t, x, permit) // what permit says is in claimErr
	switch {
	case errors.Is(claimErr, errUnsure):
		return workflows.StepOut{}, a.withdraw(c, claimErr)
	case errors.Is(claimErr, errUnsettled):
		return workflows.StepOut{}, claimErr
	case claimErr != nil && !t.facts.CurrentEpoch && x.effect == actions.Unsafe && a.recheck(ctx, t) == nil:
		return a.restored(ctx, t, x) // nothing else stood in the way
	case claimErr != nil:
		return workflows.StepOut{}, claimErr
	}
	if !claimed { // no connection: nothing can have been sent
		rec := t.record(v.state, v.again)
		t.describe(rec, x)
		rec.Error, rec.Trace = v.err, v.trace
		return a.record(ctx, t, rec)
	}
	if a.overlaps(t, v) {
		return a.answerMeanwhile(t, c, v), nil
	}
	return a.answer(t, c, v)
}

// claimAfter claims, where the answer of the step before is still on its way under the condition that it arrives.
func (a *Activities) claimAfter(ctx context.Context, t *trial, c *ledger.Claim) (won bool, err error) {
	if c.After = t.chain.before(); c.After != nil {
		if _, won, err = a.cfg.Ledger.Claim(ctx, c); won || err != nil {
			return won, err
		}
		c.After = nil
	}
	if err := t.chain.settled(); err != nil {
		return false, err
	}
	_, won, err = a.cfg.Ledger.Claim(ctx, c)
	return won, err
}

func (t *trial) claim(x *ready) *ledger.Claim {
	t.lease = ledger.SendWindow + x.timeout + ledger.LeaseSlack
	return &ledger.Claim{
		Run: t.run.Run, Path: t.in.Path, N: t.in.N, Action: t.step.action, Identity: t.step.identity, Scope: t.scope(),
		Effect: x.effect, Owner: uuid.New(), Account: t.accountID(), NeedsGrant: t.needsGrant(x.action), Finally: t.in.Finally,
		Input: x.input, Request: summary(x.request), Digest: x.digest[:], Lease: ledger.SendWindow + x.timeout + ledger.LeaseSlack,
	}
}

// withdraw closes a claim of which it is not known whether it stands; nothing was sent under it.
func (a *Activities) withdraw(c *ledger.Claim, cause error) error {
	ctx, cancel := context.WithTimeout(context.Background(), recordTimeout)
	defer cancel()
	_, err := a.cfg.Ledger.Answer(ctx, &ledger.Answer{
		Run: c.Run, Path: c.Path, N: c.N, Owner: c.Owner, State: ledger.NotSent, Again: true,
		Error: fault.New(fault.Limit, ledger.ReasonNotInTime, "The database did not confirm the claim in time, so nothing was sent."),
	})
	if err != nil {
		a.cfg.Log.Warn("withdraw an unsure claim", "run", c.Run, "path", c.Path, "error", err)
	}
	return cause
}

// answer records what became of a claimed attempt. It is tried until the lease is over: until then nobody else decides.
func (a *Activities) answer(t *trial, c *ledger.Claim, v verdict) (workflows.StepOut, error) {
	ctx, cancel := context.WithTimeout(context.Background(), max(c.Lease, recordTimeout))
	defer cancel()
	ans := &ledger.Answer{
		Run: c.Run, Path: c.Path, N: c.N, Owner: c.Owner, State: v.state, Again: v.again, Status: v.status,
		Output: v.output, Blobs: v.blobs, Error: v.err, RetryAfter: v.after, Trace: v.trace,
	}
	if v.err == nil {
		ans.Next = a.following(t)
	}
	for {
		w, err := a.cfg.Ledger.Answer(ctx, ans)
		if err == nil {
			if ans.Next != nil {
				t.chain.bring(*ans.Next, w.Next)
			}
			return a.answered(ctx, t, v, w.Won)
		}
		select {
		case <-ctx.Done():
			return workflows.StepOut{}, err
		case <-time.After(busyPoll):
		}
	}
}

func (a *Activities) answered(ctx context.Context, t *trial, v verdict, closed bool) (workflows.StepOut, error) {
	switch {
	case !closed: // settled by a person, or given up: the ledger's word counts
		return workflows.StepOut{}, errChanged
	case v.state == ledger.Unknown:
		return a.unknown(ctx, t)
	}
	if elapsed(t.began) > t.lease { // it may have been taken for unknown meanwhile
		if err := a.cfg.Ledger.Healed(ctx, t.run.Run, t.in.Path); err != nil {
			return workflows.StepOut{}, err
		}
	}
	if v.err == nil {
		a.remembered(t, v.output)
	}
	return outcome(&ledger.Attempt{State: v.state, Again: v.again, Error: v.err, RetryAfter: v.after}), nil
}

// elapsed is the longer of what the monotonic and the wall clock say: the former stands still while a machine sleeps.
func elapsed(since time.Time) time.Duration {
	now := time.Now()
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

// restored records the first unsafe write of a run that lived before the database was restored as unknown: "no row" does
// not prove "not sent" any more.
func (a *Activities) restored(ctx context.Context, t *trial, x *ready) (workflows.StepOut, error) {
	rec := t.record(ledger.Unknown, false)
	t.describe(rec, x)
	rec.Error = fault.New(fault.OutcomeUnknown, "database_restored", "The database was restored or failed over while this run was alive, so it is not known whether this step was sent before.")
	w, err := a.cfg.Ledger.Record(ctx, rec)
	if err != nil || !w.Won {
		return workflows.StepOut{}, errors.Join(err, errChanged)
	}
	return a.unknown(ctx, t)
}
