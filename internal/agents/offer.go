package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pawl/connections"
	"pawl/connections/release"
	"pawl/internal/fault"
)

// offer is a tool that an agent can call.
type offer struct {
	name, title, about string
	// what names it in full, for the error about equal names.
	what   string
	schema json.RawMessage // a JSON Schema of type object
	effect release.Effect
	risk   release.Risk
	call   func(ctx context.Context, in *invocation) (*mcp.CallToolResult, error)

	// Of an action and of a plugin's tool in production:
	action connections.ActionIdentity
	digest []byte // of its release
	target string // where it goes
	plugin string // of a plugin's tool in any stage: the plugin's id
	// accounts are the names of the accounts that the project holds for it; accountAt is the argument that chooses one,
	// empty where there is nothing to choose.
	accounts  []string
	accountAt string
	takesKey  bool
}

// tool is the offer as the protocol lists it.
func (o *offer) tool() *mcp.Tool {
	destructive, open := o.risk == release.RiskDestructive, o.effect != release.LocalRead
	return &mcp.Tool{
		Name: o.name, Title: o.title, Description: o.about, InputSchema: o.schema,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: o.risk == release.RiskRead, DestructiveHint: &destructive, OpenWorldHint: &open},
	}
}

// offers are the tools of one audience, by name. Equal names of different tools are none: neither is offered.
type offers struct {
	by     map[string]*offer
	twins  map[string][]string // names that stand for several, with what they stand for
	absent string              // what to say of a name that is none
}

func (l *offers) add(o *offer) {
	switch other := l.by[o.name]; {
	case o.name == "" || len(o.name) > maxToolName:
		return
	case l.twins[o.name] != nil:
		l.twins[o.name] = append(l.twins[o.name], o.what)
	case other != nil:
		l.twins[o.name] = []string{other.what, o.what}
		delete(l.by, o.name)
	default:
		l.by[o.name] = o
	}
}

func (l *offers) sorted() []*offer {
	list := make([]*offer, 0, len(l.by))
	for _, name := range slices.Sorted(maps.Keys(l.by)) {
		list = append(list, l.by[name])
	}
	return list
}

func (l *offers) find(name string) (*offer, error) {
	if o := l.by[name]; o != nil {
		return o, nil
	}
	if twins := l.twins[name]; twins != nil {
		return nil, fault.New(fault.Conflict, "ambiguous", "%q stands for %s, so it is offered for none of them. Rename one of them in a new version.", name, strings.Join(twins, " and for "))
	}
	return nil, fault.New(fault.NotFound, "tool", "There is no tool %.100q here. %s", name, l.absent)
}

// offers gives what an agent is offered now.
func (s *Server) offers(ctx context.Context, by *who) (*offers, error) {
	l := &offers{by: map[string]*offer{}, twins: map[string][]string{}, absent: "tools/list says which there are; what was withdrawn is offered no more."}
	for _, o := range s.own() {
		l.add(o)
	}
	released, err := s.released(ctx, by)
	if err != nil {
		return nil, err
	}
	tried, err := s.tried(ctx, by, released)
	if err != nil {
		return nil, err
	}
	automations, err := s.automations(ctx, by)
	if err != nil {
		return nil, err
	}
	for _, o := range slices.Concat(released, tried, automations) {
		if !by.research() || o.effect == release.LocalRead || o.effect == release.NetworkRead {
			l.add(o)
		}
	}
	return l, nil
}

// released gives the actions and tools that production routes: nothing to a test key, and of a plugin whose preview
// version the project is served no tools.
func (s *Server) released(ctx context.Context, by *who) ([]*offer, error) {
	if by.caller.TestOnly() {
		return nil, nil
	}
	entries, _, err := s.Catalog.List(ctx, release.Query{Project: by.project.ID, Limit: maxEntries})
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e release.Entry) bool { return e.KeptUntil != nil }) // agents get the newest
	accounts, err := s.accountsFor(ctx, by, entries)
	if err != nil {
		return nil, err
	}
	var list []*offer
	for i := range entries {
		e := &entries[i]
		for j := range e.Actions {
			list = append(list, s.releasedOffer(e, &e.Actions[j], accounts[e.Identity]))
		}
	}
	return list, nil
}

// accountsFor gives the names of the project's accounts by the connection that they are for.
func (s *Server) accountsFor(ctx context.Context, by *who, entries []release.Entry) (map[connections.ConnectionIdentity][]string, error) {
	identities := make([]connections.ConnectionIdentity, len(entries))
	for i := range entries {
		identities[i] = entries[i].Identity
	}
	found, err := s.Store.UsableAccounts(ctx, by.project.ID, identities)
	names := map[connections.ConnectionIdentity][]string{}
	for _, a := range found {
		names[a.Identity] = append(names[a.Identity], a.Name)
	}
	for _, list := range names {
		slices.Sort(list)
	}
	return names, err
}

func (s *Server) releasedOffer(e *release.Entry, a *release.Offer, accounts []string) *offer {
	o := &offer{
		name: e.ID + "__" + a.ID, title: e.Name + ": " + a.Name, about: a.Description, what: string(a.Identity), schema: a.InputSchema(), effect: a.Effect, risk: a.Risk,
		action: a.Identity, digest: e.Digest,
	}
	if e.Source == connections.SourcePlugin {
		o.plugin, o.target = e.ID, strings.Join(e.Hosts, ", ")
	} else if e.App != nil {
		o.target, o.accounts, o.takesKey = e.App.Origin, accounts, true
		o.chooseAccount()
	}
	o.call = func(ctx context.Context, in *invocation) (*mcp.CallToolResult, error) {
		return s.callReleased(ctx, o, in)
	}
	return o
}

// chooseAccount adds an argument for the account where the project holds several.
func (o *offer) chooseAccount() {
	if len(o.accounts) < 2 {
		return
	}
	var schema map[string]json.RawMessage
	var properties map[string]json.RawMessage
	var required []string
	if json.Unmarshal(o.schema, &schema) != nil || json.Unmarshal(schema["properties"], &properties) != nil || json.Unmarshal(schema["required"], &required) != nil {
		return // not reached: release.Offer makes all three
	}
	o.accountAt = "pawl_account"
	for properties[o.accountAt] != nil {
		o.accountAt = "_" + o.accountAt
	}
	properties[o.accountAt] = raw(map[string]any{"type": "string", "title": "Account", "description": "Which of the project's accounts is used", "enum": o.accounts})
	schema["properties"], schema["required"] = raw(properties), raw(append(required, o.accountAt))
	o.schema = raw(schema)
}

// raw writes what always can be written.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("agents: %v", err)) // texts, lists and raw JSON
	}
	return b
}

// tried gives the tools of drafts to test keys, and those of preview versions in the projects that are served them. They
// take the places of what production has of the same plugin.
func (s *Server) tried(ctx context.Context, by *who, released []*offer) ([]*offer, error) {
	versions := map[string]bool{} // identities of tools in production
	for _, o := range released {
		versions[string(o.action)] = true
	}
	var list []*offer
	for after := ""; ; {
		page, err := s.Served.Plugins(ctx, by.audience(), after, servedPage)
		if err != nil {
			return nil, err
		}
		for i := range page {
			if p := &page[i]; p.Stage != release.StageProduction {
				list = append(list, s.triedOffers(p, versions, released)...)
			}
		}
		if len(page) < servedPage {
			return list, nil
		}
		after = page[len(page)-1].ID
	}
}
