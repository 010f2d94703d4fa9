package api

import (
	"strings"
	"time"

	"pawl/internal/store"
)

// span is when something was first seen, last ended and last changed; zero for never.
type span struct{ first, last, changed time.Time }

func (s *span) add(o span) {
	if s.first.IsZero() || !o.first.IsZero() && o.first.Before(s.first) {
		s.first = o.first
	}
	s.last, s.changed = later(s.last, o.last), later(s.changed, o.changed)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// facts is what the rows of one position say of it.
type facts struct {
	span
	rows     []string // their paths, with marks
	attempt  *store.Trace
	own      *store.Trace // its decision
	cond     *store.Trace // that of its if
	caught   *store.Trace // that a try caught an error
	deadline *time.Time
	rounds   int          // how many rounds of a retry failed
	round    *store.Trace // the decision about the latest of them
	open     *store.Trace // the wait
	left     bool         // a wait was left before its time
	shown    bool
}

// learn takes in a row.
func (x *facts) learn(t *store.Trace) {
	if n := len(x.rows); n == 0 || x.rows[n-1] != t.Path {
		x.rows = append(x.rows, t.Path)
	}
	x.add(span{first: t.At, changed: t.Changed})
	if t.Done != nil {
		x.last = later(x.last, *t.Done)
	}
	kept := *t
	switch t.Source {
	case store.FromAttempt:
		x.attempt = &kept
	case store.FromDecision:
		x.decided(&kept)
	case store.FromWait:
		x.left = x.left || t.Kind == "timer" && t.Done != nil && t.Until != nil && t.Done.Before(*t.Until)
		if t.Done == nil && !t.Woken {
			x.open = &kept
		}
	}
}

// decided takes in a decision. The walk marks those of one position that are about different things with a suffix:
// ? its if, ! its deadline, & that it has begun, ^ its catch, #n the nth round of its retries.
func (x *facts) decided(t *store.Trace) {
	mark := strings.IndexAny(t.Path, store.PathMarks)
	if mark < 0 {
		x.own = t
		return
	}
	switch t.Path[mark] {
	case '?':
		x.cond = t
	case '!':
		x.deadline = t.Until
	case '^':
		x.caught = t
	case '#':
		x.rounds++
		if x.round == nil || t.At.After(x.round.At) {
			x.round = t
		}
	}
}

// stepPath is the position that a row belongs to.
func stepPath(path string) string {
	if i := strings.IndexAny(path, store.PathMarks); i >= 0 {
		return path[:i]
	}
	return path
}

// refused says how a step ended before it began: skipped or failed by its if, or failed by its own decision.
func (x *facts) refused() string {
	switch {
	case x == nil:
		return ""
	case x.cond != nil && x.cond.Failed, x.own != nil && x.own.Failed:
		return stepFailed
	case x.cond != nil && x.cond.Label == labelSkipped:
		return stepSkipped
	}
	return ""
}

// clock is the time at which a run is looked at: now, or its end.
type clock struct {
	now   time.Time
	alive bool
}

// state is the state of a step without steps inside, by its rows.
func (x *facts) state(c clock) string {
	s := x.recorded(c)
	switch {
	case c.alive && x.open != nil && s != stepUnknown:
		return stepWaiting
	case !c.alive && (s == stepRunning || s == stepWaiting || s == stepPending):
		return stepCancelled // the run ended before it did
	}
	return s
}

func (x *facts) recorded(c clock) string {
	refused := x.refused()
	switch {
	case refused != "":
		return refused
	case x.attempt != nil:
		return attempted(x.attempt, c.alive)
	case x.left:
		return stepCancelled
	case x.own == nil:
		return stepRunning
	case x.own.Kind == "wait" && x.own.Until != nil && x.own.Until.After(c.now):
		return stepWaiting
	}
	return stepSucceeded
}

// attempted is the state of a step by its latest attempt.
func attempted(a *store.Trace, alive bool) string {
	switch {
	case a.Settled == "succeeded":
		return stepSucceeded
	case a.Settled == "failed":
		return stepFailed
	case a.State == "unknown":
		return stepUnknown
	case a.State == "sending":
		return stepRunning
	case a.Cancelled:
		return stepCancelled
	case a.State == "answered" && !a.Failed:
		return stepSucceeded
	case alive && a.AtOnce:
		return stepPending
	}
	return stepFailed
}

// ended is when a step ended, nil while it goes on.
func (x *facts) ended(c clock, state string) *time.Time {
	if !over(state) {
		return nil
	}
	last := x.last
	if x.own != nil && x.own.Kind == "wait" && x.own.Until != nil && !x.left && !x.own.Until.After(c.now) {
		last = later(last, *x.own.Until)
	}
	return instant(last)
}

func over(state string) bool {
	switch state {
	case stepPending, stepRunning, stepWaiting, stepUnknown:
		return false
	}
	return true
}

// instant is nil for the zero time.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
