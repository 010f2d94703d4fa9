package activities

import (
	"context"
	"fmt"
	"slices"
)

// viewpoint is where an expression stands: the loops and rounds around its position, and its step; nil for the output
// of the run.
type viewpoint struct {
	frames []frame
	step   *planStep
}

// seen is the prefix at which a step stands, seen from a viewpoint. A retry that restarts its body shows its latest
// round to those outside of it. ok is false when the step lies in a loop that does not enclose the viewpoint.
func (a *Activities) seen(ctx context.Context, r *runFacts, from viewpoint, s *planStep) (prefix string, ok bool, err error) {
	shared := 0 // containers around both
	for shared < len(s.enclosing) && from.step != nil && slices.Contains(from.step.enclosing, s.enclosing[shared]) {
		shared++
	}
	if prefix, ok = prefixOf(from.frames, s.enclosing[:shared]); !ok {
		return "", false, nil
	}
	apart := s.enclosing[shared:]
	if slices.ContainsFunc(apart, func(c container) bool { return c.loop }) {
		return "", false, nil
	}
	at, err := a.latest(ctx, r, prefix, apart, "")
	return at, true, err
}

// latest is the position of a step below a prefix, in the latest round of each of the restarting retries around it.
func (a *Activities) latest(ctx context.Context, r *runFacts, prefix string, retries []container, id string) (string, error) {
	for _, c := range retries {
		round, err := a.round(ctx, r, prefix, c.id)
		if err != nil {
			return "", err
		}
		if round > 1 {
			prefix = fmt.Sprintf("%s%s~%d.", prefix, c.id, round)
		}
	}
	return prefix + id, nil
}

// round is how often a retry has begun its body: every round but the last one left a decision.
func (a *Activities) round(ctx context.Context, r *runFacts, prefix, id string) (int, error) {
	keys := make([]string, 0, r.plan.steps[id].attempts)
	for n := 1; n < cap(keys); n++ {
		keys = append(keys, fmt.Sprintf("%s%s#%d", prefix, id, n))
	}
	if len(keys) == 0 {
		return 1, nil
	}
	decided, err := a.cfg.Ledger.Decisions(ctx, r.Run, keys)
	return 1 + len(decided), err
}

// tail are the containers inside the innermost loop.
func tail(enclosing []container) []container {
	for i := len(enclosing) - 1; i >= 0; i-- {
		if enclosing[i].loop {
			return enclosing[i+1:]
		}
	}
	return enclosing
}
