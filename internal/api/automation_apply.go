package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"pawl/internal/auth"
	"pawl/internal/canon"
	"pawl/internal/fault"
	"pawl/internal/store"
)

// Apply carries several documents that become drafts together.
type Apply struct {
	Items []ApplyItem `json:"items" minItems:"1" maxItems:"500" nullable:"false"`
	// Plan asks what would happen; nothing is written.
	Plan bool `json:"plan,omitempty" doc:"Only say what would change"`
}

// ApplyItem is one of the documents.
type ApplyItem struct {
	Name     string          `json:"name" maxLength:"100" doc:"The automation's handle"`
	Document json.RawMessage `json:"document" doc:"A document pawl-automation@1"`
	Rev      int64           `json:"rev,omitempty" minimum:"0" doc:"The draft_rev that the plan showed; 0 for an automation that is to be made"`
}

// Applied says what was, or would be, done.
type Applied struct {
	Items []AppliedItem `json:"items" nullable:"false"`
}

// AppliedItem is what becomes of one document.
type AppliedItem struct {
	Name        string        `json:"name"`
	Change      string        `json:"change" enum:"create,update,unchanged"`
	Rev         int64         `json:"rev" doc:"The revision that an apply must name, or after an apply the new one"`
	Differences []Difference  `json:"differences" nullable:"false"`
	Problems    []ProblemItem `json:"problems" nullable:"false"`
	Warnings    []ProblemItem `json:"warnings" nullable:"false"`
}

func (s *server) applyAutomations(ctx context.Context, in *struct {
	InProject
	Body Apply
},
) (*struct{ Body Applied }, error) {
	project := projectOf(ctx)
	plan := make([]AppliedItem, len(in.Body.Items))
	var drafts []store.AutomationDraft
	var places []int
	var problems fault.List
	seen := make(map[string]bool)
	for i, item := range in.Body.Items {
		at := canon.Pointer("items", fmt.Sprint(i))
		if seen[item.Name] {
			problems = append(problems, fault.New(fault.InvalidInput, "duplicate", "%q stands in the list twice.", item.Name).At(at+"/name"))
			continue
		}
		seen[item.Name] = true
		planned, err := s.planItem(ctx, project, item)
		if err != nil {
			if problems, err = addProblems(problems, err, at); err != nil {
				return nil, err
			}
			continue
		}
		plan[i] = planned
		if planned.Change != "unchanged" {
			drafts, places = append(drafts, store.AutomationDraft{Name: item.Name, Body: item.Document, Rev: item.Rev}), append(places, i)
		}
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if !in.Body.Plan && len(drafts) > 0 {
		written, err := s.Store.PutDrafts(ctx, project.ID, drafts, auth.CallerOf(ctx).Actor())
		if err != nil {
			return nil, err
		}
		for j, w := range written {
			plan[places[j]].Rev = w.Rev
		}
	}
	return &struct{ Body Applied }{Applied{plan}}, nil
}

// planItem says what a document would change. Text that is no automation is an error.
func (s *server) planItem(ctx context.Context, project store.Project, item ApplyItem) (AppliedItem, error) {
	if err := checkAutomationName(item.Name); err != nil {
		return AppliedItem{}, err
	}
	checked, err := s.Documents.Check(ctx, project.ID, item.Document)
	if err != nil {
		return AppliedItem{}, addPrefix(err, "/document")
	}
	planned := AppliedItem{Name: item.Name, Change: "create", Differences: []Difference{}, Problems: itemsOf(checked.Problems), Warnings: itemsOf(checked.Warnings)}
	a, err := s.Store.AutomationByName(ctx, project.ID, item.Name)
	if fault.Is(err, fault.NotFound) {
		return planned, nil
	}
	if err != nil {
		return AppliedItem{}, err
	}
	planned.Change, planned.Rev = "update", a.DraftRev
	planned.Differences = diffDocuments(a.Draft, item.Document)
	if sameDocument(a.Draft, item.Document) {
		planned.Change = "unchanged"
	}
	return planned, nil
}

func sameDocument(a, b []byte) bool {
	x, err := canon.Canonical(a)
	if err != nil {
		return false
	}
	y, err := canon.Canonical(b)
	return err == nil && bytes.Equal(x, y)
}

// addProblems adds the faults of err with a pointer in front of theirs; an error that is none comes back.
func addProblems(list fault.List, err error, at string) (fault.List, error) {
	err = addPrefix(err, at)
	var several fault.List
	if errors.As(err, &several) {
		return append(list, several...), nil
	}
	var one *fault.Error
	if errors.As(err, &one) && one.Kind != fault.Internal {
		return append(list, one), nil
	}
	return list, err
}

// addPrefix puts a pointer in front of those of the faults of err.
func addPrefix(err error, at string) error {
	var several fault.List
	if errors.As(err, &several) {
		moved := make(fault.List, len(several))
		for i, e := range several {
			moved[i] = prefixed(e, at)
		}
		return moved
	}
	var one *fault.Error
	if errors.As(err, &one) {
		return prefixed(one, at)
	}
	return err
}

func prefixed(e *fault.Error, at string) *fault.Error {
	if e.Where == nil {
		return e.At(at)
	}
	return e.At(at + e.Where.Pointer)
}
