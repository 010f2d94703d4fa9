package main

import (
	"net/http"
	"net/url"

	"pawl/connections"
	"pawl/internal/api"
	"pawl/internal/client"
)

type grantCommands struct {
	Add    grantAdd    `cmd:"" help:"Grant an action, a host of a plugin, or a plugin to agents."`
	List   grantList   `cmd:"" help:"The project's standing grants."`
	Remove grantRemove `cmd:"" help:"End a grant."`
}

type grantFlags struct {
	Action string `xor:"what" help:"An action identity."`
	Plugin string `xor:"what" and:"host" help:"A plugin, with --host."`
	Host   string `and:"host" help:"A host that the plugin may reach."`
	Agents string `xor:"what" help:"plugin:ID: agents may call its tools."`
}

func (f grantFlags) target() (api.GrantTarget, error) {
	if f.Action == "" && f.Plugin == "" && f.Agents == "" {
		return api.GrantTarget{}, usageError{"say what is granted: --action IDENTITY, --plugin ID --host HOST, or --agents plugin:ID"}
	}
	return api.GrantTarget{Action: f.Action, Plugin: f.Plugin, Host: f.Host, Agents: f.Agents}, nil
}

type grantAdd struct{ grantFlags }

// Run grants.
func (c *grantAdd) Run(s *session) error {
	t, err := c.target()
	if err != nil {
		return err
	}
	var g api.GrantInfo
	a, err := s.post(s.inProject("/grants"), t, &g)
	if err != nil {
		return err
	}
	s.show(a, func() { s.say("Granted: %s", what(g)) })
	return nil
}

func what(g api.GrantInfo) string {
	switch g.Kind {
	case connections.GrantHost:
		return "plugin " + g.Plugin + " may reach " + g.Host
	case connections.GrantAgents:
		return "agents may call the tools of " + g.Plugin
	default:
		return string(g.Action)
	}
}

type grantList struct{ pageFlags }

// Run lists.
func (c *grantList) Run(s *session) error {
	return listing(s, s.inProject("/grants"), c.query(), "kind|what|since|by", func(g api.GrantInfo) []any {
		return []any{g.Kind, what(g), g.CreatedAt, g.CreatedBy}
	})
}

type grantRemove struct{ grantFlags }

// Run ends a grant.
func (c *grantRemove) Run(s *session) error {
	t, err := c.target()
	if err != nil {
		return err
	}
	q := url.Values{}
	for name, v := range map[string]string{"action": t.Action, "plugin": t.Plugin, "host": t.Host, "agents": t.Agents} {
		if v != "" {
			q.Set(name, v)
		}
	}
	var g api.GrantInfo
	a, err := s.call(client.Request{Method: http.MethodDelete, Path: s.inProject("/grants"), Query: q}, &g)
	if err != nil {
		return err
	}
	s.show(a, func() { s.say("Ended: %s", what(g)) })
	return nil
}
