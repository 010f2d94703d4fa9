package api

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/connections/release"
)

// InPlugin is the part of an input that names a plugin.
type InPlugin struct {
	ID string `path:"id" maxLength:"64" doc:"The plugin's id"`
}

// PluginHead is a plugin as lists show it.
type PluginHead struct {
	ID          string    `json:"id"`
	Name        string    `json:"name" doc:"From the draft, as are description and app"`
	Description string    `json:"description"`
	App         bool      `json:"app" doc:"Whether it has an app connection"`
	Draft       *Stage    `json:"draft"`
	Preview     *Stage    `json:"preview"`
	Production  *Stage    `json:"production"`
	Enabled     bool      `json:"enabled"`
	UpdatedAt   time.Time `json:"updated_at"`
	UpdatedBy   string    `json:"updated_by"`
}

// PluginItem is a plugin in a list.
type PluginItem struct {
	PluginHead
	Logo string        `json:"logo" doc:"From the draft: a PNG as a data URL, or empty"`
	Kept []KeptVersion `json:"kept" nullable:"false" doc:"The versions that are routed beside the production one until a date, ascending"`
}

// KeptVersion is an older version that is still routed.
type KeptVersion struct {
	Version string    `json:"version"`
	Until   time.Time `json:"until"`
}

// Stage is what a plugin has in one of its stages; null where it has nothing.
type Stage struct {
	Version string `json:"version"`
	Digest  string `json:"digest,omitempty" doc:"SHA-256 over the canonical form of document and settings"`
	Rev     int64  `json:"rev,omitempty" doc:"Of the draft; its ETag is this number in double quotes"`
}

// PluginInfo is all that is known of a plugin.
type PluginInfo struct {
	PluginHead
	RemovedAt       *time.Time      `json:"removed_at,omitempty"`
	PreviewProjects []string        `json:"preview_projects" nullable:"false" doc:"The projects that the preview version is served in"`
	Releases        []ReleaseInfo   `json:"releases" nullable:"false" doc:"The frozen versions, ascending"`
	Bindings        []BindingInfo   `json:"bindings" nullable:"false" doc:"What is routed, and what no longer is"`
	Document        json.RawMessage `json:"document" doc:"The draft, a genisys-plugin@1 file"`
	Settings        json.RawMessage `json:"settings" doc:"The draft's pawl-release@1 settings; null for none"`
}

// ReleaseInfo is a frozen version.
type ReleaseInfo struct {
	Version  string    `json:"version"`
	Digest   string    `json:"digest"`
	App      bool      `json:"app" doc:"Whether it has an app connection"`
	Tools    bool      `json:"tools" doc:"Whether it has sandbox tools"`
	FrozenAt time.Time `json:"frozen_at"`
	FrozenBy string    `json:"frozen_by"`
}

// BindingInfo is the routing fact of one connection identity.
type BindingInfo struct {
	Identity  string     `json:"identity"`
	State     string     `json:"state" enum:"active,withdrawn"`
	Routable  bool       `json:"routable" doc:"Whether calls are routed now"`
	Reason    string     `json:"reason"`
	ChangedAt time.Time  `json:"changed_at"`
	ChangedBy string     `json:"changed_by"`
	KeptUntil *time.Time `json:"kept_until,omitempty"`
}

func (s *server) listPlugins(ctx context.Context, in *Paging) (*struct{ Body List[PluginItem] }, error) {
	after, err := in.text()
	if err != nil {
		return nil, err
	}
	list, err := s.Plugins.List(ctx, after, in.Limit+1)
	if err != nil {
		return nil, err
	}
	list, next := cut(list, in.Limit, func(l release.Listed) string { return l.ID })
	items := make([]PluginItem, 0, len(list))
	for i := range list {
		items = append(items, pluginItem(&list[i]))
	}
	return newList(items, next), nil
}

func pluginItem(l *release.Listed) PluginItem {
	item := PluginItem{pluginHead(&l.Plugin, l.Name, l.Description, l.DraftVersion.String(), l.App), l.Logo, []KeptVersion{}}
	for _, k := range l.Kept {
		item.Kept = append(item.Kept, KeptVersion{k.Version.String(), k.Until})
	}
	return item
}

func pluginHead(p *release.Plugin, name, description, draft string, app bool) PluginHead {
	h := PluginHead{ID: p.ID, Name: name, Description: description, App: app, Enabled: p.Enabled, UpdatedAt: p.UpdatedAt, UpdatedBy: p.UpdatedBy}
	if p.Draft.Rev > 0 {
		h.Draft = &Stage{Version: draft, Digest: hex.EncodeToString(p.Draft.Digest), Rev: p.Draft.Rev}
	}
	if p.Preview != nil {
		h.Preview = &Stage{Version: p.Preview.String()}
	}
	if p.Production != nil {
		h.Production = &Stage{Version: p.Production.String()}
	}
	return h
}

type pluginOutput struct {
	ETag string `header:"ETag"`
	Body PluginInfo
}

func (s *server) showPlugin(ctx context.Context, in *InPlugin) (*pluginOutput, error) {
	state, err := s.Plugins.Show(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	info, err := s.pluginInfo(ctx, &state)
	if err != nil {
		return nil, err
	}
	return &pluginOutput{etag(state.Draft.Rev), info}, nil
}

func (s *server) pluginInfo(ctx context.Context, state *release.State) (PluginInfo, error) {
	var m genisys.Manifest
	if p, problems := genisys.Thaw(state.Draft.Document); len(problems) == 0 {
		m = p.Manifest
	}
	info := PluginInfo{
		PluginHead: pluginHead(&state.Plugin, m.Name, m.Description, m.Version.String(), m.App != nil), RemovedAt: state.RemovedAt,
		Releases: []ReleaseInfo{}, Bindings: []BindingInfo{}, Document: orNull(state.Draft.Document), Settings: orNull(state.Draft.Settings),
	}
	for _, f := range state.Releases {
		info.Releases = append(info.Releases, ReleaseInfo{f.Version.String(), hex.EncodeToString(f.Digest), f.App, f.Tools, f.FrozenAt, f.FrozenBy})
		for _, stage := range []*Stage{info.Preview, info.Production} {
			if stage != nil && stage.Version == f.Version.String() {
				stage.Digest = hex.EncodeToString(f.Digest)
			}
		}
	}
	for i := range state.Bindings {
		b := &state.Bindings[i]
		info.Bindings = append(info.Bindings, BindingInfo{string(b.Identity), string(b.State), b.Routable(state.Now), string(b.Reason), b.ChangedAt, b.ChangedBy, b.KeptUntil})
	}
	var err error
	info.PreviewProjects, err = s.projectNames(ctx, state.PreviewProjects)
	return info, err
}

func orNull(b []byte) json.RawMessage {
	if len(b) == 0 {
		return json.RawMessage("null")
	}
	return b
}

func (s *server) projectNames(ctx context.Context, ids []uuid.UUID) ([]string, error) {
	names := []string{}
	if len(ids) == 0 {
		return names, nil
	}
	all, err := s.Store.ListProjects(ctx)
	if err != nil {
		return nil, err
	}
	chosen := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		chosen[id] = true
	}
	for _, p := range all {
		if chosen[p.ID] {
			names = append(names, p.Name)
		}
	}
	return names, nil
}

// PluginEvent is one move in the history of a plugin.
type PluginEvent struct {
	ID     int64           `json:"id"`
	At     time.Time       `json:"at"`
	By     string          `json:"by"`
	Verb   string          `json:"verb"`
	Detail json.RawMessage `json:"detail"`
}

func (s *server) pluginHistory(ctx context.Context, in *struct {
	InPlugin
	Paging
},
) (*struct{ Body List[PluginEvent] }, error) {
	before, err := in.number()
	if err != nil {
		return nil, err
	}
	events, err := s.Plugins.History(ctx, s.Store, in.ID, before, in.Limit+1)
	if err != nil {
		return nil, err
	}
	events, next := cut(events, in.Limit, func(e release.Event) string { return strconv.FormatInt(e.ID, 10) })
	items := make([]PluginEvent, 0, len(events))
	for _, e := range events {
		items = append(items, PluginEvent{e.ID, e.At, e.By, e.Verb, json.RawMessage(e.Detail)})
	}
	return newList(items, next), nil
}

// Moved is what a change of a plugin's stages did.
type Moved struct {
	Changed   bool                             `json:"changed" doc:"false when everything was so already"`
	Plugin    PluginHead                       `json:"plugin"`
	Published []connections.ConnectionIdentity `json:"published" nullable:"false" doc:"Identities that are routed from now on"`
	Withdrawn []connections.ConnectionIdentity `json:"withdrawn" nullable:"false" doc:"Identities that are no longer routed"`
	Warnings  []ProblemItem                    `json:"warnings" nullable:"false" doc:"What has to be mended before the draft can be frozen: what of its settings no longer fits its file, with pointers into the settings, and why its module can't be run, at /code"`
	OnTheWire []WireInfo                       `json:"on_the_wire" nullable:"false" doc:"Attempts of withdrawn identities whose request may still be on its way"`
}

// WireInfo is an attempt whose request may still be on its way.
type WireInfo struct {
	Run        uuid.UUID                  `json:"run"`
	Path       string                     `json:"path"`
	N          int                        `json:"n"`
	Action     connections.ActionIdentity `json:"action"`
	ClaimedAt  time.Time                  `json:"claimed_at"`
	LeaseUntil *time.Time                 `json:"lease_until"`
}

func wireInfos(list []release.OnWire) []WireInfo {
	infos := make([]WireInfo, 0, len(list))
	for _, w := range list {
		infos = append(infos, WireInfo{w.RunID, w.Path, w.N, w.Action, w.ClaimedAt, w.LeaseUntil})
	}
	return infos
}

func identities(list []connections.ConnectionIdentity) []connections.ConnectionIdentity {
	if list == nil {
		return []connections.ConnectionIdentity{}
	}
	return list
}

// moved describes what a move did.
func moved(d release.Done) Moved {
	var m genisys.Manifest
	if p, problems := genisys.Thaw(d.Plugin.Draft.Document); len(problems) == 0 {
		m = p.Manifest
	}
	return Moved{d.Changed, pluginHead(&d.Plugin, m.Name, m.Description, m.Version.String(), m.App != nil), identities(d.Published), identities(d.Withdrawn), itemsOf(d.Warnings), wireInfos(d.OnTheWire)}
}
