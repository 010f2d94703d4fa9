package main

import (
	"net/http"

	"pawl/internal/api"
	"pawl/internal/client"
)

type approvalCommands struct {
	List  approvalList  `cmd:"" help:"The calls of agents that wait, or waited, for a person."`
	Allow approvalAllow `cmd:"" help:"Let a call happen, once."`
	Deny  approvalDeny  `cmd:"" help:"Refuse a call."`
}

type approvalList struct {
	pageFlags
	State string `help:"Only approvals in this state: pending, consumed, denied or expired."`
}

// Run lists.
func (c *approvalList) Run(s *session) error {
	q := c.query()
	if c.State != "" {
		q.Set("state", c.State)
	}
	return listing(s, s.inProject("/approvals"), q, "id|state|action|to|arguments|asked by|until|decided by", func(a api.ApprovalInfo) []any {
		return []any{a.ID, a.State, a.Action, a.Target, short(a.Arguments), a.RequestedBy, a.Until, a.DecidedBy}
	})
}

type approvalID struct {
	ID      string `arg:"" help:"The approval's id."`
	Comment string `short:"m" help:"Why."`
}

func (c *approvalID) decide(s *session, word string) error {
	var info api.ApprovalInfo
	a, err := s.call(client.Request{Method: http.MethodPost, Path: s.inProject("/approvals/%s/%s", c.ID, word), Body: api.ApprovalDecision{Comment: c.Comment}}, &info)
	if err != nil {
		return err
	}
	s.show(a, func() {
		if info.Run != nil {
			s.say("Allowed %s. Follow it: pawl run show %s", info.Action, info.Run)
			return
		}
		s.say("Denied %s. Nothing was sent.", info.Action)
	})
	return nil
}

type approvalAllow struct{ approvalID }

// Run allows.
func (c *approvalAllow) Run(s *session) error { return c.decide(s, "allow") }

type approvalDeny struct{ approvalID }

// Run denies.
func (c *approvalDeny) Run(s *session) error { return c.decide(s, "deny") }
