package api

import (
	"strings"
	"time"

	"pawl/internal/automation"
	"pawl/internal/store"
)

// position is a step at one set of loop indexes: what the rows say of it, or that it was not reached.
type position struct {
	span
	path  string
	id    string
	place int              // in the document
	step  *automation.Step // nil for one that the document does not have
	state string
	rows  []string // the paths of its rows, with marks
	ended *time.Time
	wait  *WaitingFor
}

func (p *position) reached() bool { return !p.first.IsZero() }

// fold makes the positions of a run from its rows. It takes them in the order of their paths, in which all that is inside one
// iteration comes in one piece, and hands out the positions of each iteration as it is over: it never holds more than the
// iterations that are open, however long the loops are.
type fold struct {
	clock
	cancelled bool // the run ended so
	outline   *outline
	retries   []store.WaitRow // open waits of retries
	emit      func(*position)
	open      []*scope
}

// scope is an iteration of a loop, a further round of a retry that starts over, or the top.
type scope struct {
	prefix  string // of the paths in it
	owner   string // id of the loop or retry
	number  int    // index or round
	body    []*automation.Step
	facts   map[string]*facts // by id
	inner   map[string]*tally // the scopes in it, by owner
	changed time.Time
	out     []*position
}

func newFold(run *store.Run, o *outline, waits []store.WaitRow, emit func(*position)) *fold {
	f := &fold{clock: clock{now: time.Now(), alive: run.FinishedAt == nil}, cancelled: run.State == "cancelled", outline: o, emit: emit}
	if !f.alive {
		f.now = *run.FinishedAt
	}
	for _, w := range waits {
		if w.Kind == "retry" {
			f.retries = append(f.retries, w)
		}
	}
	f.open = []*scope{newScope("", "", 0, o.roots)}
	return f
}

func newScope(prefix, owner string, number int, body []*automation.Step) *scope {
	return &scope{prefix: prefix, owner: owner, number: number, body: body, facts: map[string]*facts{}, inner: map[string]*tally{}}
}

func (f *fold) top() *scope { return f.open[len(f.open)-1] }

// add takes in a row.
func (f *fold) add(t *store.Trace) {
	path := stepPath(t.Path)
	prefix := prefixOf(path)
	for !strings.HasPrefix(prefix, f.top().prefix) {
		f.leave()
	}
	for s := f.top(); s.prefix != prefix; s = f.top() {
		text, id, n := segment(prefix[len(s.prefix):])
		f.open = append(f.open, newScope(s.prefix+text, id, n, f.outline.body(id)))
	}
	s := f.top()
	id := idOf(path)
	if s.facts[id] == nil {
		s.facts[id] = &facts{}
	}
	s.facts[id].learn(t)
	s.changed = later(s.changed, t.Changed)
}

// finish hands out what is left.
func (f *fold) finish() {
	for len(f.open) > 1 {
		f.leave()
	}
	f.settle(f.top())
}

// leave settles the innermost scope and counts it in the one around.
func (f *fold) leave() {
	s := f.top()
	f.open = f.open[:len(f.open)-1]
	v := f.begun(f.settle(s), mode{})
	around := f.top()
	around.changed = later(around.changed, s.changed)
	t := around.inner[s.owner]
	if t == nil {
		t = &tally{}
		around.inner[s.owner] = t
	}
	t.add(s.number, v)
}

// settle hands out the positions of a scope.
func (f *fold) settle(s *scope) verdict {
	v := f.list(s, s.body, mode{})
	for id, x := range s.facts {
		if !x.shown {
			f.strange(s, id, x)
		}
	}
	for _, p := range s.out {
		if !p.reached() {
			p.changed = s.changed
		}
		f.emit(p)
	}
	return v
}

// strange is a position that the document has no place for.
func (f *fold) strange(s *scope, id string, x *facts) {
	p := &position{span: x.span, path: s.prefix + id, id: id, place: f.outline.place(id), step: f.outline.steps[id], rows: x.rows, state: x.state(f.clock)}
	p.ended = x.ended(f.clock, p.state)
	s.out = append(s.out, p)
}

// position makes room for a step of a scope.
func (f *fold) position(s *scope, st *automation.Step, x *facts) *position {
	p := &position{path: s.prefix + st.ID, id: st.ID, place: f.outline.place(st.ID), step: st}
	if x != nil {
		x.shown = true
		p.span, p.rows, p.wait = x.span, x.rows, x.waiting(f.clock)
	}
	s.out = append(s.out, p)
	return p
}

// waiting says what a position waits for, nil for nothing.
func (x *facts) waiting(c clock) *WaitingFor {
	switch {
	case !c.alive:
		return nil
	case x.open != nil:
		return &WaitingFor{For: x.open.Kind, Since: x.open.At, Until: x.open.Until, Path: stepPath(x.open.Path), Key: x.open.Label}
	case x.own != nil && x.own.Kind == "wait" && x.state(c) == stepWaiting:
		return &WaitingFor{For: "timer", Since: x.own.At, Until: x.own.Until, Path: x.own.Path}
	}
	return nil
}

// stars shows the body of a loop that has not begun: it has no positions yet, so * stands for the index.
func (f *fold) stars(s *scope, loop *automation.Step, m mode) {
	inside := newScope(s.prefix+loop.ID+".*.", loop.ID, 0, loop.Steps)
	f.list(inside, loop.Steps, mode{skipped: m.skipped})
	s.out = append(s.out, inside.out...)
}
