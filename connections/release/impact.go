package release

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/internal/canon"
)

// Step is a step of a document that names an identity.
type Step struct {
	ID     string
	Action connections.ActionIdentity
}

// AffectedAutomation is an automation of which a published version or the draft names an affected identity.
type AffectedAutomation struct {
	ID        uuid.UUID
	ProjectID uuid.UUID
	Project   string
	Name      string
	Version   int // the published version; 0 for the draft
	Steps     []Step
	Schedules []string // ids of its schedule triggers, for the published version
}

// AffectedAccount is an account of an affected identity.
type AffectedAccount struct {
	ID        uuid.UUID
	ProjectID uuid.UUID
	Project   string
	Identity  connections.ConnectionIdentity
	Name      string
}

// AffectedRun is a run that has not ended and whose document names an affected identity.
type AffectedRun struct {
	ID           uuid.UUID
	ProjectID    uuid.UUID
	AutomationID uuid.UUID
	Automation   string
	State        string
}

// Uses is who uses some identities. Each list has at most MaxAffected entries; the counts are whole.
type Uses struct {
	Automations  []AffectedAutomation
	Accounts     []AffectedAccount
	Runs         []AffectedRun
	AccountCount int
	RunCount     int
	OnTheWire    []OnWire
}

// Impact is what a move would change, and whom it would touch.
type Impact struct {
	Published []connections.ConnectionIdentity
	Withdrawn []connections.ConnectionIdentity
	// Uses are those of the withdrawn identities.
	Uses
}

// UseStore finds who uses identities.
type UseStore interface {
	UsesOf(ctx context.Context, identities []connections.ConnectionIdentity) (Uses, error)
}

// Impact tries a move without doing it. A move that would be refused is refused here too.
func (s Stages) Impact(ctx context.Context, uses UseStore, id string, move Move) (Impact, error) {
	state, err := s.Store.PluginState(ctx, id)
	if err != nil {
		return Impact{}, err
	}
	c, err := move(state)
	if err != nil {
		return Impact{}, err
	}
	var i Impact
	i.Published, i.Withdrawn = c.Routing(state.Bindings)
	if len(i.Withdrawn) > 0 {
		i.Uses, err = uses.UsesOf(ctx, i.Withdrawn)
	}
	return i, err
}

// StepsNaming finds the action steps of an automation document that name one of the identities, in document order.
// A document that can't be read, such as an unfinished draft, has none.
func StepsNaming(document []byte, identities []connections.ConnectionIdentity) []Step {
	top, problems := canon.Parse(document, canon.Limits{})
	if len(problems) > 0 {
		return nil
	}
	var steps []Step
	walkSteps(top, func(v *canon.Value) {
		action := connections.ActionIdentity(textOf(v, "action"))
		if slices.Contains(identities, action.Connection()) {
			steps = append(steps, Step{textOf(v, "id"), action})
		}
	})
	return steps
}

// walkSteps visits every object that has an action, in containers of any kind. What a step gives to its action is
// data and not looked into.
func walkSteps(v *canon.Value, visit func(*canon.Value)) {
	switch v.Kind() {
	case canon.List:
		for i := range v.Len() {
			walkSteps(v.At(i), visit)
		}
	case canon.Object:
		if v.Member("action").Kind() == canon.Text {
			visit(v)
		}
		for i := range v.Len() {
			if m := v.At(i); !isData(m.Name()) {
				walkSteps(m, visit)
			}
		}
	default: // contains nothing
	}
}

func isData(member string) bool {
	return slices.Contains([]string{"input", "inputs", "output", "value", "values", "items"}, member)
}

// textOf gives a member that is a text, else nothing.
func textOf(v *canon.Value, member string) string {
	m := v.Member(member)
	if m.Kind() != canon.Text {
		return ""
	}
	return m.Text()
}

// SchedulesOf gives the ids of the schedule triggers of an automation document.
func SchedulesOf(document []byte) []string {
	top, problems := canon.Parse(document, canon.Limits{})
	if len(problems) > 0 {
		return nil
	}
	triggers := top.Member("triggers")
	if triggers.Kind() != canon.List {
		return nil
	}
	var ids []string
	for i := range triggers.Len() {
		if t := triggers.At(i); textOf(t, "type") == "schedule" {
			ids = append(ids, textOf(t, "id"))
		}
	}
	return ids
}
