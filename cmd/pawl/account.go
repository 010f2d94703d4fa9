package main

import (
	"net/http"
	"net/url"

	"pawl/connections"
	"pawl/internal/api"
	"pawl/internal/client"
)

type accountCommands struct {
	Set    accountSet    `cmd:"" help:"Save a key; it is read from standard input."`
	List   accountList   `cmd:"" help:"The project's accounts, without their keys."`
	Remove accountRemove `cmd:"" help:"Take an account out of use."`
}

type accountSet struct {
	Name     string `arg:"" help:"The name under which steps find the account."`
	Identity string `required:"" help:"The connection, for instance developer.shop.v1-0-0."`
}

// Run saves a key.
func (c *accountSet) Run(s *session) error {
	secret, err := s.secret("key of " + c.Identity)
	if err != nil {
		return err
	}
	var info api.AccountInfo
	a, err := s.call(client.Request{
		Method: http.MethodPut, Path: s.inProject("/accounts"),
		Body: api.SetAccount{Name: c.Name, Identity: connections.ConnectionIdentity(c.Identity), Secret: secret},
	}, &info)
	if err != nil {
		return err
	}
	s.show(a, func() { s.say("%s for %s: %s", info.Name, info.Identity, info.Status) })
	return nil
}

type accountList struct {
	pageFlags
	Identity string `help:"Only accounts of this connection."`
}

// Run lists.
func (c *accountList) Run(s *session) error {
	q := c.query()
	if c.Identity != "" {
		q.Set("identity", c.Identity)
	}
	return listing(s, s.inProject("/accounts"), q, "name|identity|status|keys|changed|made by", func(a api.AccountInfo) []any {
		return []any{a.Name, a.Identity, a.Status, a.KeyVersion, a.UpdatedAt, a.CreatedBy}
	})
}

type accountRemove struct {
	Name     string `arg:"" help:"The account's name."`
	Identity string `help:"The connection, when accounts of several have the name."`
}

// Run removes, after asking.
func (c *accountRemove) Run(s *session) error {
	if err := s.confirm("Remove the account " + c.Name + "? Steps that use it fail from now on."); err != nil {
		return err
	}
	q := url.Values{}
	if c.Identity != "" {
		q.Set("identity", c.Identity)
	}
	var info api.AccountInfo
	a, err := s.call(client.Request{Method: http.MethodDelete, Path: s.inProject("/accounts/%s", c.Name), Query: q}, &info)
	if err != nil {
		return err
	}
	s.show(a, func() { s.say("Removed %s for %s.", info.Name, info.Identity) })
	return nil
}
