package agents

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/connections/release"
	"pawl/internal/auth"
	"pawl/internal/fault"
	"pawl/internal/tryout"
)

// triedOffers gives the tools of a draft or a preview version. A preview version that is in production too is served from
// there.
func (s *Server) triedOffers(p *release.Served, production map[string]bool, released []*offer) []*offer {
	id := connections.Identity{Source: connections.SourcePlugin, ID: p.ID, Version: p.Version}
	var list []*offer
	for i := range p.Tools {
		id.Action = p.Tools[i].Name
		if production[string(id.ActionIdentity())] {
			return nil
		}
		list = append(list, s.triedOffer(p, &p.Tools[i], id))
	}
	for _, o := range released { // its place is taken
		if o.plugin == p.ID {
			o.name = ""
		}
	}
	return list
}

func (s *Server) triedOffer(p *release.Served, t *genisys.Tool, id connections.Identity) *offer {
	var none *release.Settings
	o := &offer{
		name: p.ID + "__" + t.Name, title: p.Name + ": " + t.Name + " (" + stageWord(p.Stage) + ")", about: t.Description,
		what: string(id.ActionIdentity()) + " (" + stageWord(p.Stage) + ")", schema: t.Input, plugin: p.ID,
		effect: none.ToolEffect(t, p.Hosts), risk: none.ToolRisk(t, p.Hosts),
	}
	o.call = func(ctx context.Context, in *invocation) (*mcp.CallToolResult, error) {
		return s.callTried(ctx, o, p.Stage, t.Name, in)
	}
	return o
}

func stageWord(s release.Stage) string {
	if s == release.StageTest {
		return "draft"
	}
	return string(s)
}

// callTried calls a tool that is not in production, in the sandbox and outside of the ledger, once. It needs the grant of
// the plugin to agents; nobody is asked, for an approval is for what can't change any more.
func (s *Server) callTried(ctx context.Context, o *offer, stage release.Stage, tool string, in *invocation) (*mcp.CallToolResult, error) {
	if err := in.by.may(auth.Test); err != nil {
		return nil, err
	}
	if err := o.check(in.arguments); err != nil {
		return nil, err
	}
	granted, err := s.Store.AgentsMay(ctx, in.by.project.ID, grantTarget(o))
	if err != nil {
		return nil, err
	}
	if !granted {
		return nil, connections.MissingAgentsGrant(connections.ActionIdentity(o.what), o.plugin)
	}
	r, err := s.Tests.Tool(ctx, tryout.Subject{
		Project: in.by.project.ID, LocalOnly: in.by.project.LocalOnly, Plugin: o.plugin, Stage: stage, By: in.by.caller.Actor(),
	}, tool, in.arguments)
	if err != nil {
		return nil, err
	}
	if f := sentUnknown(&r); f != nil {
		return failure(f, nil), nil
	}
	return success(r.Output, mcp.Meta{"pawl/stage": string(stage), "pawl/logs": r.Logs}), nil
}

// sentUnknown is the fault of a test call, told as unknown where a request went out and no answer came; nil without one.
func sentUnknown(r *tryout.Result) *fault.Error {
	if r.Err == nil {
		return nil
	}
	for _, q := range r.Fetches {
		if q.Sent && q.Status == 0 && q.Method != http.MethodGet && q.Method != http.MethodHead {
			return fault.New(fault.OutcomeUnknown, r.Err.Reason, "The tool sent a request and no answer came: it may have been carried out. %s", r.Err.Message)
		}
	}
	return r.Err
}

// may refuses what the caller's key or role does not allow. A research key may call what only reads.
func (w *who) may(p auth.Permission) error {
	if w.research() || w.caller.MayIn(w.project.ID, p) {
		return nil
	}
	return w.caller.Need(p)
}

// own gives the tools of Pawl itself.
func (s *Server) own() []*offer {
	object := func(properties map[string]any, required ...string) json.RawMessage {
		return raw(map[string]any{"type": "object", "properties": properties, "required": append([]string{}, required...), "additionalProperties": false})
	}
	text := func(about string) map[string]any { return map[string]any{"type": "string", "description": about} }
	tool := func(name, title, about string, schema json.RawMessage, call func(context.Context, *invocation) (*mcp.CallToolResult, error)) *offer {
		return &offer{name: name, title: title, about: about, what: "Pawl's own " + name, schema: schema, effect: release.LocalRead, risk: release.RiskRead, call: call}
	}
	return []*offer{
		tool("skill_list", "Skills", "Lists the skills of the plugins that are served here. A skill is instructions; it grants nothing.", object(map[string]any{}), s.skillList),
		tool("skill_read", "Read a skill", "Gives the instructions of a skill.", object(map[string]any{"name": text("<plugin-id>:<skill-name>, from skill_list")}, "name"), s.skillRead),
		tool("run_result", "Result of a run", "Tells how a call or a run went that had not ended, or what became of a call that waited for a person.",
			object(map[string]any{"run": text("The id of a run"), "approval": text("or of an approval")}), s.runResult),
	}
}
