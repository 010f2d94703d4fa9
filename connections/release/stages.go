package release

import (
	"context"
	"time"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/internal/fault"
)

// Store keeps plugins, their frozen versions and their bindings.
type Store interface {
	// ChangePlugin runs move on the state of the plugin, under the lock of its row, and does what it decided in
	// the same transaction.
	ChangePlugin(ctx context.Context, id, by string, move Move) (Done, error)
	// ChangePlugins is ChangePlugin for several plugins in one transaction: where one move refuses, nothing changes. What
	// it gives is in the order of changes.
	ChangePlugins(ctx context.Context, by string, changes []Named) ([]Done, error)
	PluginState(ctx context.Context, id string) (State, error)
	// ListPlugins gives plugins that were not removed by id, after an id.
	ListPlugins(ctx context.Context, after string, limit int) ([]Plugin, error)
	// FrozenPlugin gives one frozen version with its bytes, else a not_found fault.
	FrozenPlugin(ctx context.Context, id string, v connections.Version) (Freeze, error)
	// ExpiredPlugins gives plugins with a binding that is past the date until which it was kept.
	ExpiredPlugins(ctx context.Context, limit int) ([]string, error)
	// KeptVersions gives, by plugin, the versions that are routed beside the production one until a date.
	KeptVersions(ctx context.Context, ids []string) (map[string][]Kept, error)
}

// Kept is an older version that stays routed beside the production one until a date.
type Kept struct {
	Version connections.Version
	Until   time.Time
}

// Stages is what people and programs do with plugins. Each method is one transaction; what is refused changes
// nothing. by is who does it, as it is shown to people.
type Stages struct{ Store Store }

// Push validates a plugin file and makes it the draft. id is the plugin that the caller means, empty for the one
// that the file names; expect is the revision of the draft that the caller saw, nil for any. The errors of a file
// are a fault.List of all its problems.
func (s Stages) Push(ctx context.Context, id string, file []byte, expect *int64, by string) (Done, error) {
	p, problems := genisys.Decode(file)
	if err := problems.Err(); err != nil {
		return Done{}, err
	}
	if id != "" && id != p.Manifest.ID {
		return Done{}, fault.New(fault.InvalidInput, "plugin_id", "The file is of the plugin %q, not %q.", p.Manifest.ID, id).At("/manifest/id")
	}
	return s.Store.ChangePlugin(ctx, p.Manifest.ID, by, Push(p, expect))
}

// PutSettings gives the draft the settings of a pawl-release@1 file; an empty file takes them away. The errors of a
// file are a fault.List of all its problems.
func (s Stages) PutSettings(ctx context.Context, id string, file []byte, expect *int64, by string) (Done, error) {
	return s.Store.ChangePlugin(ctx, id, by, PutSettings(file, expect))
}

// ToPreview freezes the draft as the preview version and serves it in projects; nil leaves the choice as it is.
func (s Stages) ToPreview(ctx context.Context, id string, projects []uuid.UUID, by string) (Done, error) {
	return s.Store.ChangePlugin(ctx, id, by, ToPreview(projects, newReleaseID))
}

func newReleaseID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// ToProduction makes the preview version the production version. keep is the instant until which the version
// before stays routed beside it, nil for not at all.
func (s Stages) ToProduction(ctx context.Context, id string, keep *time.Time, by string) (Done, error) {
	return s.Store.ChangePlugin(ctx, id, by, ToProduction(keep))
}

// Rollback points production at an earlier frozen version.
func (s Stages) Rollback(ctx context.Context, id string, to connections.Version, by string) (Done, error) {
	return s.Store.ChangePlugin(ctx, id, by, Rollback(to))
}

// Disable withdraws every routed version until Enable.
func (s Stages) Disable(ctx context.Context, id, by string) (Done, error) {
	return s.Store.ChangePlugin(ctx, id, by, Disable())
}

// Enable restores what Disable withdrew.
func (s Stages) Enable(ctx context.Context, id, by string) (Done, error) {
	return s.Store.ChangePlugin(ctx, id, by, Enable())
}

// Remove withdraws the plugin from all stages; frozen versions, accounts and keys stay.
func (s Stages) Remove(ctx context.Context, id, by string) (Done, error) {
	return s.Store.ChangePlugin(ctx, id, by, Remove())
}

// ExpireKept writes down for at most limit plugins that older versions are past the date until which they were
// kept, and says for how many. It only makes the record; calls have been refused since the date.
func (s Stages) ExpireKept(ctx context.Context, limit int, by string) (int, error) {
	ids, err := s.Store.ExpiredPlugins(ctx, limit)
	if err != nil {
		return 0, err
	}
	for i, id := range ids {
		if _, err := s.Store.ChangePlugin(ctx, id, by, Expire()); err != nil {
			return i, err
		}
	}
	return len(ids), nil
}
