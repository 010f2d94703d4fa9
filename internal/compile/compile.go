// Package compile turns a frozen plugin into the actions that can be carried out: it joins what a release declares with
// the forms that the executors know.
package compile

import (
	"encoding/hex"
	"fmt"
	"net/http"

	"pawl/actions"
	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/connections/release"
)

// Catalog holds the compiled actions of one connection of one release.
type Catalog map[connections.ActionIdentity]*actions.Action

// Release compiles what a release publishes under an identity: the actions of its app, or its tools. The release was
// checked when it was frozen, so an error is a fault of the installation.
func Release(identity connections.ConnectionIdentity, document, sidecar []byte) (Catalog, error) {
	id, err := connections.ParseIdentity(string(identity))
	if err != nil {
		return nil, err
	}
	p, problems := genisys.Thaw(document)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	settings, err := release.DecodeSettings(sidecar)
	if err != nil {
		return nil, err
	}
	var list []*actions.Action
	switch {
	case id.Source == connections.SourcePlugin:
		list, err = Tools(p, settings, hex.EncodeToString(release.Digest(document, sidecar)))
	case p.Manifest.App == nil:
		err = fmt.Errorf("%s has no app", identity)
	default:
		list = Actions(p.Manifest.App, settings)
	}
	c := make(Catalog, len(list))
	for _, a := range list {
		id.Action = a.ID
		a.Identity = string(id.ActionIdentity())
		c[id.ActionIdentity()] = a
	}
	return c, err
}

// Actions compiles the actions of an app, without their identities.
func Actions(app *genisys.App, settings *release.Settings) []*actions.Action {
	list := make([]*actions.Action, len(app.Actions))
	for i := range app.Actions {
		list[i] = compileAction(app, &app.Actions[i], settings)
	}
	return list
}

func compileAction(app *genisys.App, d *genisys.Action, settings *release.Settings) *actions.Action {
	a := &actions.Action{
		ID: d.ID, Name: d.Name, Description: d.Description, Method: actions.Method(d.Method), Origin: app.Origin, Path: d.Path,
		Body: actions.BodyKind(d.Body), Auth: actions.Auth{Kind: actions.AuthBearer}, Risk: actions.Risk(settings.RiskOf(d)), Effect: effect(d, settings),
		SendsKey: d.Method == http.MethodPost || d.Method == http.MethodPatch,
	}
	if !app.Auth.Bearer() {
		a.Auth = actions.Auth{Kind: actions.AuthHeader, Name: app.Auth.Header}
	}
	for i := range d.Inputs {
		a.Inputs = append(a.Inputs, compileInput(&d.Inputs[i]))
	}
	if s := settings.Action(d.ID); s != nil {
		applySettings(a, s)
	}
	return a
}

// applySettings lets a release raise what an action is; it lowers nothing.
func applySettings(a *actions.Action, s *release.ActionSettings) {
	if a.SendsKey {
		a.HonoursKey = s.KeyWindow
	}
	if s.Unsafe && a.Effect == actions.Safe {
		a.Effect = actions.Unsafe
	}
}

func compileInput(in *genisys.Input) actions.Input {
	t := actions.Type(in.Type)
	if in.Type == genisys.Text {
		t = actions.Text
	}
	return actions.Input{
		ID: in.ID, Label: in.Label, In: actions.Placement(in.In), Required: in.Required, Type: t, JSON: in.JSON, List: in.List,
		Row: in.Row, Long: in.Long, Name: in.Name, Placeholder: in.Placeholder,
	}
}

// effect is what may happen when the request is sent twice: nothing for a read, the same once more for PUT and DELETE
// (RFC 9110, section 9.2.2), anything for the others. What the settings raise above a read is one no more.
func effect(d *genisys.Action, settings *release.Settings) actions.Effect {
	switch {
	case d.Method == http.MethodGet && settings.RiskOf(d) == release.RiskRead:
		return actions.Read
	case d.Method == http.MethodPut || d.Method == http.MethodDelete:
		return actions.Safe
	}
	return actions.Unsafe
}
