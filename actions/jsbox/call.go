package jsbox

import (
	"context"
	"encoding/json"
	"slices"

	"pawl/internal/fault"
)

// Stage is what a module reads as ctx.stage.
type Stage string

// The stages of genisys-plugin@1.
const (
	Test       Stage = "test"
	Preview    Stage = "preview"
	Production Stage = "production"
)

// Call is one call of a tool.
type Call struct {
	Tool string
	// Input is JSON of at most MaxInputBytes, checked against the tool's schema by the caller. Empty is {}. A number that
	// JavaScript would round is refused.
	Input json.RawMessage
	Stage Stage
	// Fetch performs the requests of the module; nil refuses them. It is called by several goroutines at once, at most
	// MaxFetches times.
	Fetch Fetch
}

// Result is what a call gave.
type Result struct {
	// Output is compact JSON of at most MaxOutputBytes, without U+0000 and lone surrogates. nil where the call failed.
	Output json.RawMessage
	// Logs are at most MaxLogLines lines, also of a call that failed, where its realm could still tell.
	Logs []string
	// Fetches is how many requests the module sent.
	Fetches int
}

// Call runs a tool in a fresh realm. It returns after all requests of the module have returned.
//
// The faults are
//   - rejected, reason threw: the tool threw or rejected;
//   - the fault of a request that the tool let end the call, as Fetch gave it;
//   - invalid_response: output_invalid for what is no JSON, with a pointer; never_settled; harness where the module broke
//     its own harness;
//   - too_large, reason output;
//   - limit: time, memory, stack, or engine where the module made the engine fail;
//   - invalid_input: no_tool, input, number (a number that JavaScript would round, with a pointer);
//   - timeout or cancelled where ctx ended before the call's own time; sandbox_unavailable.
func (m *Module) Call(ctx context.Context, c Call) (Result, error) {
	if !slices.Contains(m.tools, c.Tool) {
		return Result{}, fault.New(fault.InvalidInput, "no_tool", "The plugin has no tool %.100q.", c.Tool)
	}
	input, err := checkInput(c.Input)
	if err != nil {
		return Result{}, err
	}
	leave, err := m.engine.slot(ctx)
	if err != nil {
		return Result{}, err
	}
	defer leave()
	r, err := m.engine.begin(ctx, m.image, "The tool "+c.Tool)
	if err != nil {
		return Result{}, err
	}
	defer r.end()
	r.fetch = c.Fetch
	said, err := r.tool(m, c, input)
	var result Result
	if err != nil {
		err = r.fault(err)
		result = Result{Logs: r.leftLogs(), Fetches: r.sent}
	} else {
		result, err = r.outcome(said)
	}
	r.cancel()
	r.drain()
	return result, err
}

// tool starts the tool and goes on until it is done.
func (r *run) tool(m *Module, c Call, input string) (reply, error) {
	if m.fresh {
		if err := r.evaluate(m.code, m.tools); err != nil {
			return reply{}, err
		}
	}
	said, err := r.v.ask(r.control.start, callID, c.Tool, input, string(c.Stage))
	for err == nil && said.State == "" {
		if err = r.jobs(); err != nil {
			break
		}
		if said, err = r.v.ask(r.control.poll, callID); err != nil {
			break
		}
		switch said.State {
		case "done", "error":
		case "fetch":
			err = r.send(said.Request)
			said = reply{}
		case "running":
			err = r.wait()
			said = reply{}
		default:
			err = r.brokenHarness()
		}
	}
	if err == nil && r.unhandled() {
		return r.v.ask(r.control.poll, callID)
	}
	return said, err
}
