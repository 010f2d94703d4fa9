package jsbox

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"pawl/internal/fault"
)

// Module is a plugin's module that was loaded. It is safe for use by several goroutines, and good until its Engine is
// closed.
type Module struct {
	engine *Engine
	code   string
	tools  []string
	// image is the memory that a call starts from: with the module evaluated or, where fresh, without.
	image *image
	fresh bool
}

// Tools are the names of the tools that it was loaded with.
func (m *Module) Tools() []string { return slices.Clone(m.tools) }

// Load evaluates a module once, in the sandbox, and checks it: its syntax, that it imports nothing, that it has a default
// export that is an object, and in its tools a function for each name of tools. digest names code and tools together,
// for instance a release's digest, and lets Load find what it has loaded; "" keeps nothing.
//
// The faults are invalid_input with reason encoding, syntax, import, no_default, no_tools, tool_missing, threw (at the top
// level) or never_settled, with line and column where the engine gives them; too_large with reason size; limit with
// reason time, memory, stack or engine; timeout or cancelled where ctx ended; sandbox_unavailable.
func (e *Engine) Load(ctx context.Context, digest, code string, tools []string) (*Module, error) {
	if err := checkCode(code); err != nil {
		return nil, err
	}
	if m := e.loaded.get(digest); m != nil && m.code == code && slices.Equal(m.tools, tools) {
		return m, nil
	}
	base, err := e.started(ctx)
	if err != nil {
		return nil, err
	}
	leave, err := e.slot(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	m, err := e.load(ctx, base, code, slices.Clone(tools))
	if err != nil {
		return nil, err
	}
	e.loaded.put(digest, m)
	return m, nil
}

func checkCode(code string) error {
	switch {
	case len(code) > MaxCodeBytes:
		return fault.New(fault.TooLarge, "size", "The module has %d bytes; at most %d are run.", len(code), MaxCodeBytes)
	case !utf8.ValidString(code):
		return fault.New(fault.InvalidInput, "encoding", "The module is not UTF-8.")
	}
	return nil
}

func (e *Engine) load(ctx context.Context, base *image, code string, tools []string) (*Module, error) {
	r, err := e.begin(ctx, base, "The module")
	if err != nil {
		return nil, err
	}
	defer r.end()
	r.idle = fault.InvalidInput
	if err := r.evaluate(code, tools); err != nil {
		return nil, err
	}
	m := &Module{engine: e, code: code, tools: tools, image: base, fresh: r.v.host.asked}
	if m.fresh {
		return m, nil
	}
	if err := r.v.collect(); err != nil {
		return nil, r.fault(err)
	}
	if m.image, err = base.changed(r.v.mod.Memory()); err != nil {
		return nil, r.fault(err)
	}
	return m, nil
}

// evaluate runs the top level of a module and hands its exports to the harness.
func (r *run) evaluate(code string, tools []string) error {
	promise, err := r.v.eval(code, moduleName, evalModule)
	if err != nil {
		return r.refuseCode(code, err)
	}
	namespace, err := r.settled(promise)
	if err != nil {
		return r.refuseCode(code, err)
	}
	names, err := encode(append([]string{}, tools...))
	if err != nil {
		return r.fault(err)
	}
	list, err := r.v.newString(names)
	if err != nil {
		return r.fault(err)
	}
	said, err := r.v.askValues(r.control.load, namespace, list)
	switch {
	case err != nil:
		return r.fault(err)
	case said.State == "error" && said.Reason == "threw":
		return r.threwWhileLoaded(said)
	case said.State == "error":
		return loadFault(said)
	}
	r.unhandled()
	return nil
}

// settled waits for the promise of a module's top level.
func (r *run) settled(promise value) (value, error) {
	for {
		if err := r.jobs(); err != nil {
			return 0, err
		}
		state, err := r.v.step("qjs_promise_state", uint64(promise))
		if err != nil {
			return 0, err
		}
		if state == promisePending {
			if err := r.wait(); err != nil {
				return 0, err
			}
			continue
		}
		got, err := r.v.result(r.v.step("qjs_promise_result", uint64(promise)))
		if err == nil && state == promiseRejected {
			err = &thrown{value: got}
		}
		return got, err
	}
}

// The states of a promise in the engine.
const (
	promisePending  = 0
	promiseRejected = 2
)

// refuseCode says why a module can't be evaluated.
func (r *run) refuseCode(code string, err error) error {
	t, ok := thrownBy(err)
	if !ok || t.final {
		return r.fault(err)
	}
	said, failed := r.v.askValues(r.control.describe, t.value)
	if failed != nil {
		return r.fault(failed)
	}
	switch {
	case r.v.host.imported != "":
		line, column := importPosition(code, r.v.host.imported)
		return importFault(r.v.host.imported, line, column)
	case said.Name == "InternalError" && strings.Contains(said.Message, "out of memory"):
		return r.overMemory(said)
	case said.Name == "InternalError" && strings.HasSuffix(said.Message, "interrupted") && r.soft.Err() != nil:
		if err := r.stopped(); err != nil {
			return err
		}
		return r.overTime(said)
	case tooDeep(said):
		return at(fault.New(fault.Limit, "stack", "The module is nested or recurses too deep to be loaded%s.", where(said)), said)
	case said.Name == "SyntaxError":
		return syntaxFault(said)
	default:
		return r.threwWhileLoaded(said)
	}
}
