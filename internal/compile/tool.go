package compile

import (
	"pawl/actions"
	"pawl/connections/genisys"
	"pawl/connections/release"
	"pawl/internal/schema"
)

// Tools compiles the tools of a plugin, without their identities. digest names the module with its tools.
func Tools(p *genisys.Plugin, settings *release.Settings, digest string) ([]*actions.Action, error) {
	m := &p.Manifest
	names := make([]string, len(m.Tools))
	for i := range m.Tools {
		names[i] = m.Tools[i].Name
	}
	list := make([]*actions.Action, len(m.Tools))
	for i := range m.Tools {
		t := &m.Tools[i]
		input, problems := schema.Compile(t.Input, schema.Open)
		if err := problems.Err(); err != nil {
			return nil, err
		}
		list[i] = &actions.Action{
			ID: t.Name, Name: t.Name, Description: t.Description, Auth: actions.Auth{Kind: actions.AuthNone},
			Risk: actions.Risk(settings.ToolRisk(t, m.Hosts)), Effect: toolEffect(t, m.Hosts, settings), Local: settings.ToolEffect(t, m.Hosts) == release.LocalRead,
			Tool: &actions.Tool{Plugin: m.ID, Name: t.Name, Digest: digest, Code: p.Code, Tools: names, Hosts: m.Hosts, Input: input},
		}
	}
	return list, nil
}

// toolEffect is a read or unsafe: nobody knows what a tool above read does when it is called twice.
func toolEffect(t *genisys.Tool, hosts []string, settings *release.Settings) actions.Effect {
	if settings.ToolRisk(t, hosts) == release.RiskRead {
		return actions.Read
	}
	return actions.Unsafe
}
