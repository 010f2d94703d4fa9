package release

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/internal/fault"
)

// PushWhole makes a plugin and its settings the draft, both at once; without settings the draft has none. expect is as
// for Push.
func PushWhole(b Bundled, expect *int64) Move {
	return func(s State) (Change, error) {
		return s.draft("plugin.push", b.Plugin.Canonical(), b.Settings.Canonical(), b.Plugin.Manifest.Version, expect)
	}
}

// Imported says what became, or would become, of one plugin of a bundle.
type Imported struct {
	ID      string
	Version connections.Version
	Digest  []byte
	// Change is create, update, or unchanged.
	Change string
	// Rev is the revision of the draft: with a plan the one that is there now, 0 for none.
	Rev int64
}

// PlanImport says what importing a bundle would do; nothing is written. The errors of a file are a fault.List of all its
// problems.
func (s Stages) PlanImport(ctx context.Context, file []byte) ([]Imported, error) {
	b, problems := DecodeBundle(file)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	plan := make([]Imported, len(b))
	for i, one := range b {
		state, err := s.Store.PluginState(ctx, one.Plugin.Manifest.ID)
		if err != nil {
			return nil, err
		}
		c, err := PushWhole(one, nil)(state)
		if err != nil {
			return nil, err
		}
		plan[i] = imported(one, &state.Plugin, state.Exists && state.RemovedAt == nil, c.Verb != "")
	}
	return plan, nil
}

// Import makes every plugin of a bundle a draft, all in one transaction: what is refused of one changes none. revs are
// the revisions that the caller saw, by plugin; one that is not in it must not be there yet.
func (s Stages) Import(ctx context.Context, file []byte, revs map[string]int64, by string) ([]Imported, error) {
	b, problems := DecodeBundle(file)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	existed := make(map[string]bool, len(b))
	changes := make([]Named, len(b))
	for i, one := range b {
		id, rev := one.Plugin.Manifest.ID, revs[one.Plugin.Manifest.ID]
		changes[i] = Named{id, func(s State) (Change, error) {
			existed[id] = s.Exists && s.RemovedAt == nil
			return PushWhole(one, &rev)(s)
		}}
	}
	done, err := s.Store.ChangePlugins(ctx, by, changes)
	if err != nil {
		return nil, err
	}
	all := make([]Imported, len(b))
	for i, one := range b {
		all[i] = imported(one, &done[i].Plugin, existed[one.Plugin.Manifest.ID], done[i].Changed)
	}
	return all, nil
}

func imported(b Bundled, p *Plugin, existed, changed bool) Imported {
	m := &b.Plugin.Manifest
	i := Imported{ID: m.ID, Version: m.Version, Digest: b.Digest(), Change: "create", Rev: p.Draft.Rev}
	switch {
	case !changed:
		i.Change = "unchanged"
	case existed:
		i.Change = "update"
	}
	return i
}

// Export gives the file of a stage ("draft", "preview", "production") or of a frozen version ("1.2.0"); empty means
// the most released one there is. Pushing it again gives the same content.
func (s Stages) Export(ctx context.Context, id, which string) ([]byte, error) {
	one, err := s.chosen(ctx, id, which)
	if err != nil {
		return nil, err
	}
	return one.Plugin.Encode()
}

// ExportSettings gives the settings of a stage or of a frozen version, as for Export; a not_found fault where it has
// none.
func (s Stages) ExportSettings(ctx context.Context, id, which string) ([]byte, error) {
	one, err := s.chosen(ctx, id, which)
	if err != nil {
		return nil, err
	}
	if one.Settings == nil {
		return nil, fault.New(fault.NotFound, "settings", "%s %s has no release settings.", id, one.Plugin.Manifest.Version)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, one.Settings.canonical, "", "  "); err != nil {
		return nil, fmt.Errorf("write the settings of %s: %w", id, err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// ExportBundle gives a bundle of plugins with their settings, each in the stage or version that which means, by id.
// Importing it elsewhere gives drafts with the same digests.
func (s Stages) ExportBundle(ctx context.Context, ids []string, which string) ([]byte, error) {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	var b Bundle
	for _, id := range slices.Compact(ids) {
		one, err := s.chosen(ctx, id, which)
		if err != nil {
			return nil, err
		}
		b = append(b, one)
	}
	if len(b) == 0 || len(b) > MaxBundled {
		return nil, fault.New(fault.InvalidInput, "count", "A bundle has 1 to %d plugins, and %d are named.", MaxBundled, len(b))
	}
	return b.Encode()
}

func (s Stages) chosen(ctx context.Context, id, which string) (Bundled, error) {
	state, err := s.Show(ctx, id)
	if err != nil {
		return Bundled{}, err
	}
	v, err := state.choose(which)
	if err != nil {
		return Bundled{}, err
	}
	document, sidecar := state.Draft.Document, state.Draft.Settings
	if v != nil {
		f, err := s.Store.FrozenPlugin(ctx, id, *v)
		if err != nil {
			return Bundled{}, err
		}
		document, sidecar = f.Document, f.Settings
	}
	p, problems := genisys.Thaw(document)
	if err := problems.Err(); err != nil {
		return Bundled{}, err
	}
	settings, err := DecodeSettings(sidecar)
	return Bundled{p, settings}, err
}
