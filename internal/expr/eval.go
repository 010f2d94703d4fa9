package expr

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"pawl/internal/fault"
)

// Env is what expressions see. It is only read.
type Env struct {
	// Vars holds the roots by name: "inputs", "trigger", "error", loop variables, and "steps", an object of step
	// id to {"output": ...}. Values are decoded JSON: map[string]any, []any, string, bool, nil and json.Number,
	// as Parse gives them.
	Vars map[string]any
	// Now is what now() gives.
	Now time.Time
	// Seed makes the results of uuid(): the same seed gives the same ones. Without a seed uuid() is an error.
	Seed []byte
}

// Parse reads one JSON value in the form of Env.Vars; numbers keep their digits.
func Parse(data []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, fmt.Errorf("parse a JSON value: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("parse a JSON value: more than one")
	}
	return v, nil
}

// Eval gives the value as JSON text. Its errors are *fault.Error: expression, or limit, or cancelled when ctx
// ends.
func (t *Template) Eval(ctx context.Context, env Env) ([]byte, error) {
	if c, ok := t.root.(constant); ok {
		return bytes.Clone(c), nil
	}
	e := newEvaluation(ctx, env)
	defer e.close()
	b, err := t.root.append(nil, e)
	if err != nil {
		return nil, err
	}
	if len(b) > MaxResult {
		return nil, fault.New(fault.Limit, "size", "The value has %d bytes; at most %d are allowed.", len(b), MaxResult)
	}
	return b, nil
}

// EvalBool gives a condition's truth. Anything but true and false is an expression error.
func (t *Template) EvalBool(ctx context.Context, env Env) (bool, error) {
	b, err := t.Eval(ctx, env)
	if err != nil {
		return false, err
	}
	switch string(b) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, t.misfit("a condition must be true or false, and this is "+shape(b), "not_boolean")
}

// EvalList gives the elements of a list as JSON texts. Anything but a list is an expression error.
func (t *Template) EvalList(ctx context.Context, env Env) ([]json.RawMessage, error) {
	if x, ok := t.root.(*expression); ok && x.path != nil {
		if v, err := x.path.find(env.Vars); err == nil {
			if elements, ok := v.([]any); ok {
				return x.elements(elements)
			}
		}
	}
	b, err := t.Eval(ctx, env)
	if err != nil {
		return nil, err
	}
	if b[0] != '[' {
		return nil, t.misfit("a list is needed here, and this is "+shape(b), "not_list")
	}
	var list []json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("cut a list into its elements: %w", err)
	}
	return list, nil
}

// elements writes each element of a list by itself, so that none is read twice.
func (x *expression) elements(list []any) ([]json.RawMessage, error) {
	texts, size := make([]json.RawMessage, len(list)), 0
	for i, v := range list {
		b, err := appendNative(nil, v)
		if err != nil {
			return nil, x.fault(err, &trail{})
		}
		if size += len(b); size > MaxResult {
			return nil, x.fault(errResult, &trail{})
		}
		texts[i] = b
	}
	return texts, nil
}

// misfit is the error that the whole value has the wrong type.
func (t *Template) misfit(message, reason string) error {
	if x, ok := t.root.(*expression); ok {
		return x.located(fault.New(fault.Expression, reason, "%s: %s.", x.quote(), message))
	}
	return fault.New(fault.Expression, reason, "Here %s.", message)
}

// shape names the kind of a JSON text.
func shape(b []byte) string {
	switch b[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// evaluation is one call of Eval. It is also the activation that CEL resolves names in.
type evaluation struct {
	ctx    context.Context
	cancel context.CancelFunc
	env    Env
	seed   *seed
	trail  *trail
}

func newEvaluation(ctx context.Context, env Env) *evaluation {
	return &evaluation{ctx: ctx, env: env}
}

func (e *evaluation) close() {
	if e.cancel != nil {
		e.cancel()
	}
}

// start prepares what only CEL needs.
func (e *evaluation) start() {
	if e.cancel == nil {
		e.ctx, e.cancel = context.WithTimeout(e.ctx, MaxTime)
		e.seed = &seed{bytes: e.env.Seed}
	}
	e.trail = &trail{}
}

// value evaluates an expression that is no path.
func (e *evaluation) value(x *expression) (ref.Val, error) {
	e.start()
	if err := e.ctx.Err(); err != nil {
		return nil, x.fault(err, e.trail)
	}
	v, _, err := x.program.ContextEval(e.ctx, e)
	if err != nil {
		return nil, x.fault(err, e.trail)
	}
	return v, nil
}

// text evaluates an expression inside a longer text.
func (e *evaluation) text(x *expression) (string, error) {
	if x.path != nil {
		v, err := x.path.find(e.env.Vars)
		if err != nil {
			return "", x.fault(err, &trail{})
		}
		s, err := nativeText(v)
		if err != nil {
			return "", x.fault(err, &trail{})
		}
		return s, nil
	}
	v, err := e.value(x)
	if err != nil {
		return "", err
	}
	s, err := textOf(v)
	if err != nil {
		return "", x.fault(err, e.trail)
	}
	return s, nil
}

// ResolveName implements CEL's Activation.
func (e *evaluation) ResolveName(name string) (any, bool) {
	switch name {
	case nowVariable:
		return types.Timestamp{Time: e.env.Now}, true
	case seedVariable:
		return e.seed, true
	}
	v, ok := e.env.Vars[name]
	if !ok {
		return nil, false
	}
	return wrap(v, place{key: name, trail: e.trail}), true
}

// Parent implements CEL's Activation.
func (e *evaluation) Parent() interpreter.Activation { return nil }
