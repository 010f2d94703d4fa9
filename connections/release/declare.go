package release

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/internal/fault"
)

// DeclareStore finds the releases behind identities and the stages of plugins.
type DeclareStore interface {
	// ReleaseOf gives the release that an identity is or was bound to in a scope.
	ReleaseOf(ctx context.Context, identity connections.ConnectionIdentity, scope uuid.UUID) (f Freeze, ok bool, err error)
	PluginState(ctx context.Context, id string) (State, error)
	FrozenPlugin(ctx context.Context, id string, v connections.Version) (Freeze, error)
}

// Declared answers from the releases themselves what they declare; it is a connections.Declarations.
type Declared struct{ Store DeclareStore }

var _ connections.Declarations = Declared{}

// SecretKind tells how the key of an account of identity is applied.
func (d Declared) SecretKind(ctx context.Context, project uuid.UUID, identity connections.ConnectionIdentity) (connections.SecretKind, error) {
	m, source, err := d.manifest(ctx, project, identity)
	if err != nil {
		return "", err
	}
	if source == connections.SourcePlugin || m.App == nil {
		return "", fault.New(fault.InvalidInput, "no_account", "%s runs in the sandbox and takes no account: leave it out.", identity)
	}
	if m.App.Auth.Bearer() {
		return connections.BearerSecret, nil
	}
	return connections.HeaderSecret, nil
}

// CheckAction is a not_found fault unless the action is one of a release that is, or was, in production.
func (d Declared) CheckAction(ctx context.Context, project uuid.UUID, action connections.ActionIdentity) error {
	id, err := connections.ParseAction(string(action))
	if err != nil {
		return err
	}
	m, source, err := d.manifest(ctx, project, id.Connection())
	if err != nil {
		return err
	}
	found := m.App != nil && m.App.Action(id.Action) != nil
	if source == connections.SourcePlugin {
		found = m.Tool(id.Action) != nil
	}
	if !found {
		return fault.New(fault.NotFound, "action", "%s has no action %q. See which it has: pawl plugin show %s", id.Connection(), id.Action, id.ID)
	}
	return nil
}

// manifest gives the manifest of the release behind an identity, from the scope of the identity's source.
func (d Declared) manifest(ctx context.Context, project uuid.UUID, identity connections.ConnectionIdentity) (*genisys.Manifest, connections.Source, error) {
	id, err := connections.ParseIdentity(string(identity))
	if err != nil {
		return nil, "", err
	}
	f, ok, err := d.Store.ReleaseOf(ctx, id.Connection(), ScopeOf(id.Source, project))
	if err != nil {
		return nil, "", err
	}
	if !ok || id.Source != connections.SourceDeveloper && id.Source != connections.SourcePlugin {
		return nil, "", fault.New(fault.NotFound, "identity", "%s is not, and never was, in production here. See what is: pawl plugin list", id.Connection())
	}
	p, problems := genisys.Thaw(f.Document)
	if err := problems.Err(); err != nil {
		return nil, "", err
	}
	return &p.Manifest, id.Source, nil
}

// ScopeOf gives the scope in which the bindings of a source stand: the project for imports, else the installation.
func ScopeOf(source connections.Source, project uuid.UUID) uuid.UUID {
	switch source {
	case connections.SourceOpenAPI, connections.SourceMCP, connections.SourcePackage:
		return project
	default:
		return Installation
	}
}

// CheckHost is a not_found fault unless the draft, the preview or the production version of the plugin names the
// host in permissions.hosts.
func (d Declared) CheckHost(ctx context.Context, plugin, host string) error {
	state, err := d.standing(ctx, plugin)
	if err != nil {
		return err
	}
	documents := [][]byte{state.Draft.Document}
	for _, v := range []*connections.Version{state.Preview, state.Production} {
		if v == nil {
			continue
		}
		f, err := d.Store.FrozenPlugin(ctx, plugin, *v)
		if err != nil {
			return err
		}
		documents = append(documents, f.Document)
	}
	if !slices.ContainsFunc(documents, func(doc []byte) bool { return declaresHost(doc, host) }) {
		return fault.New(fault.NotFound, "host", "No stage of %s names the host %q in permissions.hosts. See which it names: pawl plugin show %s", plugin, host, plugin)
	}
	return nil
}

func declaresHost(document []byte, host string) bool {
	p, problems := genisys.Thaw(document)
	return len(problems) == 0 && slices.Contains(p.Manifest.Hosts, host)
}

// CheckPlugin is a not_found fault unless there is such a plugin and it was not removed.
func (d Declared) CheckPlugin(ctx context.Context, plugin string) error {
	_, err := d.standing(ctx, plugin)
	return err
}

func (d Declared) standing(ctx context.Context, plugin string) (State, error) {
	state, err := d.Store.PluginState(ctx, plugin)
	if err == nil && (!state.Exists || state.RemovedAt != nil) {
		err = NoPlugin(plugin)
	}
	return state, err
}
