package api

import (
	"strconv"
	"strings"

	"pawl/internal/automation"
	"pawl/internal/store"
)

// container is how a step stands that holds others, and shows it. No row says how it ended: that follows from the steps
// in it.
func (f *fold) container(s *scope, p *position, x *facts, m mode) verdict {
	refused := x.refused()
	if refused == stepSkipped {
		m.skipped = true
	}
	v := f.inside(s, p.step, x, m)
	if x != nil {
		v.add(x.span)
		v.reached = true
	}
	p.span = v.span
	switch {
	case refused != "":
		v.state, v.again, v.at = refused, false, x.last
	case !v.reached && m.skipped:
		v.state = stepSkipped
	case !v.reached && m.passed && v.state == stepSucceeded: // there was nothing to do in it
	case v.reached:
		v = f.expired(x, f.begun(v, m))
	default:
		v.state = stepPending
	}
	p.state = v.state
	if v.state == stepUnknown { // the step in it is what a person settles
		p.state = stepWaiting
	}
	if over(v.state) {
		p.ended = instant(v.last)
	}
	if p.state != stepWaiting && p.step.Type == automation.TypeRetry {
		p.wait = nil
	}
	return v
}

// expired is the verdict on a container whose deadline may have cut it off.
func (f *fold) expired(x *facts, v verdict) verdict {
	isCut := (v.state == stepRunning || v.state == stepCancelled) && !v.busy
	if x == nil || x.deadline == nil || !isCut || x.deadline.After(f.now) {
		return v
	}
	v.state, v.again, v.at = stepFailed, false, *x.deadline
	return v
}

// inside is how what stands in a container stands; pending says that the walk is between two steps, or has not begun.
func (f *fold) inside(s *scope, st *automation.Step, x *facts, m mode) verdict {
	switch st.Type {
	case automation.TypeBranch:
		return f.branch(s, st, x, m)
	case automation.TypeEach:
		return f.each(s, st, x, m)
	case automation.TypeParallel:
		return f.parallel(s, st, m)
	case automation.TypeRetry:
		return f.retry(s, st, x, m)
	default:
		return f.try(s, st, x, m)
	}
}

// branch is how the case that was taken stands; the others are skipped as soon as that is decided.
func (f *fold) branch(s *scope, st *automation.Step, x *facts, m mode) verdict {
	v := verdict{state: stepPending}
	isDecided := x != nil && x.own != nil && x.own.Count != nil && !x.own.Failed
	if isDecided {
		v.state = stepSucceeded
	}
	for i, arm := range arms(st) {
		taken := isDecided && i == *x.own.Count
		o := f.list(s, arm, mode{m.skipped || isDecided && !taken, m.passed})
		v.include(o)
		if taken {
			v.become(o)
		}
	}
	return v
}

// each is how the iterations stand together. Its body is shown with a star while it has none.
func (f *fold) each(s *scope, st *automation.Step, x *facts, m mode) verdict {
	t := s.inner[st.ID]
	isDecided := x != nil && x.own != nil && x.own.Count != nil
	if !isDecided && t == nil {
		f.stars(s, st, m)
		return verdict{state: stepPending}
	}
	if t == nil {
		t = &tally{}
	}
	more := 0
	if isDecided {
		more = max(0, *x.own.Count-t.begunCount())
	}
	if t.n[stepWaiting] >= st.Lanes() { // none may begin before one of them goes on
		more = 0
	}
	return f.together(t, more, false)
}

// begunCount is how many were counted.
func (t *tally) begunCount() int {
	sum := 0
	for _, n := range t.n {
		sum += n
	}
	return sum
}

// parallel is how the branches stand together.
func (f *fold) parallel(s *scope, st *automation.Step, m mode) verdict {
	t := &tally{}
	for i, arm := range arms(st) {
		t.add(i, f.list(s, arm, m))
	}
	return f.together(t, 0, st.OnFailure == "finish")
}

// retry is how its latest round stands. A failure stands while no further round is to come.
func (f *fold) retry(s *scope, st *automation.Step, x *facts, m mode) verdict {
	rounds := s.inner[st.ID]
	v := f.list(s, st.Steps, mode{m.skipped, m.passed || rounds != nil})
	if rounds != nil {
		v.include(rounds.verdict)
		v.become(rounds.last)
	}
	if v.state != stepFailed || !f.alive || m.passed {
		return v
	}
	switch {
	case x != nil && x.open != nil:
		v.state, v.busy = stepWaiting, true
	case x != nil && x.round != nil && x.round.At.After(v.at): // the next round is to begin
		v.state = stepPending
	case v.again && (x == nil || x.rounds+1 < st.Policy.MaxAttempts):
		v.state = stepPending
	}
	return v
}

// try is how its body stands, or its catch when that had to run, and then its finally.
func (f *fold) try(s *scope, st *automation.Step, x *facts, m mode) verdict {
	caught := x != nil && x.caught != nil && !x.caught.Failed
	finally := f.anyReached(s, st.Finally)
	v := f.list(s, st.Steps, mode{m.skipped, m.passed || finally || caught || f.anyReached(s, st.Catch)})
	c := f.list(s, st.Catch, mode{m.skipped || !caught && v.state == stepSucceeded, m.passed || finally})
	last := f.list(s, st.Finally, m)
	toCatch := v.state == stepFailed && st.Catch != nil && f.alive && !m.passed && !finally
	v.include(c)
	v.include(last)
	switch {
	case caught:
		v.become(c)
	case toCatch && !v.stopped:
		v.state = stepPending
	}
	if !over(v.state) || len(st.Finally) == 0 {
		return v
	}
	return f.finally(v, last)
}

// finally is how a try stands whose other steps are over.
func (f *fold) finally(v, last verdict) verdict {
	switch {
	case last.state == stepPending && !f.alive && v.state != stepSucceeded: // it was forced to end
	case last.state != stepSucceeded:
		v.become(last)
	}
	return v
}

// awaitRetry makes a failed step wait when a retry around it does, and is about this very round.
func (f *fold) awaitRetry(s *scope, p *position, v verdict) {
	if p.state != stepFailed || v.stopped || !f.alive {
		return
	}
	for st := p.step; st != nil && !st.Rules.Continue; st = st.Parent {
		if st.Type == automation.TypeTry && p.step != st && st.Catch != nil && f.inBody(st, p.step) {
			return // it is caught before it comes to a retry
		}
		if w := f.retryOf(st, s.prefix); w != nil {
			p.state, p.ended = stepWaiting, nil
			p.wait = &WaitingFor{For: w.Kind, Since: w.Since, Until: w.Until, Path: p.path}
			return
		}
	}
}

// inBody says whether a step stands in the body of a try, and not in its catch or finally.
func (f *fold) inBody(try, st *automation.Step) bool {
	for st.Parent != try {
		st = st.Parent
	}
	return st.Block == "steps"
}

// retryOf finds the open wait of a retry around what has a prefix.
func (f *fold) retryOf(st *automation.Step, prefix string) *store.WaitRow {
	if st.Type != automation.TypeRetry {
		return nil
	}
	for i := range f.retries {
		w := &f.retries[i]
		path := stepPath(w.Path)
		if idOf(path) != st.ID || !strings.HasPrefix(prefix, prefixOf(path)) {
			continue
		}
		if !st.Restart || roundOf(prefix[len(prefixOf(path)):], st.ID) == strings.TrimPrefix(w.Path, path+"#") {
			return w
		}
	}
	return nil
}

// roundOf is the round of a retry in which what has a prefix stands: 1 where the prefix does not say so.
func roundOf(prefix, id string) string {
	text, owner, n := segment(prefix)
	if owner == id && strings.Contains(text, "~") {
		return strconv.Itoa(n)
	}
	return "1"
}
