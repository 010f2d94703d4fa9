package main

import (
	"net/url"
	"strconv"

	"pawl/internal/api"
)

type pluginImpact struct {
	pluginID
	To   string `help:"A frozen version: ask about a rollback to it."`
	Move string `enum:"promote,rollback,disable,enable,remove," default:"" help:"promote, rollback, disable, enable or remove; without, the promotion to production, or where there is none, who depends on it."`
}

// Run asks whom a move would touch.
func (c *pluginImpact) Run(s *session) error {
	q := url.Values{}
	if c.To != "" {
		q.Set("to", c.To)
	}
	if c.Move != "" {
		q.Set("move", c.Move)
	}
	var i api.Impact
	a, err := s.get(path("/api/v1/plugins/%s/impact", c.ID), q, &i)
	if err != nil {
		return err
	}
	s.show(a, func() { s.impact(&i) })
	return nil
}

func (s *session) impact(i *api.Impact) {
	for _, id := range i.Published {
		s.say("would be routed:        %s", id)
	}
	for _, id := range i.Withdrawn {
		s.say("would no longer be:     %s", id)
	}
	for _, a := range i.Automations {
		which := "draft"
		if a.Version > 0 {
			which = "version " + strconv.Itoa(a.Version)
		}
		for _, step := range a.Steps {
			s.say("automation %s/%s, %s: step %s names %s", a.Project, a.Name, which, step.ID, step.Action)
		}
	}
	for _, a := range i.Accounts {
		s.say("account %s/%s of %s (kept)", a.Project, clean(a.Name), a.Identity)
	}
	for _, r := range i.Runs {
		s.say("run %s of %s, %s", r.ID, r.Automation, r.State)
	}
	s.say("%d automations, %d accounts, %d runs that have not ended", len(i.Automations), i.AccountCount, i.RunCount)
}

type pluginList struct{ pageFlags }

// Run lists.
func (c *pluginList) Run(s *session) error {
	return listing(s, "/api/v1/plugins", c.query(), "id|name|draft|preview|production|enabled|changed|by", func(p api.PluginHead) []any {
		return []any{p.ID, p.Name, stage(p.Draft), stage(p.Preview), stage(p.Production), p.Enabled, p.UpdatedAt, p.UpdatedBy}
	})
}

type pluginShow struct{ pluginID }

// Run shows.
func (c *pluginShow) Run(s *session) error {
	var p api.PluginInfo
	a, err := s.get(path("/api/v1/plugins/%s", c.ID), nil, &p)
	if err != nil {
		return err
	}
	s.show(a, func() {
		s.say("%s, %s%s: draft %s, preview %s, production %s", p.ID, clean(p.Name), condition(&p.PluginHead), stage(p.Draft), stage(p.Preview), stage(p.Production))
		var frozen, bindings [][]any
		for _, r := range p.Releases {
			frozen = append(frozen, []any{r.Version, r.Digest[:12], r.FrozenAt, r.FrozenBy})
		}
		for _, b := range p.Bindings {
			bindings = append(bindings, []any{b.Identity, b.State, b.Routable, b.Reason, b.ChangedAt, b.ChangedBy, b.KeptUntil})
		}
		s.say("\nFrozen versions")
		s.table("version|digest|frozen|by", frozen)
		s.say("\nBindings")
		s.table("identity|state|routed|reason|since|by|kept until", bindings)
	})
	return nil
}
