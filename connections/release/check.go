package release

import (
	"maps"
	"net/http"
	"slices"

	"pawl/connections/genisys"
	"pawl/internal/canon"
	"pawl/internal/fault"
)

// Check holds settings against the declarations of a plugin: again when the plugin file of a draft changes.
func (s *Settings) Check(m *genisys.Manifest) fault.List {
	if s == nil {
		return nil
	}
	app := m.App
	if app == nil {
		app = &genisys.App{}
	}
	problems := append(s.checkVerify(app), s.checkLimits(m)...)
	for _, id := range slices.Sorted(maps.Keys(s.actions)) {
		at := canon.Pointer("actions", id)
		if a := app.Action(id); a == nil {
			problems = append(problems, noAction(app, id).At(at))
		} else {
			problems = append(problems, s.checkAction(a, s.actions[id], at)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.tools)) {
		problems = append(problems, s.checkTool(m, name, canon.Pointer("tools", name))...)
	}
	return problems
}

func noAction(app *genisys.App, id string) *fault.Error {
	ids := make([]string, len(app.Actions))
	for i := range app.Actions {
		ids[i] = app.Actions[i].ID
	}
	return fault.New(fault.InvalidInput, "unknown_action", "The plugin has no action %s%s", canon.Quote(id), canon.Suggest(id, ids))
}

// checkVerify wants an action that can be sent with nothing but the key and that changes nothing.
func (s *Settings) checkVerify(app *genisys.App) fault.List {
	if s.Verify == "" {
		return nil
	}
	a := app.Action(s.Verify)
	switch {
	case a == nil:
		return fault.List{noAction(app, s.Verify).At("/verify/action")}
	case s.RiskOf(a) != RiskRead:
		return fault.List{fault.New(fault.InvalidInput, "verify", "The action %q changes something; verify a key with a GET that only reads.", a.ID).At("/verify/action")}
	case slices.ContainsFunc(a.Inputs, func(in genisys.Input) bool { return in.Required }):
		return fault.List{fault.New(fault.InvalidInput, "verify", "The action %q has required inputs; verify a key with one that needs none.", a.ID).At("/verify/action")}
	}
	return nil
}

// checkLimits wants an app, for there is nothing else that is sent with an account.
func (s *Settings) checkLimits(m *genisys.Manifest) fault.List {
	if m.App != nil || s.Account == nil && s.Host == nil {
		return nil
	}
	return fault.List{fault.New(fault.InvalidInput, "limits", "The plugin has no app, so nothing is sent that could be limited; leave \"limits\" out.").At("/limits")}
}

func (s *Settings) checkAction(a *genisys.Action, said *ActionSettings, at string) fault.List {
	var problems fault.List
	refuse := func(member, reason, format string, args ...any) {
		problems = append(problems, fault.New(fault.InvalidInput, reason, format, args...).At(at+"/"+member))
	}
	if said.KeyWindow > 0 && a.Method != http.MethodPost && a.Method != http.MethodPatch {
		refuse("idempotency", "idempotency", "The action %q is a %s; Idempotency-Key goes out on POST and PATCH only. Leave \"idempotency\" out.", a.ID, a.Method)
	}
	if said.Unsafe && a.Method != http.MethodPut && a.Method != http.MethodDelete {
		refuse("safe", "safe", "The action %q is a %s; only a PUT or DELETE can be declared unsafe. Leave \"safe\" out.", a.ID, a.Method)
	}
	if said.Effect != "" && said.Effect.severity() < floor(a).severity() {
		refuse("effect", "effect_lowered", "The action %q is a %s and has at least the effect %q; settings raise an effect, never lower it.", a.ID, a.Method, floor(a))
	}
	if said.Paging != nil {
		problems = append(problems, said.Paging.check(a, s.RiskOf(a), at+"/paging")...)
	}
	return problems
}

func (s *Settings) checkTool(m *genisys.Manifest, name, at string) fault.List {
	i := slices.IndexFunc(m.Tools, func(t genisys.Tool) bool { return t.Name == name })
	if i < 0 {
		names := make([]string, len(m.Tools))
		for i := range m.Tools {
			names[i] = m.Tools[i].Name
		}
		return fault.List{fault.New(fault.InvalidInput, "unknown_tool", "The plugin has no tool %s%s", canon.Quote(name), canon.Suggest(name, names)).At(at)}
	}
	t := &m.Tools[i]
	if least := toolFloor(t, m.Hosts); s.tools[name].Effect != "" && s.tools[name].Effect.severity() < least.severity() {
		return fault.List{fault.New(fault.InvalidInput, "effect_lowered",
			"The tool %q has the risk %q and at least the effect %q; settings raise an effect, never lower it.", name, t.Risk, least).At(at + "/effect")}
	}
	return nil
}
