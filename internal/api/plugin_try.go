package api

import (
	"context"
	"encoding/json"

	"pawl/actions/httpcall"
	"pawl/connections/release"
	"pawl/connections/vault"
	"pawl/internal/auth"
	"pawl/internal/fault"
	"pawl/internal/tryout"
)

// TestCall asks for one call of a tool, or of an action of the draft.
type TestCall struct {
	Stage  release.Stage   `json:"stage,omitempty" enum:"test,preview,production" doc:"test, the draft, without; the only one for test API keys and for actions"`
	Tool   string          `json:"tool,omitempty" maxLength:"64" doc:"A tool, or else"`
	Action string          `json:"action,omitempty" maxLength:"64" doc:"an action of the draft's app"`
	Input  json.RawMessage `json:"input,omitempty" doc:"A JSON object, {} without"`
	Key    string          `json:"key,omitempty" maxLength:"20000" doc:"action: the key to send, used for this test and kept nowhere"`
}

// TestResult is what a test call gave, also one that failed.
type TestResult struct {
	Stage   release.Stage   `json:"stage" enum:"test,preview,production"`
	Version string          `json:"version" doc:"Of the plugin in that stage"`
	Output  json.RawMessage `json:"output" doc:"Null where it failed; of an action that its app refused, the answer"`
	ToolCall
	Request *SentRequest `json:"request" doc:"What an action sent; null for a tool, and where its input did not fit"`
	Error   *StepError   `json:"error" doc:"Why it failed, with line and column of the module where they are known; null for success"`
	TookMS  int64        `json:"took_ms"`
}

// tested says what is tested: the stage of a plugin, for the project.
func tested(ctx context.Context, plugin string, stage release.Stage) (tryout.Subject, error) {
	c, p := auth.CallerOf(ctx), projectOf(ctx)
	if stage == "" {
		stage = release.StageTest
	}
	if stage != release.StageTest && c.TestOnly() {
		return tryout.Subject{}, auth.NotForTestKeys().At("/stage")
	}
	return tryout.Subject{Project: p.ID, LocalOnly: p.LocalOnly, Plugin: plugin, Stage: stage, By: c.Actor()}, nil
}

func (s *server) testPlugin(ctx context.Context, in *struct {
	InProject
	InPlugin
	Body TestCall
},
) (*struct{ Body TestResult }, error) {
	b := &in.Body
	subject, err := tested(ctx, in.ID, b.Stage)
	if err != nil {
		return nil, err
	}
	if b.Input == nil {
		b.Input = json.RawMessage(`{}`)
	}
	var r tryout.Result
	switch {
	case (b.Tool == "") == (b.Action == ""):
		return nil, fault.New(fault.InvalidInput, "call", "Name either a tool or an action to test.").At("/tool")
	case b.Tool != "" && b.Key != "":
		return nil, fault.New(fault.InvalidInput, "key", "A tool gets no key: leave it out.").At("/key")
	case b.Tool != "":
		r, err = s.Tests.Tool(ctx, subject, b.Tool, b.Input)
	default:
		r, err = s.Tests.Action(ctx, subject, b.Action, b.Input, vault.NewSecret(b.Key))
	}
	if err != nil {
		return nil, err
	}
	return &struct{ Body TestResult }{testResult(subject.Stage, &r)}, nil
}

func testResult(stage release.Stage, r *tryout.Result) TestResult {
	out := TestResult{
		Stage: stage, Version: r.Version.String(), Output: orNull(r.Output), ToolCall: *toolCall(r.Logs, r.Fetches), Error: shownError(r.Err), TookMS: r.Took.Milliseconds(),
	}
	if q := r.Request; q != nil {
		out.Request = &SentRequest{q.Method, q.URL, q.Headers, q.Body, q.BodyBytes}
	}
	return out
}

// TestFetch is a request of a module that runs in the browser's sandbox.
type TestFetch struct {
	Stage   release.Stage     `json:"stage,omitempty" enum:"test,preview,production" doc:"test, the draft, without"`
	URL     string            `json:"url" maxLength:"20000"`
	Method  string            `json:"method,omitempty" maxLength:"20" doc:"GET without"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
}

func (s *server) fetchForPlugin(ctx context.Context, in *struct {
	InProject
	InPlugin
	Body TestFetch
},
) (*struct{ Body httpcall.Fetched }, error) {
	b := &in.Body
	subject, err := tested(ctx, in.ID, b.Stage)
	if err != nil {
		return nil, err
	}
	answer, err := s.Tests.Fetch(ctx, subject, tryout.Fetch{URL: b.URL, Method: b.Method, Headers: b.Headers, Body: b.Body})
	if err != nil {
		return nil, err
	}
	return &struct{ Body httpcall.Fetched }{answer}, nil
}
