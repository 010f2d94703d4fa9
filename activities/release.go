package activities

import (
	"fmt"
	"net/http"

	"pawl/actions"
	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/connections/release"
)

// catalog holds the compiled actions of one release, by action identity.
type catalog struct{ actions map[string]*actions.Action }

// compileRelease turns a frozen plugin into its actions.
func compileRelease(identity connections.ConnectionIdentity, document, sidecar []byte) (*catalog, error) {
	p, problems := genisys.Thaw(document)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if p.Manifest.App == nil {
		return nil, fmt.Errorf("%s has no app", identity)
	}
	settings, err := release.DecodeSettings(sidecar)
	if err != nil {
		return nil, err
	}
	c := &catalog{actions: make(map[string]*actions.Action, len(p.Manifest.App.Actions))}
	for i := range p.Manifest.App.Actions {
		act := compileAction(p.Manifest.App, &p.Manifest.App.Actions[i], settings)
		act.Identity = string(identity) + "." + act.ID
		c.actions[act.Identity] = act
	}
	return c, nil
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
