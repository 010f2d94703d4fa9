package api

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/connections/release"
	"pawl/internal/automation"
	"pawl/internal/expr"
	"pawl/internal/fault"
	"pawl/internal/schema"
	"pawl/internal/store"
)

// DocumentChecker reads automation documents and checks them against what a project may use. It is a Documents.
type DocumentChecker struct{ Store *store.Store }

// Check reads a document and checks it.
func (d DocumentChecker) Check(ctx context.Context, project uuid.UUID, body []byte) (CheckedDocument, error) {
	doc, problems := automation.Decode(body)
	if err := problems.Err(); err != nil {
		return CheckedDocument{}, err
	}
	names, err := d.lookUp(ctx, project, doc)
	if err != nil {
		return CheckedDocument{}, err
	}
	checked := CheckedDocument{Body: doc.Canonical(), Digest: doc.Digest()}
	for _, f := range automation.Check(doc, automation.CheckEnv{Compile: compile, Catalog: names}) {
		if automation.Warning(f) {
			checked.Warnings = append(checked.Warnings, f)
		} else {
			checked.Problems = append(checked.Problems, f)
		}
	}
	return checked, nil
}

func compile(raw json.RawMessage) (automation.Template, error) {
	t, err := expr.Compile(raw)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// named is what a project may use of what one document names; it is an automation.Catalog.
type named struct {
	facts    store.DocumentFacts
	releases map[connections.ConnectionIdentity]*declared
}

// declared is what a release declares.
type declared struct {
	genisys.Manifest
	settings *release.Settings
}

func (d DocumentChecker) lookUp(ctx context.Context, project uuid.UUID, doc *automation.Document) (*named, error) {
	var identities []connections.ConnectionIdentity
	var actions []connections.ActionIdentity
	doc.Walk(func(s *automation.Step) {
		if id, err := connections.ParseAction(s.Action); err == nil {
			identities, actions = append(identities, id.Connection()), append(actions, id.ActionIdentity())
		}
	})
	n := &named{releases: make(map[connections.ConnectionIdentity]*declared)}
	var err error
	if n.facts, err = d.Store.FactsFor(ctx, project, identities, actions); err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, 0, len(n.facts.Bindings))
	for _, b := range n.facts.Bindings {
		ids = append(ids, b.ReleaseID)
	}
	frozen, err := d.Store.ReleaseBytes(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, b := range n.facts.Bindings {
		if n.releases[b.Identity], err = declaredBy(frozen[b.ReleaseID]); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// declaredBy reads a frozen release; one that today's rules refuse declares nothing.
func declaredBy(f release.Freeze) (*declared, error) {
	p, problems := genisys.Thaw(f.Document)
	if len(problems) > 0 {
		return nil, nil
	}
	settings, err := release.DecodeSettings(f.Settings)
	if err != nil {
		return nil, err
	}
	return &declared{p.Manifest, settings}, nil
}

// Action describes an action that the document names.
func (n *named) Action(identity connections.ActionIdentity) automation.ActionInfo {
	id, err := connections.ParseAction(string(identity))
	if err != nil {
		return automation.ActionInfo{}
	}
	d := n.releases[id.Connection()]
	if d == nil {
		return automation.ActionInfo{Near: n.near(id)}
	}
	info, ok := d.describe(id)
	if !ok {
		return automation.ActionInfo{Near: d.siblings(id)}
	}
	info.Withdrawn = n.withdrawn(id.Connection())
	if info.Risk != string(release.RiskRead) && !slices.Contains(n.facts.Granted, identity) {
		info.Problems = append(info.Problems, fault.New(fault.PermissionRequired, "grant",
			"The project has no standing grant for %s (%s). An admin can give it: pawl grant add --action %s", identity, info.Risk, identity))
	}
	return info
}

func (n *named) withdrawn(identity connections.ConnectionIdentity) string {
	for i := range n.facts.Bindings {
		b := &n.facts.Bindings[i]
		if b.Identity == identity {
			if f := connections.Unavailable(identity, &b.Facts); f != nil {
				return f.Message
			}
		}
	}
	return ""
}

// near gives the same action of the connections that are routed now.
func (n *named) near(id connections.Identity) []string {
	var list []string
	for _, known := range n.facts.Known {
		list = append(list, string(known)+"."+id.Action)
	}
	return list
}

// describe tells what a step of an action has to give; ok is false where there is no such action.
func (d *declared) describe(id connections.Identity) (info automation.ActionInfo, ok bool) {
	if id.Source == connections.SourcePlugin {
		t := d.Tool(id.Action)
		if t == nil {
			return info, false
		}
		return d.describeTool(t), true
	}
	if d.App == nil || d.App.Action(id.Action) == nil {
		return info, false
	}
	a := d.App.Action(id.Action)
	info = automation.ActionInfo{Found: true, Risk: string(d.settings.RiskOf(a)), NeedsAccount: true}
	for _, in := range a.Inputs {
		info.Inputs = append(info.Inputs, automation.InputInfo{ID: in.ID, Required: in.Required})
	}
	return info, true
}

func (d *declared) describeTool(t *genisys.Tool) automation.ActionInfo {
	info := automation.ActionInfo{Found: true, Risk: string(d.settings.ToolRisk(t, d.Hosts)), NoAccount: true}
	names, required, open := release.ToolMembers(t.Input)
	info.Open = open
	for _, name := range append(names, required...) {
		if !slices.ContainsFunc(info.Inputs, func(in automation.InputInfo) bool { return in.ID == name }) {
			info.Inputs = append(info.Inputs, automation.InputInfo{ID: name, Required: slices.Contains(required, name)})
		}
	}
	if held, problems := schema.Compile(t.Input, schema.Open); len(problems) == 0 {
		info.Schema = held
	}
	return info
}

// siblings gives the other actions of a connection.
func (d *declared) siblings(id connections.Identity) []string {
	var list []string
	add := func(name string) { list = append(list, string(id.Connection())+"."+name) }
	switch {
	case id.Source == connections.SourcePlugin:
		for i := range d.Tools {
			add(d.Tools[i].Name)
		}
	case d.App != nil:
		for i := range d.App.Actions {
			add(d.App.Actions[i].ID)
		}
	}
	return list
}

// Account says whether the project has an account for a connection: the one of that name, or for no name exactly
// one.
func (n *named) Account(connection connections.ConnectionIdentity, name string) bool {
	count := 0
	for _, a := range n.facts.Accounts {
		if a.Identity == connection && (name == "" || a.Name == name) {
			count++
		}
	}
	return count == 1
}
