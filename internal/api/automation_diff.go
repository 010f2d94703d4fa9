package api

import (
	"context"
	"strconv"

	"pawl/internal/fault"
	"pawl/internal/store"
)

// Diff is how two states of an automation differ.
type Diff struct {
	From        string       `json:"from" doc:"draft, or a version's number"`
	To          string       `json:"to"`
	Differences []Difference `json:"differences" nullable:"false"`
}

func (s *server) diffAutomation(ctx context.Context, in *struct {
	InAutomation
	From string `query:"from" maxLength:"20" default:"live" doc:"live, draft, or a version's number"`
	To   string `query:"to" maxLength:"20" default:"draft" doc:"live, draft, or a version's number"`
},
) (*struct{ Body Diff }, error) {
	a, err := s.Store.AutomationByName(ctx, projectOf(ctx).ID, in.Name)
	if err != nil {
		return nil, err
	}
	from, before, err := s.stateOf(ctx, &a, in.From)
	if err != nil {
		return nil, err
	}
	to, after, err := s.stateOf(ctx, &a, in.To)
	if err != nil {
		return nil, err
	}
	return &struct{ Body Diff }{Diff{from, to, diffDocuments(before, after)}}, nil
}

// stateOf gives the document of a state and the state's name.
func (s *server) stateOf(ctx context.Context, a *store.Automation, which string) (string, []byte, error) {
	if which == "draft" {
		return which, a.Draft, nil
	}
	n, err := strconv.Atoi(which)
	if which == "live" {
		if a.LiveVersion == nil {
			return "", nil, fault.New(fault.NotFound, "version", "%q was never published, so there is nothing live. Publish it: pawl automation publish %s", a.Name, a.Name)
		}
		n, err = *a.LiveVersion, nil
	}
	if err != nil {
		return "", nil, fault.New(fault.InvalidInput, "version", "%q is none of live, draft, or the number of a version.", which)
	}
	_, body, err := s.Store.AutomationVersion(ctx, a.ID, n)
	return strconv.Itoa(n), body, err
}
