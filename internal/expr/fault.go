package expr

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"pawl/internal/canon"
	"pawl/internal/fault"
)

// failure is an error inside an evaluation, before it is a fault with its place.
type failure struct{ reason, message string }

func (f failure) Error() string { return f.message }

// errWork is what a function fails with that would do more than an expression may.
var errWork = errors.New("too much work")

// failed makes an error value.
func failed(err error) ref.Val { return types.WrapErr(err) }

// unfit is the failure of an operator that can't take its operands.
func unfit(operator string, operands ...ref.Val) error {
	names := make([]string, len(operands))
	for i, v := range operands {
		names[i] = describe(v)
	}
	return failure{"type", operator + " can't take " + strings.Join(names, " and ")}
}

// describe names a value's kind with its article.
func describe(v ref.Val) string {
	switch v.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return "a boolean"
	case types.String:
		return "a string"
	case largeText:
		return tooLarge
	case number, types.Int, types.Uint:
		return "a number"
	case types.Timestamp:
		return "an instant"
	case types.Duration:
		return "a duration"
	case *types.Optional:
		return "an optional"
	case *object:
		return "an object"
	case *array:
		return "a list"
	}
	switch v.Type() {
	case types.ListType:
		return "a list"
	case types.MapType:
		return "an object"
	}
	return "a value of type " + v.Type().TypeName()
}

// fault turns the error of an evaluation into one that names the expression and what is wrong.
func (x *expression) fault(err error, t *trail) *fault.Error {
	if f := limitFault(err); f != nil {
		return x.located(f)
	}
	var own failure
	message := err.Error()
	switch {
	case errors.As(err, &own):
		return x.located(fault.New(fault.Expression, own.reason, "%s", x.sentence(own.message)))
	case errors.Is(err, errNumber), errors.Is(err, errExponent), errors.Is(err, errDigits), errors.Is(err, errRounds), errors.Is(err, errZero):
		return x.located(fault.New(fault.Expression, "number", "%s", x.sentence(message)))
	}
	if key, ok := strings.CutPrefix(message, "no such key: "); ok {
		return x.located(fault.New(fault.Expression, "missing", "%s", x.sentence(t.missingMember(key))))
	}
	if index, ok := strings.CutPrefix(message, "index out of bounds: "); ok {
		return x.located(fault.New(fault.Expression, "missing", "%s", x.sentence(t.missingElement(index))))
	}
	if name, ok := strings.CutPrefix(message, "no such attribute(s): "); ok {
		return x.located(fault.New(fault.Expression, "missing", "%s: %q is not defined here.", x.quote(), name))
	}
	if message == "no such overload" {
		message = "a function or an operator can't take one of these values"
	}
	return x.located(fault.New(fault.Expression, "evaluation", "%s", x.sentence(message+t.lastScalar())))
}

func limitFault(err error) *fault.Error {
	var cancelled interpreter.EvalCancelledError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errWork):
		return costFault()
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.Limit, "time", "The expression takes too long: one evaluation has %s. Do less in it, or use a code step.", MaxTime)
	case errors.Is(err, context.Canceled):
		return fault.New(fault.Cancelled, "", "The evaluation was cancelled.")
	case errors.As(err, &cancelled):
		return costFault()
	case strings.Contains(err.Error(), "regex program size"):
		return fault.New(fault.Limit, "regex", "The regular expression is too large.")
	}
	return nil
}

// sentence puts the expression before what is wrong with it.
func (x *expression) sentence(message string) string {
	end := "."
	if strings.HasSuffix(message, "?") || strings.HasSuffix(message, ".") {
		end = ""
	}
	return x.quote() + ": " + message + end
}

func costFault() *fault.Error {
	return fault.New(fault.Limit, "cost", "The expression does too much: one evaluation may cost %d units. Do less in it, or use a code step.", MaxCost)
}

func (x *expression) quote() string { return "{{ " + clip(x.source) + " }}" }

// where is the expression's place.
func (x *expression) where() fault.Where {
	return fault.Where{Expression: x.source, Pointer: x.pointer, Line: x.line, Column: x.column}
}

// located gives f the expression's text and place; a line that f knows better stays.
func (x *expression) located(f *fault.Error) *fault.Error {
	c := *f
	w := x.where()
	if f.Where != nil && f.Where.Line > 0 {
		w.Line, w.Column = f.Where.Line, f.Where.Column
	}
	c.Where = &w
	return &c
}

// missingMember says what lacks the member that CEL did not find.
func (t *trail) missingMember(key string) string {
	switch {
	case t.scalar != nil:
		return fmt.Sprintf("%s is %s and has no member %q", t.scalar, t.kind, key)
	case t.missed == nil || t.key != key:
		return fmt.Sprintf("there is no member %q", key)
	}
	return noMember(t.missed, key, t.members)
}

func noMember(at *place, key string, members []string) string {
	if at.up == nil && at.key == "steps" {
		return fmt.Sprintf("step %q has no output here: it has not run before this step, its branch was not taken, or it failed%s", key, near(key, members))
	}
	return fmt.Sprintf("%s has no member %q%s", at, key, near(key, members))
}

// near ends a sentence with the member that was probably meant, or with those there are.
func near(key string, members []string) string {
	if n := canon.Nearest(key, members); n != "" {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	if len(members) == 0 || len(members) > maxKnown {
		return ""
	}
	return "; it has " + strings.Join(members, ", ")
}

func (t *trail) missingElement(index string) string {
	if t.missed == nil || t.key != index || t.members != nil {
		return "there is no element " + index
	}
	return noElement(t.missed, index, t.length)
}

func noElement(at *place, index string, length int) string {
	if length == 0 {
		return fmt.Sprintf("%s has no element %s: it is empty", at, index)
	}
	return fmt.Sprintf("%s has no element %s: it has %d, counted from 0", at, index, length)
}

func (t *trail) lastScalar() string {
	if t.scalar == nil {
		return ""
	}
	return fmt.Sprintf(" (the last value that was read is %s, %s)", t.scalar, t.kind)
}

// compileFault turns CEL's first complaint into a fault; the text behind it is CEL's own.
func (x *expression) compileFault(issues []*common.Error) *fault.Error {
	first := issues[0]
	if limit := sizeLimit(first.Message); limit != "" {
		return x.located(fault.New(fault.Limit, "nodes", "%s", limit))
	}
	line, column := x.line, x.column+first.Location.Column()
	if first.Location.Line() > 1 {
		line, column = x.line+first.Location.Line()-1, first.Location.Column()+1
	}
	f := fault.New(fault.Expression, "syntax", "%s", x.sentence(clip(friendly(first.Message))))
	f.Where = &fault.Where{Line: line, Column: column}
	return x.located(f)
}

func clip(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 200 {
		return strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}
