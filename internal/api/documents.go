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
	app      *genisys.App
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

// declaredBy reads a frozen release; one that today's rules refuse, or without an app, declares nothing.
func declaredBy(f release.Freeze) (*declared, error) {
	p, problems := genisys.Thaw(f.Document)
	if len(problems) > 0 || p.Manifest.App == nil {
		return nil, nil
	}
	settings, err := release.DecodeSettings(f.Settings)
	if err != nil {
		return nil, err
	}
	return &declared{p.Manifest.App, settings}, nil
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
	a := d.app.Action(id.Action)
	if a == nil {
		return automation.ActionInfo{Near: siblings(id, d.app)}
	}
	info := automation.ActionInfo{Found: true, Withdrawn: n.withdrawn(id.Connection()), Risk: string(d.settings.RiskOf(a)), NeedsAccount: true}
	for _, in := range a.Inputs {
		info.Inputs = append(info.Inputs, automation.InputInfo{ID: in.ID, Required: in.Required})
	}
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

func siblings(id connections.Identity, app *genisys.App) []string {
	var list []string
	for i := range app.Actions {
		list = append(list, string(id.Connection())+"."+app.Actions[i].ID)
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
