package release

import "pawl/connections/genisys"

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
	return RiskOf(a).atLeast(s.EffectOf(a).Risk())
}

// ToolEffect is the effect of a tool of the module: the declared one, or what its risk and the plugin's hosts say.
func (s *Settings) ToolEffect(t *genisys.Tool, hosts []string) Effect {
	least := toolFloor(t, hosts)
	if said := s.Tool(t.Name); said != nil && said.Effect != "" && said.Effect.severity() >= least.severity() {
		return said.Effect
	}
	return least
}

// toolFloor is the effect that a tool has by its risk alone: one that reads reaches the network only where the plugin
// names hosts.
func toolFloor(t *genisys.Tool, hosts []string) Effect {
	switch {
	case t.Risk != genisys.Read:
		return Write
	case len(hosts) > 0:
		return NetworkRead
	}
	return LocalRead
}
