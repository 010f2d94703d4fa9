package activities

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"pawl/workflows"
)

// calls is the registry of the attempts that are under way in this process. It makes sure that a process never makes
// one attempt twice at the same time: who asks for it again joins it.
type calls struct {
	mu      sync.Mutex
	open    map[workflows.StepIn]*attemptCall
	closing bool
	idle    chan struct{} // closed when closing and nothing is open
}

type attemptCall struct {
	run     uuid.UUID
	finally bool
	began   time.Time
	key     workflows.StepIn
	ctx     context.Context //nolint:containedctx // it is the call's, which outlives those that ask for it
	cancel  context.CancelFunc
	aborts  bool // a cancel of the run aborts it: it is a read, or nothing is sent yet
	done    chan struct{}
	out     workflows.StepOut
	err     error
}

func newCalls() *calls {
	return &calls{open: map[workflows.StepIn]*attemptCall{}, idle: make(chan struct{})}
}

// key drops what does not name the attempt.
func key(in workflows.StepIn) workflows.StepIn {
	return workflows.StepIn{Run: in.Run, Path: in.Path, N: in.N}
}

// work makes the attempt of a call.
type work func(context.Context, *attemptCall) (workflows.StepOut, error)

// join gives the call for an attempt and starts it when there is none; nil when the process is closing.
func (c *calls) join(in workflows.StepIn, run uuid.UUID, w work) *attemptCall {
	a, mine := c.enter(in, run)
	if mine {
		go func() {
			out, err := w(a.ctx, a)
			c.end(a, out, err)
		}()
	}
	return a
}

// enter gives the call for an attempt; nil when the process is closing. When it is the caller's, the caller must work it.
func (c *calls) enter(in workflows.StepIn, run uuid.UUID) (a *attemptCall, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := key(in)
	if a, ok := c.open[k]; ok {
		return a, false
	}
	if c.closing {
		return nil, false
	}
	a = &attemptCall{run: run, finally: in.Finally, began: time.Now(), key: k, aborts: true, done: make(chan struct{})}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	c.open[k] = a
	return a, true
}

// end lets those go who wait for a call.
func (c *calls) end(a *attemptCall, out workflows.StepOut, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a.out, a.err = out, err
	a.cancel()
	delete(c.open, a.key)
	close(a.done)
	if c.closing && len(c.open) == 0 {
		close(c.idle)
	}
}

// commit says that from now on a cancel of the run does not abort the call: an effect is about to be sent.
func (c *calls) commit(a *attemptCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a.aborts = false
}

// abort aborts the calls of a run that which chooses and that may be aborted.
func (c *calls) abort(run uuid.UUID, which func(*attemptCall) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.open {
		if a.run == run && a.aborts && which(a) {
			a.cancel()
		}
	}
}

func (c *calls) runsLonger(longer time.Duration) []uuid.UUID {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := map[uuid.UUID]bool{}
	var runs []uuid.UUID
	for _, a := range c.open {
		if time.Since(a.began) > longer && !seen[a.run] {
			seen[a.run] = true
			runs = append(runs, a.run)
		}
	}
	return runs
}

func (c *calls) drain(ctx context.Context) error {
	c.mu.Lock()
	if !c.closing {
		c.closing = true
		if len(c.open) == 0 {
			close(c.idle)
		}
	}
	c.mu.Unlock()
	select {
	case <-c.idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
