package expr

import (
	"regexp"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"pawl/internal/fault"
)

func (r *rewrite) walk(e ast.Expr, s scope) {
	switch e.Kind() {
	case ast.IdentKind:
		r.ident(e.AsIdent(), s)
	case ast.LiteralKind:
		r.literal(e)
	case ast.SelectKind:
		r.selects(e, s)
	case ast.CallKind:
		r.call(e, s)
	case ast.ListKind:
		r.all(e.AsList().Elements(), s)
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			r.walk(entry.AsMapEntry().Key(), s)
			r.walk(entry.AsMapEntry().Value(), s)
		}
	case ast.StructKind:
		r.refuse("syntax", "%s{...} makes a message, and there are none here; write an object as {\"name\": value}", e.AsStruct().TypeName())
	case ast.ComprehensionKind:
		r.comprehension(e.AsComprehension(), s)
	default:
	}
}

func (r *rewrite) all(list []ast.Expr, s scope) {
	for _, e := range list {
		r.walk(e, s)
	}
}

func (r *rewrite) refuse(reason, format string, args ...any) {
	if r.err == nil {
		r.err = fault.New(fault.Expression, reason, "{{ "+strings.ReplaceAll(clip(string(r.source)), "%", "%%")+" }}: "+format+".", args...)
	}
}

func (r *rewrite) ident(name string, s scope) {
	if s[name] || strings.HasPrefix(name, "@") {
		return
	}
	if name == "steps" {
		r.refuse("dynamic_step", "steps can't be used as a whole; name a step, as in steps.some_id.output")
	}
	r.uses = append(r.uses, use{root: name})
}

// selection is e taken apart: steps.a, steps["a"], steps.?a, has(steps.a).
type selection struct {
	operand  ast.Expr // nil when e is none of them
	key      string
	computed bool // the key is not written out
	guarded  bool // it is asked whether the key is there
}

func selected(e ast.Expr) selection {
	switch e.Kind() {
	case ast.SelectKind:
		sel := e.AsSelect()
		return selection{operand: sel.Operand(), key: sel.FieldName(), guarded: sel.IsTestOnly()}
	case ast.CallKind:
		c := e.AsCall()
		switch c.FunctionName() {
		case operators.Index, operators.OptIndex, operators.OptSelect:
			name, ok := c.Args()[1].AsLiteral().(types.String)
			return selection{c.Args()[0], string(name), !ok, c.FunctionName() != operators.Index}
		}
	default:
	}
	return selection{}
}

// step records the step that e selects, if it does.
func (r *rewrite) step(e ast.Expr, s scope) bool {
	last := selected(e)
	if last.operand == nil {
		return false
	}
	if r.isSteps(last.operand, s) {
		r.useStep(last, "")
		return true
	}
	first := selected(last.operand)
	if first.operand == nil || !r.isSteps(first.operand, s) || last.computed {
		return false
	}
	r.useStep(first, last.key)
	return true
}

func (r *rewrite) isSteps(e ast.Expr, s scope) bool {
	return e.Kind() == ast.IdentKind && e.AsIdent() == "steps" && !s["steps"]
}

func (r *rewrite) useStep(step selection, member string) {
	if step.computed {
		r.refuse("dynamic_step", "the id of a step must be written out, as in steps.some_id, so that what a step depends on is known before a run")
	}
	r.uses = append(r.uses, use{"steps", step.key, member, step.guarded})
}

func (r *rewrite) selects(e ast.Expr, s scope) {
	if !r.step(e, s) {
		r.walk(e.AsSelect().Operand(), s)
	}
}

func (r *rewrite) call(e ast.Expr, s scope) {
	c := e.AsCall()
	args := c.Args()
	switch name := c.FunctionName(); {
	case c.IsMemberFunction():
		r.walk(c.Target(), s)
		r.all(args, s)
		r.member(e, c)
		return
	case r.step(e, s):
		return
	case name == "now" && len(args) == 0:
		e.SetKindCase(r.factory.NewIdent(e.ID(), nowVariable))
		return
	case name == "uuid" && len(args) == 0:
		e.SetKindCase(r.factory.NewCall(e.ID(), uuidFunction, r.factory.NewIdent(r.next(), seedVariable)))
		return
	}
	r.all(args, s)
	r.equality(e, c, args)
}

// equality replaces CEL's ==, which knows nothing of exact numbers.
func (r *rewrite) equality(e ast.Expr, c ast.CallExpr, args []ast.Expr) {
	switch c.FunctionName() {
	case operators.Equals:
		e.SetKindCase(r.factory.NewCall(e.ID(), equalFunction, args...))
	case operators.NotEquals:
		e.SetKindCase(r.factory.NewCall(e.ID(), operators.LogicalNot, r.factory.NewCall(r.next(), equalFunction, args...)))
	}
}

// member replaces two functions of CEL's strings library, join because it takes texts only and replace because it
// makes its result however long that is, and refuses format, which goes through doubles.
func (r *rewrite) member(e ast.Expr, c ast.CallExpr) {
	args := append([]ast.Expr{c.Target()}, c.Args()...)
	switch name := c.FunctionName(); {
	case name == "format":
		r.refuse("syntax", "format() is left out because it rounds; join texts with +, and use fixed(x, 2) for decimals")
	case name == "join" && len(args) == 1:
		e.SetKindCase(r.factory.NewCall(e.ID(), joinFunction, args[0], r.factory.NewLiteral(r.next(), types.String(""))))
	case name == "join" && len(args) == 2:
		e.SetKindCase(r.factory.NewCall(e.ID(), joinFunction, args...))
	case name == "replace" && len(args) == 3:
		e.SetKindCase(r.factory.NewCall(e.ID(), replaceFunction, append(args, r.factory.NewLiteral(r.next(), types.Int(-1)))...))
	case name == "replace" && len(args) == 4:
		e.SetKindCase(r.factory.NewCall(e.ID(), replaceFunction, args...))
	}
}

// next gives an id that no node has.
func (r *rewrite) next() int64 {
	if r.id == 0 {
		r.id = ast.MaxID(r.tree)
	}
	r.id++
	return r.id
}

func (r *rewrite) comprehension(c ast.ComprehensionExpr, s scope) {
	r.walk(c.IterRange(), s)
	r.walk(c.AccuInit(), s)
	inner := s.with(c.IterVar(), c.IterVar2(), c.AccuVar())
	r.walk(c.LoopCondition(), inner)
	r.walk(c.LoopStep(), inner)
	r.walk(c.Result(), s.with(c.AccuVar()))
}

var fractionText = regexp.MustCompile(`^-?(?:[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)`)

// literal keeps the digits of a number with a fraction, which CEL has read as a double.
func (r *rewrite) literal(e ast.Expr) {
	switch v := e.AsLiteral().(type) {
	case types.Double:
		text := r.numberText(e.ID(), float64(v))
		e.SetKindCase(r.factory.NewCall(e.ID(), numberFunction, r.factory.NewLiteral(r.next(), types.String(text))))
	case types.Bytes:
		r.refuse("syntax", "bytes are no JSON value")
	case types.Uint:
		r.refuse("syntax", "write the number %d without u", uint64(v))
	}
}

func (r *rewrite) numberText(id int64, value float64) string {
	shortest := strconv.FormatFloat(value, 'g', -1, 64)
	at, ok := r.tree.SourceInfo().GetOffsetRange(id)
	if !ok || int(at.Start) >= len(r.source) || at.Start < 0 {
		return shortest
	}
	text := fractionText.FindString(string(r.source[at.Start:min(len(r.source), int(at.Start)+MaxDigits)]))
	if read, err := strconv.ParseFloat(text, 64); err != nil || read != value && read != -value {
		return shortest
	}
	return valid(text, value)
}

// valid turns CEL's spelling into JSON's: no bare point, no leading zeros, and the sign of the value.
func valid(text string, value float64) string {
	digits := strings.TrimPrefix(text, "-")
	digits = strings.TrimLeft(digits, "0")
	if digits == "" || digits[0] < '0' || digits[0] > '9' {
		digits = "0" + digits
	}
	if value < 0 {
		return "-" + digits
	}
	return digits
}
