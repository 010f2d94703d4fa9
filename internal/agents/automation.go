package agents

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pawl/connections/release"
	"pawl/internal/auth"
	"pawl/internal/automation"
	"pawl/internal/fault"
	"pawl/internal/launch"
	"pawl/internal/store"
)

// automations gives the published automations of the project; a test key gets the drafts.
func (s *Server) automations(ctx context.Context, by *who) ([]*offer, error) {
	if by.research() {
		return nil, nil // what they do is not known to be reading
	}
	var list []*offer
	for after := ""; ; {
		page, err := s.Store.ListAutomations(ctx, store.AutomationFilter{Project: by.project.ID, After: after, Limit: listedPage})
		if err != nil {
			return nil, err
		}
		for i := range page {
			o, err := s.automation(ctx, by, &page[i])
			if err != nil {
				return nil, err
			}
			if o != nil {
				list = append(list, o)
			}
		}
		if len(page) < listedPage {
			return list, nil
		}
		after = page[len(page)-1].Name
	}
}

// automation is the offer of one automation, nil for one without what the caller may run.
func (s *Server) automation(ctx context.Context, by *who, a *store.ListedAutomation) (*offer, error) {
	body := a.Draft
	if !by.caller.TestOnly() {
		if a.LiveDigest == nil {
			return nil, nil
		}
		var err error
		if body, err = s.Store.Document(ctx, a.LiveDigest); err != nil {
			return nil, err
		}
	}
	doc, problems := automation.Decode(body)
	if len(problems) > 0 { // a draft that can't be run yet
		return nil, nil
	}
	id := a.ID
	o := &offer{
		name: "automation__" + a.Name, title: doc.Name, about: about(doc), what: "the automation " + a.Name, schema: inputsOf(doc), effect: release.ExternalUnknown, risk: release.RiskExternal,
	}
	o.call = func(ctx context.Context, in *invocation) (*mcp.CallToolResult, error) { return s.startRun(ctx, id, in) }
	return o, nil
}

func about(doc *automation.Document) string {
	if doc.Note != "" {
		return doc.Note
	}
	return "Runs the automation " + doc.Name + "."
}

// inputsOf is the schema of an automation's input: of type object, as the protocol has it.
func inputsOf(doc *automation.Document) json.RawMessage {
	var top map[string]json.RawMessage
	if doc.Inputs == nil || json.Unmarshal(doc.Inputs, &top) != nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	if string(top["type"]) != `"object"` {
		top["type"] = json.RawMessage(`"object"`)
	}
	return raw(top)
}

// startRun starts a run of an automation: of its live version, of its draft for a test key.
func (s *Server) startRun(ctx context.Context, id uuid.UUID, in *invocation) (*mcp.CallToolResult, error) {
	needs := auth.Run
	if in.by.caller.TestOnly() {
		needs = auth.Test
	}
	if err := in.by.may(needs); err != nil {
		return nil, err
	}
	key, err := in.key()
	if err != nil {
		return nil, err
	}
	q := launch.StartRequest{
		Project: in.by.project.ID, Automation: id, Draft: in.by.caller.TestOnly(), Input: in.arguments, GivenKey: key, Trigger: launch.TriggerAgent, Actor: in.by.caller.Actor(),
	}
	if key != "" {
		q.StartKey = in.startKey(key)
	}
	run, _, err := s.Runs.Start(ctx, q)
	var problems fault.List
	if errors.As(err, &problems) {
		return nil, fault.One(problems)
	}
	if err != nil {
		return nil, err
	}
	return s.await(ctx, in, run)
}
