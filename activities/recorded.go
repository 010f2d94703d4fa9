package activities

import (
	"context"

	"pawl/actions"
	"pawl/internal/ledger"
	"pawl/workflows"
)

// recorded answers from the ledger when it already knows the attempt. known is false when the attempt is to be made.
func (a *Activities) recorded(ctx context.Context, t *trial) (out workflows.StepOut, known bool, err error) {
	last := t.facts.Last
	if last == nil || last.N == t.in.N-1 && last.Again {
		return out, false, nil
	}
	if last.N > t.in.N {
		if last, err = a.cfg.Ledger.At(ctx, t.run.Run, t.in.Path, t.in.N); err != nil || last == nil {
			return out, true, err
		}
	}
	switch last.State {
	case ledger.Sending:
		return a.underWay(ctx, last)
	case ledger.Unknown:
		out, err = a.unknown(ctx, t)
		return out, true, err
	default: // it has ended
	}
	if t.facts.Waiting {
		if err := a.cfg.Ledger.Leave(ctx, t.run.Run, t.in.Path); err != nil {
			return out, true, err
		}
	}
	return outcome(last), true, nil
}

// underWay decides about an attempt that somebody claimed and did not answer. It is not this process's: that call would
// have been joined. So its owner is another process, or one that is gone.
func (a *Activities) underWay(ctx context.Context, last *ledger.Attempt) (out workflows.StepOut, known bool, err error) {
	gone := a.cfg.Alone || last.LeaseLeft <= 0
	switch {
	case !gone:
		return workflows.StepOut{State: workflows.Detached}, true, nil
	case last.Effect == actions.Read:
		return out, false, nil // a read is made again, under the same number
	}
	owner := ledger.OwnerMayLive
	if a.cfg.Alone {
		owner = ledger.OwnerDead
	}
	if _, err := a.cfg.Ledger.Expire(ctx, last, owner); err != nil {
		return out, true, err
	}
	return out, true, errChanged
}
