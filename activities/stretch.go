package activities

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"pawl/workflows"
)

// Stretch makes first attempts of positions that follow each other, one after the other, as long as each succeeds or is
// skipped and the time lasts. Each is an attempt like those of Execute. One that takes longer is left in the background,
// and none begins after it.
func (a *Activities) Stretch(ctx context.Context, in workflows.StretchIn) (workflows.StretchOut, error) {
	id, err := parseRun(in.Run)
	if err != nil {
		return workflows.StretchOut{}, err
	}
	s := &stretch{in: in, id: id, until: time.Now().Add(time.Duration(in.MostMS) * time.Millisecond), done: make(chan struct{})}
	go a.makeStretch(s)
	soft := time.NewTimer(time.Duration(in.SoftMS) * time.Millisecond)
	defer soft.Stop()
	select {
	case <-s.done:
		return s.leave(false)
	case <-soft.C:
		return s.leave(true)
	case <-ctx.Done():
		_, _ = s.leave(true)
		return workflows.StretchOut{}, ctx.Err()
	}
}

// stretch is a row of attempts under way.
type stretch struct {
	in    workflows.StretchIn
	id    uuid.UUID
	until time.Time
	done  chan struct{}

	mu   sync.Mutex
	left bool // nobody waits any more: nothing begins
	outs []workflows.StepOut
	err  error
}

// leave gives what has come so far. With an attempt under way its outcome is Detached. An error matters only where nothing
// came before it: the walk asks again from there.
func (s *stretch) leave(underWay bool) (workflows.StretchOut, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = true
	outs := s.outs[:len(s.outs):len(s.outs)]
	switch {
	case len(outs) == 0 && s.err != nil:
		return workflows.StretchOut{}, s.err
	case underWay && s.goesOn():
		outs = append(outs, workflows.StepOut{State: workflows.Detached})
	}
	return workflows.StretchOut{Steps: outs}, nil
}

// goesOn says whether a further attempt follows those that have ended.
func (s *stretch) goesOn() bool {
	if s.err != nil || len(s.outs) == len(s.in.Paths) {
		return false
	}
	if len(s.outs) == 0 {
		return true
	}
	last := s.outs[len(s.outs)-1].State
	return last == workflows.Succeeded || last == workflows.Skipped
}

// next says whether the next attempt may begin.
func (s *stretch) next() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.left && s.goesOn() && (len(s.outs) == 0 || time.Now().Before(s.until))
}

func (s *stretch) add(out workflows.StepOut, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.err = err
		return
	}
	s.outs = append(s.outs, out)
}

func (a *Activities) makeStretch(s *stretch) {
	defer close(s.done)
	c := &chain{}
	var open *pending // of the step before
	for i := 0; s.next(); i++ {
		c.following = ""
		if i+1 < len(s.in.Paths) {
			c.following = s.in.Paths[i+1]
		}
		out, err := a.link(workflows.StepIn{Run: s.in.Run, Path: s.in.Paths[i], N: 1, Finally: s.in.Finally}, s.id, c)
		if open != nil && !s.close(open) {
			return // so this step did not begin
		}
		if open = c.own(s.in.Paths[i]); open == nil {
			s.add(out, err)
		}
	}
	if open != nil {
		s.close(open)
	}
}

// close adds the outcome of a step when its answer is recorded. It returns false when that is no success.
func (s *stretch) close(p *pending) bool {
	<-p.done
	s.add(p.out, p.err)
	return p.err == nil && p.out.State == workflows.Succeeded
}

// link makes one attempt of a stretch, or waits for the one that is under way. The attempt stays under way until its answer is
// recorded.
func (a *Activities) link(in workflows.StepIn, id uuid.UUID, c *chain) (workflows.StepOut, error) {
	call, mine := a.calls.enter(in, id)
	switch {
	case call == nil:
		return workflows.StepOut{State: workflows.Yield}, nil
	case !mine:
		<-call.done
		return call.out, call.err
	}
	out, err := a.attemptOf(in, id, c)(call.ctx, call)
	if p := c.own(in.Path); p != nil {
		go func() {
			<-p.done
			a.calls.end(call, p.out, p.err)
		}()
		return out, err
	}
	a.calls.end(call, out, err)
	return out, err
}
