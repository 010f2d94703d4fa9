package release

import (
	"bytes"
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

// Modules tries the modules of plugins.
type Modules interface {
	// Check evaluates a plugin's module where it can do no harm. The fault says why it can't be run, and points at /code.
	Check(ctx context.Context, p *genisys.Plugin) error
}

// Stages is what people and programs do with plugins. Each method is one transaction; what is refused changes
// nothing. by is who does it, as it is shown to people.
type Stages struct {
	Store Store
	// Modules tries the module of a draft: what can't be run is warned of when it is pushed, and refused when it is to be
	// frozen. nil tries none, for those who do neither.
	Modules Modules
}

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
	done, err := s.Store.ChangePlugin(ctx, p.Manifest.ID, by, Push(p, expect))
	if err == nil {
		done.Warnings = append(done.Warnings, s.tried(ctx, p)...)
	}
	return done, err
}

// tried tells as a warning why a module can't be run.
func (s Stages) tried(ctx context.Context, p *genisys.Plugin) fault.List {
	if s.Modules == nil {
		return nil
	}
	if err := s.Modules.Check(ctx, p); err != nil {
		return fault.List{fault.From(err)}
	}
	return nil
}

// PutSettings gives the draft the settings of a pawl-release@1 file; an empty file takes them away. The errors of a
// file are a fault.List of all its problems.
func (s Stages) PutSettings(ctx context.Context, id string, file []byte, expect *int64, by string) (Done, error) {
	return s.Store.ChangePlugin(ctx, id, by, PutSettings(file, expect))
}

// ToPreview freezes the draft as the preview version and serves it in projects; nil leaves the choice as it is. A draft
// whose module can't be run is refused.
func (s Stages) ToPreview(ctx context.Context, id string, projects []uuid.UUID, by string) (Done, error) {
	move := ToPreview(projects, newReleaseID)
	tried, err := s.tryDraft(ctx, id)
	if err != nil {
		return Done{}, err
	}
	return s.Store.ChangePlugin(ctx, id, by, func(st State) (Change, error) {
		change, err := move(st)
		if err == nil && change.Freeze != nil && tried != nil && !bytes.Equal(tried, st.Draft.Digest) {
			return Change{}, staleDraft(&st)
		}
		return change, err
	})
}

// tryDraft tries the module of the draft, outside of any transaction for it may take seconds, and gives the digest of what
// it tried; nil where there is nothing to try, of which the move speaks.
func (s Stages) tryDraft(ctx context.Context, id string) ([]byte, error) {
	if s.Modules == nil {
		return nil, nil
	}
	st, err := s.Store.PluginState(ctx, id)
	if err != nil {
		return nil, err
	}
	p, problems := genisys.Decode(st.Draft.Document)
	if len(problems) > 0 || st.isPreview(p.Manifest.Version) {
		return nil, nil
	}
	if err := s.Modules.Check(ctx, p); err != nil {
		return nil, badModule(id, fault.From(err))
	}
	return st.Draft.Digest, nil
}

// badModule refuses to freeze a draft whose module can't be run. What is the matter with the sandbox itself is passed on.
func badModule(id string, f *fault.Error) error {
	if f.Kind != fault.InvalidInput && f.Kind != fault.TooLarge && f.Kind != fault.Limit {
		return f
	}
	c := fault.New(fault.Conflict, "module", "The draft of %s can't be frozen, for its module can't be run: %s Mend it and push it again.", id, f.Message).With("problem", f.Reason)
	c.Where = f.Where
	return c
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
