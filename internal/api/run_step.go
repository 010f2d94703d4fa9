package api

import (
	"context"
	"sort"

	"pawl/internal/automation"
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

// positions makes the positions of a run and shows each of them to take, in no order.
func (s *server) positions(ctx context.Context, row *store.Run, o *outline, take func(*position)) error {
	waits, err := s.Store.OpenWaits(ctx, row.ID)
	if err != nil {
		return err
	}
	f := newFold(row, o, waits, take)
	if err := s.Store.Traces(ctx, row.ID, f.add); err != nil {
		return err
	}
	f.finish()
	return nil
}

// outlineOfRun reads the document that a run follows.
func (s *server) outlineOfRun(ctx context.Context, row *store.Run) (*outline, error) {
	document, err := s.Store.Document(ctx, row.Digest)
	if err != nil {
		return nil, err
	}
	return outlineOf(document), nil
}

// steps makes the steps of some positions, in their order.
func (s *server) steps(ctx context.Context, row *store.Run, at []*position) ([]Step, error) {
	steps := make([]Step, 0, len(at))
	var paths []string
	for _, p := range at {
		paths = append(paths, p.rows...)
	}
	var rows store.RunRows
	if len(paths) > 0 {
		var err error
		if rows, err = s.Store.StepRows(ctx, row.ID, paths, inlineOutput, inlineTotal); err != nil {
			return nil, err
		}
	}
	keys, err := s.credentialsOf(ctx, rows.Attempts)
	if err != nil {
		return nil, err
	}
	byPath := rowsByPath(&rows)
	for _, p := range at {
		steps = append(steps, byPath[p.path].step(p, keys, rows.Blobs))
	}
	return steps, nil
}

// stepRows are the rows of one position, with the values.
type stepRows struct {
	attempts  []store.AttemptRow
	decisions []store.DecisionRow
}

func rowsByPath(rows *store.RunRows) map[string]*stepRows {
	byPath := map[string]*stepRows{}
	get := func(path string) *stepRows {
		path = stepPath(path)
		if byPath[path] == nil {
			byPath[path] = &stepRows{}
		}
		return byPath[path]
	}
	for _, a := range rows.Attempts {
		r := get(a.Path)
		r.attempts = append(r.attempts, a)
	}
	for _, d := range rows.Decisions {
		r := get(d.Path)
		r.decisions = append(r.decisions, d)
	}
	return byPath
}

// step shows a position; r is nil for one without rows.
func (r *stepRows) step(p *position, keys map[string]credential, blobs map[string]store.Blob) Step {
	s := Step{
		Path: p.path, ID: p.id, Place: p.place, State: p.state, Attempts: []Attempt{}, Input: value(nil, nil, nil), Output: value(nil, nil, nil),
		Waiting: p.wait, StartedAt: instant(p.first), FinishedAt: p.ended,
	}
	if st := p.step; st != nil {
		s.Type, s.Name, s.Action, s.Arm = string(st.Type), st.Name, st.Action, armOf(st)
		if st.Parent != nil {
			s.Inside = st.Parent.ID
		}
	}
	if r != nil {
		r.addDecisions(&s, blobs)
		r.addAttempts(&s, keys, blobs)
	}
	return s
}

// addDecisions shows what a control step decided.
func (r *stepRows) addDecisions(s *Step, blobs map[string]store.Blob) {
	sort.SliceStable(r.decisions, func(i, j int) bool { return r.decisions[i].CreatedAt.Before(r.decisions[j].CreatedAt) })
	for _, d := range r.decisions {
		if e := stepError(d.Error); e != nil {
			s.Error = e
		}
		if d.Label == labelSkipped || stepPath(d.Path) == d.Path {
			s.Label = d.Label
		}
		if d.Count != nil && d.Kind == string(automation.TypeEach) {
			s.Count = d.Count
		}
		if d.Value == nil && d.ValueBlob == nil {
			continue
		}
		if d.Kind == string(automation.TypeTry) { // a try gives nothing: this is the error in its catch
			s.Caught = value(d.Value, d.ValueBlob, blobs)
			continue
		}
		s.Output = value(d.Value, d.ValueBlob, blobs)
	}
}

// addAttempts shows the tries of an action.
func (r *stepRows) addAttempts(s *Step, keys map[string]credential, blobs map[string]store.Blob) {
	for i := range r.attempts {
		a := &r.attempts[i]
		t := attempt(a)
		t.Request, t.Call = sentRequest(a, keys[a.Action]), calledTool(a.Logs)
		s.Attempts = append(s.Attempts, t)
		if s.Action == "" {
			s.Action = a.Action
		}
		if string(s.Input) == "null" {
			s.Input = value(a.Input, a.InputBlob, blobs)
		}
	}
	if n := len(r.attempts); n > 0 {
		last := &r.attempts[n-1]
		s.Error = stepError(last.Error)
		s.Output = value(last.Output, last.OutputBlob, blobs)
	}
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
