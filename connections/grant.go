package connections

import (
	"context"
	"regexp"
	"time"

	"github.com/google/uuid"

	"pawl/internal/fault"
)

// GrantKind is what a standing grant allows. A closed set.
type GrantKind string

// The kinds of grants.
const (
	GrantAction GrantKind = "action" // automations may call an action above read
	GrantHost   GrantKind = "host"   // a plugin's module may fetch from a host
	GrantAgents GrantKind = "agents" // agents may call a plugin's tools
)

// GrantTarget is what is granted: Action for an action, Plugin and Host for a host, Plugin for agents.
type GrantTarget struct {
	Kind   GrantKind
	Action ActionIdentity
	Plugin string
	Host   string
}

// Grant is a project's standing permission.
type Grant struct {
	ID        uuid.UUID
	ProjectID uuid.UUID
	GrantTarget
	CreatedAt time.Time
	CreatedBy string
}

// GrantStore keeps grants. Each change is one transaction with its audit row.
type GrantStore interface {
	// AddGrant makes the grant or gives the one that stands already.
	AddGrant(ctx context.Context, project uuid.UUID, target GrantTarget, by string) (Grant, error)
	// ListGrants gives the standing grants of a project in the order in which they were made, after an id (the
	// nil UUID for the first).
	ListGrants(ctx context.Context, project, after uuid.UUID, limit int) ([]Grant, error)
	// RevokeGrant ends the grant; a not_found fault if none stands.
	RevokeGrant(ctx context.Context, project uuid.UUID, target GrantTarget, by string) (Grant, error)
}

// Grants adds, lists and removes standing grants.
type Grants struct {
	Store        GrantStore
	Declarations Declarations
}

// Add grants what is really declared: an action of a release that is or was in production, a host that the plugin
// names in permissions.hosts, a plugin that exists. Adding twice changes nothing.
func (g Grants) Add(ctx context.Context, project uuid.UUID, target GrantTarget, by string) (Grant, error) {
	if err := target.check(); err != nil {
		return Grant{}, err
	}
	if err := g.declared(ctx, project, target); err != nil {
		return Grant{}, err
	}
	return g.Store.AddGrant(ctx, project, target, by)
}

func (g Grants) declared(ctx context.Context, project uuid.UUID, target GrantTarget) error {
	switch target.Kind {
	case GrantAction:
		return g.Declarations.CheckAction(ctx, project, target.Action)
	case GrantHost:
		return g.Declarations.CheckHost(ctx, target.Plugin, target.Host)
	default:
		return g.Declarations.CheckPlugin(ctx, target.Plugin)
	}
}

// List gives the standing grants of a project in the order in which they were made.
func (g Grants) List(ctx context.Context, project, after uuid.UUID, limit int) ([]Grant, error) {
	return g.Store.ListGrants(ctx, project, after, limit)
}

// Remove ends a grant. Every call that was not claimed before fails with permission_required.
func (g Grants) Remove(ctx context.Context, project uuid.UUID, target GrantTarget, by string) (Grant, error) {
	if err := target.check(); err != nil {
		return Grant{}, err
	}
	return g.Store.RevokeGrant(ctx, project, target, by)
}

var pluginID = regexp.MustCompile(`^[a-z][a-z0-9-]{1,40}$`)

// check holds the shape of a target, as the constraint standing_grant_shape has it.
func (t GrantTarget) check() error {
	switch t.Kind {
	case GrantAction:
		if t.Plugin != "" || t.Host != "" {
			return badGrant("A grant of an action names the action alone.")
		}
		_, err := ParseAction(string(t.Action))
		return err
	case GrantHost:
		if t.Action != "" || t.Host == "" {
			return badGrant("A grant of a host names the plugin and the host: --plugin ID --host HOST")
		}
	case GrantAgents:
		if t.Action != "" || t.Host != "" {
			return badGrant("A grant to agents names the plugin alone: --agents plugin:ID")
		}
	default:
		return badGrant("A grant is for an action, a host or agents.")
	}
	if !pluginID.MatchString(t.Plugin) {
		return badGrant("A plugin's id starts with a lower-case letter and goes on with 1 to 40 lower-case letters, digits and hyphens.")
	}
	return nil
}

func badGrant(sentence string) error { return fault.New(fault.InvalidInput, "grant", "%s", sentence) }

// NoGrant is the not_found fault for a grant that does not stand.
func NoGrant() *fault.Error {
	return fault.New(fault.NotFound, "grant", "There is no such grant. See which there are: pawl grant list")
}
