package api

import (
	"sort"
	"strings"
	"time"

	"pawl/internal/fault"
	"pawl/internal/store"
)

// The states of a step (docs/api.md).
const (
	stepPending   = "pending"
	stepRunning   = "running"
	stepWaiting   = "waiting"
	stepSucceeded = "succeeded"
	stepFailed    = "failed"
	stepSkipped   = "skipped"
	stepUnknown   = "unknown"
	stepCancelled = "cancelled"
)

// labelSkipped is the label of an if that did not hold.
const labelSkipped = "skipped"

// stepRows are the rows of one position.
type stepRows struct {
	attempts  []store.AttemptRow
	decisions []store.DecisionRow
	waits     []store.WaitRow
}

// stepsOf makes the steps of some positions from their rows, in the order of the positions.
func stepsOf(run *store.Run, at []store.Position, rows store.RunRows, known map[string]stepInfo) []Step {
	byPath := make(map[string]*stepRows, len(at))
	order := make([]string, 0, len(at))
	get := func(path string) *stepRows {
		path = stepPath(path)
		r := byPath[path]
		if r == nil {
			r = &stepRows{}
			byPath[path] = r
			order = append(order, path)
		}
		return r
	}
	for _, p := range at {
		get(p.Path)
	}
	for _, a := range rows.Attempts {
		r := get(a.Path)
		r.attempts = append(r.attempts, a)
	}
	for _, d := range rows.Decisions {
		r := get(d.Path)
		r.decisions = append(r.decisions, d)
	}
	for _, w := range rows.Waits {
		r := get(w.Path)
		r.waits = append(r.waits, w)
	}
	steps := make([]Step, 0, len(order))
	for _, path := range order {
		steps = append(steps, byPath[path].step(run, path, known, rows.Blobs))
	}
	settleContainers(run, steps, known, rows.Open)
	return steps
}

// stepPath is the position that a row belongs to. The walk marks the decisions of one position that are about
// different things with a suffix: ? its if, ! its deadline, & that it has begun, ^ its catch, #n the nth round of its retries.
func stepPath(path string) string {
	if i := strings.IndexAny(path, store.PathMarks); i >= 0 {
		return path[:i]
	}
	return path
}

func idOf(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func (r *stepRows) step(run *store.Run, path string, known map[string]stepInfo, blobs map[string]store.Blob) Step {
	info := known[idOf(path)]
	s := Step{Path: path, ID: idOf(path), Type: info.Type, Name: info.Name, Action: info.Action, Attempts: []Attempt{}, Input: value(nil, nil, nil), Output: value(nil, nil, nil)}
	alive := run.FinishedAt == nil
	r.addDecisions(&s, run, blobs)
	r.addAttempts(&s, alive, blobs)
	r.addWait(&s, run)
	if !alive && run.State == "cancelled" && (s.State == stepRunning || s.State == stepPending || s.State == stepWaiting) {
		s.State = stepCancelled
	}
	s.span(r)
	return s
}

// addDecisions shows what a control step decided.
func (r *stepRows) addDecisions(s *Step, run *store.Run, blobs map[string]store.Blob) {
	sort.SliceStable(r.decisions, func(i, j int) bool { return r.decisions[i].CreatedAt.Before(r.decisions[j].CreatedAt) })
	for _, d := range r.decisions {
		s.State = decided(d, s.State, run)
		if e := stepError(d.Error); e != nil {
			s.Error = e
		}
		if d.Label == labelSkipped || stepPath(d.Path) == d.Path {
			s.Label = d.Label
		}
		if d.Count != nil && d.Kind == "each" {
			s.Count = d.Count
		}
		if d.Value != nil || d.ValueBlob != nil {
			s.Output = value(d.Value, d.ValueBlob, blobs)
		}
	}
}

// decided is the state of a position by one of its decisions. Decisions about a part of a step (its if that held,
// its deadline, a round of its retries) leave the state open.
func decided(d store.DecisionRow, before string, run *store.Run) string {
	switch {
	case d.Error != nil:
		return stepFailed
	case d.Label == labelSkipped:
		return stepSkipped
	case d.Kind == "wait" && d.Instant != nil && run.FinishedAt == nil && d.Instant.After(time.Now()):
		return stepWaiting
	case stepPath(d.Path) != d.Path:
		return before
	case d.Kind == "wait" && d.Instant != nil && run.FinishedAt != nil && d.Instant.After(*run.FinishedAt):
		return stepCancelled // the run ended before the wait did
	}
	return stepSucceeded
}

// addAttempts shows the tries of an action; the latest one decides the state.
func (r *stepRows) addAttempts(s *Step, alive bool, blobs map[string]store.Blob) {
	for i := range r.attempts {
		a := &r.attempts[i]
		s.Attempts = append(s.Attempts, attempt(a))
		if s.Action == "" {
			s.Action = a.Action
		}
		if string(s.Input) == "null" {
			s.Input = value(a.Input, a.InputBlob, blobs)
		}
	}
	if len(r.attempts) == 0 {
		return
	}
	last := &r.attempts[len(r.attempts)-1]
	s.State = attempted(last, alive)
	s.Error = stepError(last.Error)
	s.Output = value(last.Output, last.OutputBlob, blobs)
}

func attempt(a *store.AttemptRow) Attempt {
	t := Attempt{N: a.N, State: a.State, StartedAt: a.ClaimedAt, FinishedAt: a.FinishedAt, Status: a.Status, Error: stepError(a.Error)}
	if a.SettledAs != nil {
		t.Settled = &Settled{As: *a.SettledAs, At: *a.SettledAt}
		if a.SettledBy != nil {
			t.Settled.By = *a.SettledBy
		}
	}
	return t
}

// attempted is the state of a position by its latest attempt.
func attempted(a *store.AttemptRow, alive bool) string {
	failed := a.Error != nil
	switch {
	case a.SettledAs != nil && *a.SettledAs == "succeeded":
		return stepSucceeded
	case a.SettledAs != nil && *a.SettledAs == "failed":
		return stepFailed
	case a.State == "unknown":
		return stepUnknown
	case a.State == "sending":
		return stepRunning
	case failed && fault.FromJSON(*a.Error).Kind == fault.Cancelled:
		return stepCancelled
	case a.State == "answered" && !failed:
		return stepSucceeded
	case alive && (a.State == "lost" || (a.State == "not_sent" && a.SettledAs != nil)):
		return stepPending // the next attempt is on its way
	}
	return stepFailed
}

// addWait shows the open wait of a position, which makes the state waiting unless a person must settle it.
func (r *stepRows) addWait(s *Step, run *store.Run) {
	ended := run.FinishedAt != nil
	for _, w := range r.waits {
		if w.Kind == "timer" && w.DoneAt != nil && w.Until != nil && w.DoneAt.Before(*w.Until) {
			s.State = stepCancelled // the walk left it
		}
		if w.DoneAt != nil || ended {
			continue
		}
		s.Waiting = &WaitingFor{For: w.Kind, Since: w.Since, Until: w.Until, Path: s.Path, Key: w.Key}
		if s.State != stepUnknown {
			s.State = stepWaiting
		}
	}
	if s.State == "" {
		s.State = stepRunning
		if ended {
			s.State = stepSucceeded
		}
	}
}

// span sets when the step began and ended.
func (s *Step) span(r *stepRows) {
	first := func(t time.Time) {
		if s.StartedAt == nil || t.Before(*s.StartedAt) {
			s.StartedAt = &t
		}
	}
	last := func(t *time.Time) {
		if t != nil && (s.FinishedAt == nil || t.After(*s.FinishedAt)) {
			s.FinishedAt = t
		}
	}
	for i := range r.attempts {
		first(r.attempts[i].ClaimedAt)
		last(r.attempts[i].FinishedAt)
	}
	for i := range r.decisions {
		first(r.decisions[i].CreatedAt)
		last(&r.decisions[i].CreatedAt)
		if r.decisions[i].Kind == "wait" {
			last(r.decisions[i].Instant)
		}
	}
	for i := range r.waits {
		first(r.waits[i].Since)
		last(r.waits[i].DoneAt)
	}
	if s.State == stepRunning || s.State == stepWaiting || s.State == stepPending || s.State == stepUnknown {
		s.FinishedAt = nil
	}
}
