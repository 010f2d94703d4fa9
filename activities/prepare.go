package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"pawl/actions"
	"pawl/actions/httpcall"
	"pawl/actions/jsbox"
	"pawl/connections"
	"pawl/internal/compile"
	"pawl/internal/fault"
)

// ready is an attempt that may be sent.
type ready struct {
	action  *actions.Action
	effect  actions.Effect
	input   []byte
	request *httpcall.Request // nil for a tool
	module  *jsbox.Module     // of a tool
	secret  httpcall.Secret
	digest  [32]byte
	timeout time.Duration
}

// prepare makes an attempt ready to be sent, or says why it can't be: a *fault.Error is the step's.
func (a *Activities) prepare(ctx context.Context, t *trial) (*ready, error) {
	act, err := a.action(ctx, t)
	if err != nil {
		return nil, err
	}
	if t.run.LocalOnly && !act.Local {
		return nil, fault.New(fault.LocalOnly, "", "This run is local-only: %s would send a request to an outside app.", t.step.action)
	}
	if !t.needsGrant(act) {
		a.reads.put(actionKey{t.scope(), t.step.action}, struct{}{}, 1)
	} else if !t.facts.Granted {
		return nil, t.missingGrant()
	}
	x := &ready{action: act, effect: t.effect(act), timeout: t.step.timeout}
	if x.secret, err = a.secret(t, act); err != nil {
		return nil, err
	}
	if x.input, err = a.input(ctx, t); err != nil {
		return nil, err
	}
	if act.Tool != nil {
		err = a.prepareTool(ctx, x)
	} else {
		err = x.build()
	}
	if err != nil {
		return nil, err
	}
	if last := t.facts.Last; last != nil && last.Digest != nil && x.effect != actions.Read && string(last.Digest) != string(x.digest[:]) {
		return nil, fault.New(fault.Conflict, "request_changed", "The request of a repeated attempt differs from the first one's, so it is not sent.")
	}
	return x, nil
}

// build makes the request of an HTTP action.
func (x *ready) build() (err error) {
	if x.request, err = httpcall.Build(x.action, x.input); err != nil {
		return fault.One(err)
	}
	x.digest = x.request.Digest()
	return nil
}

// input is the evaluated input, frozen with the first attempt.
func (a *Activities) input(ctx context.Context, t *trial) ([]byte, error) {
	if t.facts.Last != nil && t.facts.Last.Input != nil {
		return t.facts.Last.Input, nil
	}
	if t.step.input == nil {
		return []byte(`{}`), nil
	}
	b, err := a.evaluate(ctx, t.run, t.in.Path, t.step.input)
	if err == nil {
		return b, nil
	}
	if f := failure(err, t.step.id, t.step.pointer+"/input"); f != nil {
		return nil, f
	}
	return nil, err
}

// releaseKey names what is compiled: a release publishes its app and its tools under an identity each.
type releaseKey struct {
	release  uuid.UUID
	identity connections.ConnectionIdentity
}

// action gives the compiled action that the binding routes to.
func (a *Activities) action(ctx context.Context, t *trial) (*actions.Action, error) {
	k := releaseKey{t.facts.Binding.Release, connections.ConnectionIdentity(t.step.identity)}
	c, ok := a.catalog.get(k)
	if !ok {
		document, settings, err := a.cfg.Store.ReleaseByID(ctx, k.release)
		if err != nil {
			return nil, fmt.Errorf("read release %s: %w", k.release, err)
		}
		if c, err = compile.Release(k.identity, document, settings); err != nil {
			return nil, fmt.Errorf("compile release %s: %w", k.release, err)
		}
		a.catalog.put(k, c, 1)
	}
	act := c[connections.ActionIdentity(t.step.action)]
	if act == nil {
		return nil, fault.New(fault.NotFound, "action", "%s has no action %q: choose one of its actions.", t.step.identity, t.step.action)
	}
	return act, nil
}

// secret opens the account's key.
func (a *Activities) secret(t *trial, act *actions.Action) (httpcall.Secret, error) {
	if act.Auth.Kind == actions.AuthNone {
		return nil, nil
	}
	acc := t.facts.Account
	if acc == nil || acc.Removed || acc.Identity != t.step.identity || acc.Secret == uuid.Nil {
		return nil, connections.MissingAccount(connections.ConnectionIdentity(t.step.identity), t.step.account, 0)
	}
	if s, same := t.chain.opened(acc.Sealed); same {
		return s, nil
	}
	s, err := a.cfg.Vault.Open(acc.Secret, acc.SecretVersion, acc.Sealed)
	if err != nil {
		return nil, fmt.Errorf("open the key of account %s: %w", acc.Name, err)
	}
	t.chain.keep(acc.Sealed, s)
	return s, nil
}

// needsGrant says whether somebody must have permitted the action: all above read, and every tool that an agent calls.
func (t *trial) needsGrant(act *actions.Action) bool {
	return act.NeedsGrant() || t.run.Call && act.Tool != nil
}

func (t *trial) missingGrant() error {
	action := connections.ActionIdentity(t.step.action)
	if id, err := connections.ParseAction(t.step.action); t.run.Call && err == nil && id.Source == connections.SourcePlugin {
		return connections.MissingAgentsGrant(action, id.ID)
	}
	return connections.MissingGrant(action)
}

// effect is what the ledger has to guard: the action's, changed by the step's word and by the time that has passed.
func (t *trial) effect(act *actions.Action) actions.Effect {
	e := act.Effect
	if e == actions.Read {
		return e
	}
	if act.HonoursKey > 0 && act.SendsKey {
		e = actions.Safe
		if last := t.facts.Last; last != nil && last.FirstSent >= act.HonoursKey {
			e = actions.Unsafe
		}
	}
	switch t.step.repeat {
	case "never":
		return actions.Unsafe
	case "always":
		return actions.Safe
	}
	return e
}

// effectOrUnsafe is the effect of an attempt that ended before its action was known.
func (t *trial) effectOrUnsafe() actions.Effect {
	if t.facts.Last != nil {
		return t.facts.Last.Effect
	}
	return actions.Unsafe
}

func summary(r *httpcall.Request) []byte {
	if r == nil {
		return nil
	}
	b, err := json.Marshal(r.Summary())
	if err != nil {
		return nil
	}
	return b
}

// unavailable is the fault of a step whose binding is gone, with the identity that is current now.
func (a *Activities) gone(ctx context.Context, t *trial) (*fault.Error, error) {
	b := t.facts.Binding
	identity := connections.ConnectionIdentity(t.step.identity)
	if b == nil {
		return connections.Unavailable(identity, nil), nil
	}
	current, err := a.cfg.Store.CurrentIdentity(ctx, identity, t.scope())
	if err != nil {
		return nil, err
	}
	facts := &connections.BindingFacts{Active: b.State == "active", Gen: b.Gen, KeptUntil: b.KeptUntil, ChangedAt: b.ChangedAt, ChangedBy: b.ChangedBy, Reason: b.Reason, Current: current}
	if b.KeptUntil != nil {
		facts.Now = *b.KeptUntil // it was not routable in the moment of the look
	}
	return connections.Unavailable(identity, facts), nil
}
