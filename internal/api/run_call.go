package api

import (
	"encoding/json"

	"pawl/internal/fault"
	"pawl/internal/sandbox"
)

// ToolCall is what a call of a tool left beside its output.
type ToolCall struct {
	Logs    []string      `json:"logs" nullable:"false" doc:"What it said with ctx.log, 200 lines at most"`
	Fetches []ToolRequest `json:"fetches" nullable:"false" doc:"What it asked for with ctx.fetch, in that order"`
}

// ToolRequest is one request that a module asked for.
type ToolRequest struct {
	Method string     `json:"method"`
	URL    string     `json:"url" doc:"Its beginning, 2,000 bytes at most"`
	Status *int       `json:"status" doc:"Null where no answer came"`
	Sent   bool       `json:"sent" doc:"Whether a byte of it may have gone out"`
	Error  *StepError `json:"error" doc:"What the module was told where no answer came"`
}

func toolCall(logs []string, requests []sandbox.Request) *ToolCall {
	c := &ToolCall{Logs: append([]string{}, logs...), Fetches: make([]ToolRequest, 0, len(requests))}
	for _, r := range requests {
		shown := ToolRequest{Method: r.Method, URL: r.URL, Sent: r.Sent, Error: shownError(r.Error)}
		if r.Status != 0 {
			shown.Status = &r.Status
		}
		c.Fetches = append(c.Fetches, shown)
	}
	return c
}

// calledTool reads what the ledger keeps of a call, nil for none.
func calledTool(trace *string) *ToolCall {
	if trace == nil {
		return nil
	}
	var t sandbox.Trace
	if err := json.Unmarshal([]byte(*trace), &t); err != nil {
		return nil // the ledger wrote it; the run shows without
	}
	return toolCall(t.Logs, t.Requests)
}

func shownError(e *fault.Error) *StepError {
	if e == nil {
		return nil
	}
	return &StepError{Kind: e.Kind, Reason: e.Reason, Message: e.Message, Where: e.Where, Status: e.Status, Retryable: e.Retryable(), Details: e.Details}
}
