package agents

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pawl/connections"
	"pawl/internal/fault"
	"pawl/internal/store"
)

// success is the result of a call: the output as structured content, and the same as text. What is no object stands in the
// member result, for structured content is an object.
func success(output json.RawMessage, meta mcp.Meta) *mcp.CallToolResult {
	if len(output) == 0 {
		output = json.RawMessage("null")
	}
	if output[0] != '{' {
		output = raw(map[string]json.RawMessage{"result": output})
	}
	return &mcp.CallToolResult{Meta: meta, StructuredContent: output, Content: []mcp.Content{&mcp.TextContent{Text: string(output)}}}
}

// failed is what a failed call says of its error.
type failed struct {
	Kind      fault.Kind     `json:"kind"`
	Reason    string         `json:"reason,omitempty"`
	Message   string         `json:"message"`
	Where     *fault.Where   `json:"where,omitempty"`
	Status    int            `json:"status,omitempty"`
	Retryable bool           `json:"retryable"`
	Details   map[string]any `json:"details,omitempty"`
}

// failure is the result of a call that failed. run is the run that it was, nil for none.
func failure(f *fault.Error, run *store.Run) *mcp.CallToolResult {
	said := map[string]any{"error": failed{f.Kind, f.Reason, f.Message, f.Where, f.Status, f.Retryable(), f.Details}}
	if run != nil {
		said["run"], said["state"] = run.ID, run.State
	}
	return &mcp.CallToolResult{IsError: true, StructuredContent: raw(said), Content: []mcp.Content{&mcp.TextContent{Text: f.Message}}}
}

// under is the result of a call that is still under way.
func under(run *store.Run) *mcp.CallToolResult {
	said := map[string]any{"state": run.State, "run": run.ID, "next": "The call goes on. Ask for its end with run_result and this run."}
	if run.WaitFor != nil {
		said["waiting"] = map[string]any{"for": run.WaitFor, "since": run.WaitSince, "until": run.WaitUntil}
	}
	text := fmt.Sprintf("The call is still under way, as run %s: ask for its end with run_result. Don't call again.", run.ID)
	return &mcp.CallToolResult{StructuredContent: raw(said), Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// pending is the result of a call that waits for a person.
func pending(a *connections.Approval) *mcp.CallToolResult {
	said := map[string]any{
		"state": "waiting", "approval": a.ID, "until": a.Until,
		"next": "A person has to allow this call. Ask for what became of it with run_result and this approval.",
	}
	text := fmt.Sprintf("The call waits for a person to allow it, as approval %s. Nothing was sent yet. Ask with run_result what became of it.", a.ID)
	return &mcp.CallToolResult{StructuredContent: raw(said), Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// ended is the result of a run that ended or needs a person, nil while it is under way.
func (s *Server) ended(ctx context.Context, by *who, run *store.Run) (*mcp.CallToolResult, error) {
	switch run.State {
	case "succeeded":
		output, err := s.output(ctx, by, run)
		if err != nil {
			return nil, err
		}
		return success(output, mcp.Meta{"pawl/run": run.ID.String()}), nil
	case "failed", "cancelled":
		f := fault.New(fault.Cancelled, "run_cancelled", "The run was cancelled.")
		if run.Error != nil {
			f = fault.FromJSON(*run.Error)
		}
		return failure(f, run), nil
	case "needs_attention":
		return failure(fault.New(fault.OutcomeUnknown, "needs_attention",
			"It is not known whether this was carried out, as run %s says. Don't call again: a person decides about it (pawl run show %s).", run.ID, run.ID), run), nil
	}
	return nil, nil
}

// output reads what a run gave: of a call the output of its step. One that is too large is named.
func (s *Server) output(ctx context.Context, by *who, run *store.Run) (json.RawMessage, error) {
	var output json.RawMessage
	switch {
	case run.OutputBlob != nil:
		b, err := s.Store.RunBlob(ctx, run.ID, run.OutputBlob)
		if err != nil {
			return nil, err
		}
		output = b.Body
	case run.Output != nil:
		output = *run.Output
	}
	if run.Action != nil {
		var whole struct{ Result json.RawMessage }
		if err := json.Unmarshal(output, &whole); err != nil {
			return nil, fmt.Errorf("read the output of run %s: %w", run.ID, err)
		}
		output = whole.Result
	}
	if len(output) > maxResult {
		return raw(map[string]any{"too_large": true, "bytes": len(output), "read_at": "/api/v1/projects/" + by.project.Name + "/runs/" + run.ID.String()}), nil
	}
	return output, nil
}

// runResult is the tool run_result.
func (s *Server) runResult(ctx context.Context, in *invocation) (*mcp.CallToolResult, error) {
	var q struct{ Run, Approval string }
	if err := json.Unmarshal(in.arguments, &q); err != nil || (q.Run == "") == (q.Approval == "") {
		return nil, fault.New(fault.InvalidInput, "run", "Give run_result either a run or an approval, each by its id.")
	}
	id, err := uuid.Parse(q.Run + q.Approval)
	if err != nil {
		return nil, fault.New(fault.InvalidInput, "run", "%.60q is no id.", q.Run+q.Approval)
	}
	if q.Approval != "" {
		a, err := s.Store.ApprovalByID(ctx, in.by.project.ID, id)
		if err != nil || a.RequestedBy == in.by.caller.Actor() {
			if err != nil {
				return nil, err
			}
			return s.awaitApproval(ctx, in, id)
		}
		return nil, fault.New(fault.NotFound, "approval", "There is no approval %s of yours.", id)
	}
	if stage, err := s.Store.RunStage(ctx, in.by.project.ID, id); err != nil {
		return nil, err
	} else if in.by.caller.TestOnly() && stage != "test" {
		return nil, fault.New(fault.Forbidden, "test_key", "Run %s follows a published version, and a test key sees runs of drafts alone.", id)
	}
	return s.await(ctx, in, id)
}
