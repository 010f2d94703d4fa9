package release

import (
	"context"
	"time"

	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/internal/fault"
)

// Listed is a plugin in a list, with what its draft says of it.
type Listed struct {
	Plugin
	Name         string
	Description  string
	DraftVersion connections.Version
	App          bool
	Logo         string // as in genisys.App; empty for none
	Kept         []Kept
}

// List gives the plugins that were not removed by id, after an id, at most limit.
func (s Stages) List(ctx context.Context, after string, limit int) ([]Listed, error) {
	plugins, err := s.Store.ListPlugins(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(plugins))
	for i := range plugins {
		ids[i] = plugins[i].ID
	}
	kept, err := s.Store.KeptVersions(ctx, ids)
	if err != nil {
		return nil, err
	}
	list := make([]Listed, len(plugins))
	for i := range plugins {
		list[i] = listed(plugins[i])
		list[i].Kept = kept[plugins[i].ID]
	}
	return list, nil
}

func listed(p Plugin) Listed {
	l := Listed{Plugin: p}
	d, problems := genisys.Thaw(p.Draft.Document)
	if len(problems) > 0 {
		return l
	}
	m := d.Manifest
	l.Name, l.Description, l.DraftVersion = m.Name, m.Description, m.Version
	if m.App != nil {
		l.App, l.Logo = true, m.App.Logo
	}
	return l
}

// Show gives all that is known of one plugin, removed or not.
func (s Stages) Show(ctx context.Context, id string) (State, error) {
	state, err := s.Store.PluginState(ctx, id)
	if err == nil && !state.Exists {
		return state, NoPlugin(id)
	}
	return state, err
}

// Event is one move in the history of a plugin.
type Event struct {
	ID     int64
	At     time.Time
	By     string
	Verb   string // plugin.push, plugin.settings, plugin.preview, plugin.promote, plugin.rollback, …
	Detail string // JSON: versions, digest, dates
}

// HistoryStore reads the moves of a plugin.
type HistoryStore interface {
	PluginHistory(ctx context.Context, id string, before int64, limit int) ([]Event, error)
}

// History gives the moves of a plugin, the newest first, before an event (0 for the newest), at most limit.
func (s Stages) History(ctx context.Context, log HistoryStore, id string, before int64, limit int) ([]Event, error) {
	if _, err := s.Show(ctx, id); err != nil {
		return nil, err
	}
	return log.PluginHistory(ctx, id, before, limit)
}

// choose gives the version that a name of a stage or of a version means, nil for the draft.
func (s *State) choose(which string) (*connections.Version, error) {
	var v *connections.Version
	switch which {
	case "":
		if s.Production != nil {
			return s.Production, nil
		}
		return s.Preview, nil
	case "draft":
		return nil, nil
	case "preview":
		v = s.Preview
	case "production":
		v = s.Production
	default:
		version, err := connections.ParseVersion(which)
		return &version, err
	}
	if v == nil {
		return nil, fault.New(fault.NotFound, "stage", "%s has no %s version. See what it has: pawl plugin show %s", s.ID, which, s.ID)
	}
	return v, nil
}
