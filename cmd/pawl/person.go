package main

import (
	"fmt"
	"net/http"
	"time"

	"pawl/internal/api"
	"pawl/internal/auth"
	"pawl/internal/client"
)

type keyCommands struct {
	Create keyCreate `cmd:"" help:"Make an API key; it is shown once."`
	List   keyList   `cmd:"" help:"Your API keys."`
	Revoke keyRevoke `cmd:"" help:"End an API key."`
}

type keyCreate struct {
	Name string `arg:"" help:"What it is for."`
	Kind string `enum:"live,test,research" default:"live" help:"live; test, for drafts and their runs alone; or research, which only reads."`
	Only bool   `name:"only-project" help:"The key works in the project alone."`
	// Expires is a time from now, a date or an instant; empty for a key without an end.
	Expires string `help:"When the key ends: after a time such as 90d or 12h, or at a date such as 2027-01-31. Without: never."`
}

// Run makes a key and prints it, and nothing else, to standard output.
func (c *keyCreate) Run(s *session) error {
	body := api.NewKey{Kind: auth.KeyKind(c.Kind), Name: c.Name}
	if c.Only {
		body.Project = s.project
	}
	if c.Expires != "" {
		at, err := instant(c.Expires, time.Now())
		if err != nil {
			return usageError{"--expires: " + err.Error()}
		}
		body.ExpiresAt = &at
	}
	var k api.CreatedKey
	a, err := s.post("/api/v1/me/keys", body, &k)
	if err != nil {
		return err
	}
	s.show(a, func() {
		fmt.Fprintln(s.err, "This key is shown now and never again:")
		s.say("%s", k.Key)
	})
	return nil
}

type keyList struct{}

// Run lists.
func (c *keyList) Run(s *session) error {
	return listing(s, "/api/v1/me/keys", nil, "id|name|kind|begins with|made|last used|expires", func(k api.KeyInfo) []any {
		return []any{k.ID, k.Name, k.Kind, k.Prefix, k.CreatedAt, k.LastUsedAt, k.ExpiresAt}
	})
}

type keyRevoke struct {
	ID string `arg:"" help:"The key's id."`
}

// Run revokes.
func (c *keyRevoke) Run(s *session) error {
	a, err := s.call(client.Request{Method: http.MethodDelete, Path: path("/api/v1/me/keys/%s", c.ID)}, nil)
	if err != nil {
		return err
	}
	s.show(a, func() { s.say("Revoked.") })
	return nil
}

type projectCommands struct {
	List   projectList   `cmd:"" help:"Your projects."`
	Create projectCreate `cmd:"" help:"Make a project."`
}

type projectList struct{}

// Run lists.
func (c *projectList) Run(s *session) error {
	return listing(s, "/api/v1/projects", nil, "name|title|local only|made", func(p api.ProjectInfo) []any {
		return []any{p.Name, p.Title, p.LocalOnly, p.CreatedAt}
	})
}

type projectCreate struct {
	Name  string `arg:"" help:"The handle: lower-case letters, digits and hyphens."`
	Title string `help:"The readable name."`
}

// Run creates.
func (c *projectCreate) Run(s *session) error {
	var p api.ProjectInfo
	a, err := s.post("/api/v1/projects", api.NewProject{Name: c.Name, Title: c.Title}, &p)
	if err != nil {
		return err
	}
	s.show(a, func() { s.say("Made the project %s.", p.Name) })
	return nil
}

type catalogCommand struct {
	pageFlags
	Query string `arg:"" optional:"" help:"Words that must all occur."`
}

// Run lists the actions.
func (c *catalogCommand) Run(s *session) error {
	q := c.query()
	q.Set("project", s.project)
	if c.Query != "" {
		q.Set("query", c.Query)
	}
	var page list[api.CatalogEntry]
	a, err := s.get("/api/v1/catalog", q, &page)
	if err != nil {
		return err
	}
	s.show(a, func() {
		var rows [][]any
		for _, e := range page.Items {
			for _, act := range e.Actions {
				rows = append(rows, []any{act.Identity, act.Name, act.Risk, act.Method + " " + act.Path})
			}
		}
		s.table("action|name|risk|request", rows)
		if page.Next != "" {
			s.say("There is more: --cursor %s", page.Next)
		}
	})
	return nil
}

type auditCommand struct {
	pageFlags
	Object string `help:"Only rows about this, for instance plugin:shop."`
	All    bool   `help:"All projects and the installation; for owners."`
}

// Run lists.
func (c *auditCommand) Run(s *session) error {
	q := c.query()
	if !c.All {
		q.Set("project", s.project)
	}
	if c.Object != "" {
		q.Set("object", c.Object)
	}
	return listing(s, "/api/v1/audit", q, "at|who|did|to|detail", func(r api.AuditItem) []any {
		return []any{r.At, r.Actor, r.Verb, r.Object, short(r.Detail)}
	})
}
