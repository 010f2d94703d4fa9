package api

import (
	"context"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/connections/release"
	"pawl/internal/auth"
)

// Impact is what a move would change, and whom it would touch. The counts are whole; the lists are cut.
type Impact struct {
	Published    []connections.ConnectionIdentity `json:"published" nullable:"false"`
	Withdrawn    []connections.ConnectionIdentity `json:"withdrawn" nullable:"false"`
	Automations  []AffectedAutomation             `json:"automations" nullable:"false"`
	Accounts     []AffectedAccount                `json:"accounts" nullable:"false"`
	AccountCount int                              `json:"account_count"`
	Runs         []AffectedRun                    `json:"runs" nullable:"false" doc:"Runs that have not ended"`
	RunCount     int                              `json:"run_count"`
	OnTheWire    []WireInfo                       `json:"on_the_wire" nullable:"false"`
}

// AffectedAutomation is an automation that names an identity which is to be withdrawn.
type AffectedAutomation struct {
	Project   string         `json:"project"`
	Name      string         `json:"name"`
	Version   int            `json:"version" doc:"0 for the draft"`
	Steps     []AffectedStep `json:"steps" nullable:"false"`
	Schedules []string       `json:"schedules" nullable:"false" doc:"The ids of its schedule triggers"`
}

// AffectedStep is a step that names it.
type AffectedStep struct {
	ID     string                     `json:"id"`
	Action connections.ActionIdentity `json:"action"`
}

// AffectedAccount is an account of an identity which is to be withdrawn. It is kept.
type AffectedAccount struct {
	Project  string                         `json:"project"`
	Identity connections.ConnectionIdentity `json:"identity"`
	Name     string                         `json:"name"`
}

// AffectedRun is a run that has not ended.
type AffectedRun struct {
	ID         uuid.UUID `json:"id"`
	Automation string    `json:"automation"`
	State      string    `json:"state"`
}

func (s *server) pluginImpact(ctx context.Context, in *struct {
	InPlugin
	Move string `query:"move" enum:"promote,rollback,disable,enable,remove" doc:"What is asked about. Without: rollback when to is given, else the promotion to production, and where there is nothing to promote disabling: who depends on it"`
	To   string `query:"to" maxLength:"40" doc:"rollback: the version"`
},
) (*struct{ Body Impact }, error) {
	state, err := s.Plugins.Show(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	move, err := moveOf(&state, in.Move, in.To)
	if err != nil {
		return nil, err
	}
	i, err := s.Plugins.Impact(ctx, s.Store, in.ID, move)
	if err != nil {
		return nil, err
	}
	return &struct{ Body Impact }{impactFor(auth.CallerOf(ctx), i)}, nil
}

func moveOf(state *release.State, name, to string) (release.Move, error) {
	if name == "" {
		name = usualMove(state, to)
	}
	switch name {
	case "rollback":
		v, err := connections.ParseVersion(to)
		return release.Rollback(v), err
	case "disable":
		return release.Disable(), nil
	case "enable":
		return release.Enable(), nil
	case "remove":
		return release.Remove(), nil
	}
	return release.ToProduction(nil), nil
}

func usualMove(state *release.State, to string) string {
	switch {
	case to != "":
		return "rollback"
	case state.Production != nil && (state.Preview == nil || *state.Preview == *state.Production):
		return "disable"
	}
	return "promote"
}

// impactFor names what lies in projects that the caller may see; the counts include the rest.
func impactFor(c *auth.Caller, i release.Impact) Impact {
	out := Impact{
		Published: identities(i.Published), Withdrawn: identities(i.Withdrawn), AccountCount: i.AccountCount, RunCount: i.RunCount,
		Automations: []AffectedAutomation{}, Accounts: []AffectedAccount{}, Runs: []AffectedRun{}, OnTheWire: wireInfos(i.OnTheWire),
	}
	for _, a := range i.Automations {
		if !c.InProject(a.ProjectID) {
			continue
		}
		item := AffectedAutomation{a.Project, a.Name, a.Version, []AffectedStep{}, append([]string{}, a.Schedules...)}
		for _, step := range a.Steps {
			item.Steps = append(item.Steps, AffectedStep(step))
		}
		out.Automations = append(out.Automations, item)
	}
	for _, a := range i.Accounts {
		if c.InProject(a.ProjectID) {
			out.Accounts = append(out.Accounts, AffectedAccount{a.Project, a.Identity, a.Name})
		}
	}
	for _, r := range i.Runs {
		if c.InProject(r.ProjectID) {
			out.Runs = append(out.Runs, AffectedRun{r.ID, r.Automation, r.State})
		}
	}
	return out
}
