package release

import (
	"maps"
	"net/http"
	"slices"

	"pawl/connections/genisys"
	"pawl/internal/canon"
	"pawl/internal/fault"
)

// Effect is what an action does to the world. A closed set.
type Effect string

// The effects of product.md, Permission and approval.
const (
	LocalRead              Effect = "local_read"
	NetworkRead            Effect = "network_read"
	Write                  Effect = "write"
	Delete                 Effect = "delete"
	Payment                Effect = "payment"
	Publication            Effect = "publication"
	PermissionChange       Effect = "permission_change"
	CredentialExfiltration Effect = "credential_exfiltration"
	ExternalUnknown        Effect = "external_unknown"
)

// Effects lists every effect once, the mildest first.
func Effects() []Effect {
	return []Effect{LocalRead, NetworkRead, Write, Delete, Payment, Publication, PermissionChange, CredentialExfiltration, ExternalUnknown}
}

func effectNames() []string {
	names := make([]string, 0, len(Effects()))
	for _, e := range Effects() {
		names = append(names, string(e))
	}
	return names
}

// Risk is the least risk of an action with the effect.
func (e Effect) Risk() Risk {
	switch e {
	case LocalRead, NetworkRead:
		return RiskRead
	case Write:
		return RiskWrite
	case ExternalUnknown:
		return RiskExternal
	default:
		return RiskDestructive
	}
}

// severity ranks the effects: a declaration may go up or stay level, never down.
func (e Effect) severity() int {
	switch e {
	case LocalRead:
		return 0
	case NetworkRead:
		return 1
	case Write:
		return 2
	default:
		return 3
	}
}

// floor is the effect that an action has by its method and its declared risk alone.
func floor(a *genisys.Action) Effect {
	switch RiskOf(a) {
	case RiskRead:
		return NetworkRead
	case RiskWrite:
		return Write
	default:
		return Delete
	}
}

// EffectOf is the effect of an action: the declared one, or what its method says.
func (s *Settings) EffectOf(a *genisys.Action) Effect {
	if said := s.Action(a.ID); said != nil && said.Effect.severity() >= floor(a).severity() && said.Effect != "" {
		return said.Effect
	}
	return floor(a)
}

// RiskOf is RiskOf(a) raised to the risk of the declared effect.
func (s *Settings) RiskOf(a *genisys.Action) Risk {
	rising := []Risk{RiskRead, RiskWrite, RiskDestructive, RiskExternal}
	return rising[max(slices.Index(rising, RiskOf(a)), slices.Index(rising, s.EffectOf(a).Risk()))]
}

// Check holds settings against the actions of a plugin: again when the plugin file of a draft changes. app is
// nil for a plugin without one.
func (s *Settings) Check(app *genisys.App) fault.List {
	if s == nil {
		return nil
	}
	if app == nil {
		app = &genisys.App{}
	}
	problems := s.checkVerify(app)
	for _, id := range slices.Sorted(maps.Keys(s.actions)) {
		at := canon.Pointer("actions", id)
		if a := app.Action(id); a == nil {
			problems = append(problems, noAction(app, id).At(at))
		} else {
			problems = append(problems, checkAction(a, s.actions[id], at)...)
		}
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

func checkAction(a *genisys.Action, s *ActionSettings, at string) fault.List {
	var problems fault.List
	refuse := func(member, reason, format string, args ...any) {
		problems = append(problems, fault.New(fault.InvalidInput, reason, format, args...).At(at+"/"+member))
	}
	if s.KeyWindow > 0 && a.Method != http.MethodPost && a.Method != http.MethodPatch {
		refuse("idempotency", "idempotency", "The action %q is a %s; Idempotency-Key goes out on POST and PATCH only. Leave \"idempotency\" out.", a.ID, a.Method)
	}
	if s.Unsafe && a.Method != http.MethodPut && a.Method != http.MethodDelete {
		refuse("safe", "safe", "The action %q is a %s; only a PUT or DELETE can be declared unsafe. Leave \"safe\" out.", a.ID, a.Method)
	}
	if s.Effect != "" && s.Effect.severity() < floor(a).severity() {
		refuse("effect", "effect_lowered", "The action %q is a %s and has at least the effect %q; settings raise an effect, never lower it.", a.ID, a.Method, floor(a))
	}
	return problems
}
