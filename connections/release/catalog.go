package release

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/connections/genisys"
)

// Routed is a connection identity that is routed now.
type Routed struct {
	Identity  connections.ConnectionIdentity
	Scope     uuid.UUID
	ReleaseID uuid.UUID
	Digest    []byte
	KeptUntil *time.Time
	Since     time.Time
}

// Entry is a connection of the catalogue with its actions.
type Entry struct {
	Identity connections.ConnectionIdentity
	Source   connections.Source
	ID       string
	Version  connections.Version
	Name     string
	Digest   []byte // of the release
	// KeptUntil is set for an older version that is kept beside the newer one until then.
	KeptUntil *time.Time
	Since     time.Time
	Hosts     []string     // that the tools of a plugin may reach
	App       *genisys.App // logo, auth, key help and docs for the account dialog; nil for the tools of a plugin
	Logo      string       // a PNG as a data URL, or empty
	Actions   []Offer
}

// Offer is an action of the catalogue. Its inputs are genisys inputs; those of a tool stand in Schema.
type Offer struct {
	genisys.Action
	Schema   json.RawMessage // the tool's input schema, nil for an app action
	Identity connections.ActionIdentity
	// Risk hides the declared one: it is never below what the method and the declared effect ask for.
	Risk   Risk
	Effect Effect
}

// Risk is what people see and grant. A closed set; external is for imports.
type Risk string

// The risks, rising.
const (
	RiskRead        Risk = "read"
	RiskWrite       Risk = "write"
	RiskDestructive Risk = "destructive"
	RiskExternal    Risk = "external"
)

// RiskOf gives the risk of a declared action: DELETE is destructive, every other mutation writes, and a GET reads
// unless it is declared to act.
func RiskOf(a *genisys.Action) Risk {
	switch {
	case a.Method == http.MethodDelete:
		return RiskDestructive
	case a.Method != http.MethodGet || a.Risk == genisys.Act:
		return RiskWrite
	default:
		return RiskRead
	}
}

// CatalogStore finds what is routed.
type CatalogStore interface {
	RoutableReleases(ctx context.Context, scopes []uuid.UUID) ([]Routed, error)
	ReleaseBytes(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]Freeze, error)
}

// Catalog lists what steps can name. The routing facts are read each time; what a release declares never changes
// and is decoded once. It is safe for concurrent use.
type Catalog struct {
	Store CatalogStore

	mu      sync.Mutex
	decoded map[string]*declaration // by digest
}

// declaration is what a release says of itself.
type declaration struct {
	genisys.Manifest
	settings *Settings
}

// Query chooses entries of the catalogue.
type Query struct {
	// Text filters: every word of it must stand in the names or descriptions of the connection, or of an action of
	// it; of a connection that does not match itself, only the matching actions are given.
	Text    string
	Project uuid.UUID
	After   connections.ConnectionIdentity // only what comes after it
	Limit   int
}

// List gives connections of the installation and the project, by identity, and says whether there are more.
func (c *Catalog) List(ctx context.Context, q Query) (entries []Entry, more bool, err error) {
	routed, err := c.Store.RoutableReleases(ctx, []uuid.UUID{Installation, q.Project})
	if err != nil {
		return nil, false, err
	}
	routed = slices.DeleteFunc(routed, func(r Routed) bool { return r.Identity <= q.After })
	declarations, err := c.declarations(ctx, routed)
	if err != nil {
		return nil, false, err
	}
	words := strings.Fields(strings.ToLower(q.Text))
	for _, r := range routed {
		e, ok := entry(r, declarations[string(r.Digest)], words)
		if !ok {
			continue
		}
		if len(entries) == q.Limit {
			return entries, true, nil
		}
		entries = append(entries, e)
	}
	return entries, false, nil
}

// declarations gives what the releases declare, reading only those that are not known yet.
func (c *Catalog) declarations(ctx context.Context, routed []Routed) (map[string]*declaration, error) {
	known := make(map[string]*declaration, len(routed))
	var missing []uuid.UUID
	c.mu.Lock()
	for _, r := range routed {
		if m, ok := c.decoded[string(r.Digest)]; ok {
			known[string(r.Digest)] = m
		} else {
			missing = append(missing, r.ReleaseID)
		}
	}
	c.mu.Unlock()
	if len(missing) == 0 {
		return known, nil
	}
	frozen, err := c.Store.ReleaseBytes(ctx, missing)
	if err != nil {
		return nil, err
	}
	for _, f := range frozen {
		if d := decode(&f); d != nil {
			known[string(f.Digest)] = d
		}
	}
	c.remember(known)
	return known, nil
}

// decode reads a release; it is nil for one frozen by rules that are stricter now, which stays routed but is offered
// no more.
func decode(f *Freeze) *declaration {
	p, problems := genisys.Thaw(f.Document)
	settings, err := DecodeSettings(f.Settings)
	if len(problems) > 0 || err != nil {
		return nil
	}
	return &declaration{p.Manifest, settings}
}

// remember keeps what is in use now and forgets the rest once that is too much.
func (c *Catalog) remember(known map[string]*declaration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.decoded == nil || len(c.decoded)+len(known) > maxDecoded {
		c.decoded = make(map[string]*declaration, len(known))
	}
	for digest, m := range known {
		c.decoded[digest] = m
	}
}

// entry makes the entry of a release; ok is false where nothing of it matches.
func entry(r Routed, m *declaration, words []string) (Entry, bool) {
	id, err := connections.ParseIdentity(string(r.Identity))
	if err != nil || m == nil {
		return Entry{}, false
	}
	e := Entry{Identity: r.Identity, Source: id.Source, ID: id.ID, Version: id.Version, Name: m.Name, Digest: r.Digest, KeptUntil: r.KeptUntil, Since: r.Since}
	if m.App != nil {
		e.Logo = m.App.Logo
	}
	var offers []Offer
	switch {
	case id.Source == connections.SourcePlugin:
		offers, e.Hosts = m.toolOffers(id), m.Hosts
	case m.App != nil:
		e.App, offers = m.App, m.actionOffers(id)
	}
	about := m.ID + " " + m.Name + " " + m.Description + " " + string(r.Identity)
	for i := range offers {
		if o := &offers[i]; matches(about+" "+o.ID+" "+o.Name+" "+o.Description, words) {
			e.Actions = append(e.Actions, *o)
		}
	}
	return e, len(e.Actions) > 0
}

func (d *declaration) actionOffers(id connections.Identity) []Offer {
	offers := make([]Offer, len(d.App.Actions))
	for i := range d.App.Actions {
		a := &d.App.Actions[i]
		id.Action = a.ID
		offers[i] = Offer{Action: *a, Identity: id.ActionIdentity(), Risk: d.settings.RiskOf(a), Effect: d.settings.EffectOf(a)}
	}
	return offers
}

func (d *declaration) toolOffers(id connections.Identity) []Offer {
	offers := make([]Offer, len(d.Tools))
	for i := range d.Tools {
		t := &d.Tools[i]
		id.Action = t.Name
		offers[i] = Offer{
			Action: genisys.Action{ID: t.Name, Name: t.Name, Description: t.Description, Risk: t.Risk}, Schema: t.Input,
			Identity: id.ActionIdentity(), Risk: d.settings.ToolRisk(t, d.Hosts), Effect: d.settings.ToolEffect(t, d.Hosts),
		}
	}
	return offers
}

func matches(text string, words []string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}
