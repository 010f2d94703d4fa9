package api

import (
	"time"

	"pawl/internal/automation"
)

// verdict is how a part of the walk stands.
type verdict struct {
	span
	state   string
	reached bool
	busy    bool // a step in it is under way or waits
	stopped bool // a stop step ended the run in it
	again   bool // of failed: another attempt may be made
	at      time.Time
}

// include takes in when another part happened, and whether it did.
func (v *verdict) include(o verdict) {
	v.add(o.span)
	v.reached, v.busy = v.reached || o.reached, v.busy || o.busy
}

// become takes over how another part ended.
func (v *verdict) become(o verdict) {
	v.state, v.stopped, v.again, v.at = o.state, o.stopped, o.again, o.at
}

// mode is what is known of a list of steps from around it.
type mode struct {
	skipped bool // it was decided that they don't run
	passed  bool // the walk is behind them
}

// list is how a list of steps stands, one after the other. pending says that the walk has come to a step that has not
// begun.
func (f *fold) list(s *scope, steps []*automation.Step, m mode) verdict {
	v := verdict{state: stepSucceeded}
	behind := f.behind(s, steps)
	over := false
	for i, st := range steps {
		o := f.step(s, st, mode{m.skipped, m.passed || behind[i]})
		v.include(o)
		goesOn := o.state == stepSucceeded || o.state == stepSkipped || o.state == stepFailed && st.Rules.Continue
		if !over && (!goesOn || o.stopped) {
			over = true
			v.become(o)
		}
	}
	return v
}

// behind says for each step of a list whether one behind it was reached.
func (f *fold) behind(s *scope, steps []*automation.Step) []bool {
	after := make([]bool, len(steps))
	for i := len(steps) - 1; i > 0; i-- {
		after[i-1] = after[i] || f.wasReached(s, steps[i])
	}
	return after
}

func (f *fold) wasReached(s *scope, st *automation.Step) bool {
	if s.facts[st.ID] != nil || s.inner[st.ID] != nil {
		return true
	}
	if st.Type == automation.TypeEach {
		return false
	}
	for _, b := range st.Blocks() {
		if f.anyReached(s, b.Steps) {
			return true
		}
	}
	return false
}

func (f *fold) anyReached(s *scope, steps []*automation.Step) bool {
	for _, st := range steps {
		if f.wasReached(s, st) {
			return true
		}
	}
	return false
}

// step is how a step stands, and shows it.
func (f *fold) step(s *scope, st *automation.Step, m mode) verdict {
	x := s.facts[st.ID]
	p := f.position(s, st, x)
	if isContainer(st) {
		return f.container(s, p, x, m)
	}
	v := verdict{span: p.span, state: stepPending, reached: x != nil}
	switch {
	case x != nil:
		p.state = x.state(f.clock)
		p.ended = x.ended(f.clock, p.state)
		v.become(f.ending(st, x, p.state))
		f.awaitRetry(s, p, v)
		v.state, v.busy = f.shown(p, v), !over(p.state)
	case m.skipped:
		p.state, v.state = stepSkipped, stepSkipped
	default:
		p.state = stepPending
	}
	return v
}

// ending is what the state of a step means for those around it.
func (f *fold) ending(st *automation.Step, x *facts, state string) verdict {
	v := verdict{state: state, at: x.last, stopped: st.Type == automation.TypeStop && over(state) && state != stepSkipped}
	switch {
	case state == stepUnknown && f.cancelled:
		v.state = stepCancelled
	case state == stepUnknown && (!f.alive || st.Rules.FailUnknown):
		v.state = stepFailed
	case state == stepPending: // the next attempt is on its way
		v.state = stepRunning
	case state == stepFailed:
		v.again = x.attempt != nil && x.attempt.Again
	}
	return v
}

// shown is what a step that waits for a retry means for those around it: waiting.
func (f *fold) shown(p *position, v verdict) string {
	if p.state == stepWaiting {
		return stepWaiting
	}
	return v.state
}

// begun is a verdict on something that has begun: what is between two steps goes on, or was cut off.
func (f *fold) begun(v verdict, m mode) verdict {
	if v.state != stepPending {
		return v
	}
	switch {
	case m.passed:
		v.state = stepSucceeded
	case f.alive:
		v.state = stepRunning
	default:
		v.state = stepCancelled
	}
	return v
}

// tally counts scopes, or branches that are walked side by side.
type tally struct {
	verdict
	n       map[string]int // by state
	failure verdict
	lowest  int
	last    verdict // of the highest number
	highest int
	halted  verdict // of one in which a stop step ended the run
}

func (t *tally) add(number int, v verdict) {
	t.include(v)
	if t.n == nil {
		t.n = map[string]int{}
		t.lowest, t.highest = number, number-1
	}
	t.n[v.state]++
	if v.state == stepFailed && (t.n[stepFailed] == 1 || number < t.lowest) {
		t.failure, t.lowest = v, number
	}
	if number > t.highest {
		t.last, t.highest = v, number
	}
	if v.stopped {
		t.halted = v
	}
}

// together is how what was counted stands as a whole; more is how many have not begun, and finish says that a failure
// does not keep them from it.
func (f *fold) together(t *tally, more int, finish bool) verdict {
	v := t.verdict
	v.state = stepSucceeded
	more += t.n[stepPending]
	ill := t.n[stepFailed] > 0 || t.n[stepCancelled] > 0
	switch {
	case t.halted.stopped:
		v.become(t.halted)
	case t.n[stepUnknown] > 0:
		v.state = stepUnknown
	case t.n[stepRunning] > 0:
		v.state = stepRunning
	case more > 0 && (!ill || finish && f.alive):
		v.state = stepPending
	case t.n[stepWaiting] > 0:
		v.state = stepWaiting
	case t.n[stepFailed] > 0:
		v.become(t.failure)
	case t.n[stepCancelled] > 0:
		v.state = stepCancelled
	}
	return v
}
