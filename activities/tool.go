package activities

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"pawl/actions"
	"pawl/actions/jsbox"
	"pawl/connections"
	"pawl/internal/fault"
	"pawl/internal/ledger"
	"pawl/internal/sandbox"
)

// prepareTool makes a call of the sandbox ready: its input fits the tool's schema and its module is loaded.
func (a *Activities) prepareTool(ctx context.Context, x *ready) (err error) {
	if err := sandbox.CheckInput(x.action.Tool, x.input); err != nil {
		return err
	}
	x.timeout = min(x.timeout, jsbox.MaxTime)
	x.digest = sha256.Sum256(append([]byte(x.action.Identity+"\n"), x.input...))
	x.module, err = a.cfg.Box.Load(ctx, x.action.Tool)
	return err
}

// callTool calls a tool once. permit is asked before it begins, and the facts before each of its requests.
func (a *Activities) callTool(ctx context.Context, t *trial, x *ready, permit permit) (verdict, error) {
	if _, err := permit(ctx); err != nil {
		return verdict{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, x.timeout)
	defer cancel()
	g := &gatekeeper{a: a, t: t, x: x}
	out, err := a.cfg.Box.Call(ctx, x.module, sandbox.Call{Tool: x.action.Tool, Input: x.input, Stage: jsbox.Production, Allow: g.allow})
	if x.effect == actions.Read && err != nil && errors.Is(err, errChanged) {
		return verdict{}, errChanged
	}
	return judgeTool(t, x, &out, err), nil
}

// gatekeeper decides about each request of a tool: the call may last much longer than the facts that it began with.
type gatekeeper struct {
	a *Activities
	t *trial
	x *ready
}

// allow looks at the facts as they are now: the binding, the grants and the run. The request has to begin within the same
// time after that look as any other (ledger.SendWindow).
func (g *gatekeeper) allow(ctx context.Context, host string) (time.Time, error) {
	began := time.Now()
	f, err := g.a.cfg.Ledger.Facts(ctx, g.t.fullAsk())
	if err != nil {
		return began, fault.New(fault.Internal, "facts", "Whether the request may be sent could not be looked up, so it was not sent.").Because(err)
	}
	if refused := g.refusal(&f); refused != nil {
		return began, refused
	}
	granted, err := g.a.cfg.Store.HostGranted(ctx, g.t.run.Project, g.x.action.Tool.Plugin, host)
	switch {
	case err != nil:
		return began, fault.New(fault.Internal, "facts", "Whether the host is granted could not be looked up, so the request was not sent.").Because(err)
	case !granted:
		return began, connections.MissingHostGrant(g.x.action.Tool.Plugin, host)
	}
	return began.Add(ledger.SendWindow), nil
}

// refusal says what changed since the call began so that nothing more may be sent; nil for nothing.
func (g *gatekeeper) refusal(f *ledger.Facts) error {
	b, was := f.Binding, g.t.facts.Binding
	switch {
	case f.Forced, f.Cancelled && !g.t.in.Finally && g.x.effect == actions.Read: // an effect that has begun may end
		return fault.New(fault.Cancelled, "run_cancelled", "The run was cancelled, so the request was not sent.")
	case b == nil || !b.Routable || b.Gen != was.Gen:
		return fault.New(fault.Unavailable, "withdrawn", "%s was withdrawn during the call, so the request was not sent.", g.t.step.identity).Because(errChanged)
	case g.t.needsGrant(g.x.action) && !f.Granted:
		return g.t.missingGrant()
	case g.x.effect != actions.Read && !g.owns(f.Last):
		return fault.New(fault.Conflict, "settled", "The outcome of this attempt was decided meanwhile, so the request was not sent.")
	}
	return nil
}

// owns says whether the attempt that the ledger has is this very call, still under way.
func (g *gatekeeper) owns(last *ledger.Attempt) bool {
	return last != nil && last.N == g.t.in.N && last.Owner == g.t.owner && last.State == ledger.Sending
}

// fullAsk asks for everything, the grant too.
func (t *trial) fullAsk() ledger.Ask {
	return ledger.Ask{Run: t.run.Run, Path: t.in.Path, Identity: t.step.identity, Scope: t.scope(), Action: t.step.action, Account: uuid.Nil}
}

// judgeTool applies the table of retry and unknown (docs/runtime.md) to a call of the sandbox.
func judgeTool(t *trial, x *ready, out *sandbox.Outcome, err error) verdict {
	v := verdict{state: ledger.Answered, output: out.Output, trace: trace(out)}
	if err == nil {
		if blob, large := ledger.OutputBlob(v.output); large {
			v.blobs = append(v.blobs, blob)
		}
		return v
	}
	v.output, v.err = nil, fault.From(err).In(t.step.id)
	switch {
	case x.effect == actions.Unsafe && out.Unanswered():
		v.state = ledger.Unknown
		v.err = fault.New(fault.OutcomeUnknown, v.err.Reason, "The tool sent a request and no answer came: it may have been carried out. %s", v.err.Message).In(t.step.id)
	case !out.Sent() && passing(v.err.Kind):
		v.state, v.again = ledger.NotSent, v.err.Kind != fault.Cancelled
	case x.effect != actions.Unsafe && (out.Unanswered() || passing(v.err.Kind)):
		v.state, v.again = ledger.Lost, v.err.Kind != fault.Cancelled
		v.after = t.untilDeadline(x)
	}
	if t.step.repeat == "never" && v.state != ledger.NotSent {
		v.again = false
	}
	return v
}

// passing says whether a fault is of the moment: the tool itself had no say in it.
func passing(k fault.Kind) bool {
	return k == fault.Network || k == fault.Timeout || k == fault.SandboxUnavailable || k == fault.Cancelled
}

// trace is what a call leaves beside its output, nil for nothing.
func trace(out *sandbox.Outcome) []byte {
	if len(out.Logs) == 0 && len(out.Requests) == 0 {
		return nil
	}
	b, err := json.Marshal(sandbox.Trace{Logs: out.Logs, Requests: out.Requests})
	if err != nil { // not reached: texts, numbers and faults always marshal
		return nil
	}
	return b
}
