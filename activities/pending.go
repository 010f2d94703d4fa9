package activities

import (
	"errors"
	"sync"

	"pawl/internal/ledger"
	"pawl/workflows"
)

// pending is an answer on its way to the ledger. Until it is there, nobody is told the outcome of its step; the step after
// it is prepared meanwhile, and claims under the condition that the answer arrives.
type pending struct {
	of   ledger.After
	done chan struct{}
	out  workflows.StepOut // when done
	err  error
}

// errUnsettled says that a step did not end as it seemed to, so the one after it may not begin.
var errUnsettled = errors.New("the answer of the step before is not recorded")

// overlaps says whether the step after this one may be prepared while this one's answer is recorded: when nothing has to
// be asked for it.
func (a *Activities) overlaps(t *trial, v verdict) bool {
	return t.chain != nil && t.chain.following != "" && v.err == nil && v.state == ledger.Answered && a.following(t) == nil
}

// answerMeanwhile records an answer while the stretch goes on. The outcome holds only when the answer is there.
func (a *Activities) answerMeanwhile(t *trial, c *ledger.Claim, v verdict) workflows.StepOut {
	p := &pending{of: ledger.After{Path: c.Path, N: c.N, Owner: c.Owner}, done: make(chan struct{})}
	k := outputKey{t.run.Run, t.in.Path}
	a.arriving.put(k, v.output)
	t.chain.pending = p
	last := *t
	last.chain = nil // it is the next step's from now on
	go func() {
		defer close(p.done)
		p.out, p.err = a.answer(&last, c, v)
		a.arriving.drop(k)
		a.cfg.Changed(last.run.Run)
	}()
	return workflows.StepOut{State: workflows.Succeeded}
}

// own is the answer on its way of the step at a path; nil for none.
func (c *chain) own(path string) *pending {
	if c.pending != nil && c.pending.of.Path == path {
		return c.pending
	}
	return nil
}

// before is the attempt whose answer is on its way, nil when nothing is.
func (c *chain) before() *ledger.After {
	if c == nil || c.pending == nil {
		return nil
	}
	select {
	case <-c.pending.done:
		return nil
	default:
		return &c.pending.of
	}
}

// settled waits until the answer of the step before is recorded. Everything that reads or writes rows of a step waits for it,
// but for a claim, which makes it a condition.
func (c *chain) settled() error {
	if c == nil || c.pending == nil {
		return nil
	}
	<-c.pending.done
	if c.pending.err != nil || c.pending.out.State != workflows.Succeeded {
		return errUnsettled
	}
	return nil
}

// arriving are the outputs whose answers are on their way. The step after may name them; they are no facts yet.
type arriving struct {
	mu sync.Mutex
	m  map[outputKey][]byte
}

func newArriving() *arriving { return &arriving{m: map[outputKey][]byte{}} }

func (r *arriving) put(k outputKey, output []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.m[k] = output
}

func (r *arriving) get(k outputKey) ([]byte, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	output, ok := r.m[k]
	return output, ok
}

func (r *arriving) drop(k outputKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.m, k)
}
