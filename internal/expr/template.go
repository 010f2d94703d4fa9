package expr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"pawl/internal/canon"
	"pawl/internal/fault"
)

// Template is a JSON value whose strings may hold expressions, compiled. It is never changed and safe for
// concurrent use.
type Template struct {
	root        node
	expressions []*expression
}

// Compile reads a JSON value (RFC 8259). Its errors are *fault.Error of kind expression, or limit when a bound of
// this package is passed, or invalid_input when raw is no JSON; Where.Pointer counts from the top of raw, Line
// and Column from the start of the string that holds the expression.
func Compile(raw json.RawMessage) (*Template, error) {
	if len(raw) > MaxTemplate {
		return nil, fault.New(fault.TooLarge, "template", "This has %d bytes; at most %d are allowed.", len(raw), MaxTemplate)
	}
	b := &builder{raw: raw, decoder: json.NewDecoder(bytes.NewReader(raw))}
	b.decoder.UseNumber()
	root, err := b.value(nil)
	if err == nil {
		if _, err = b.decoder.Token(); errors.Is(err, io.EOF) {
			return &Template{root, b.expressions}, nil
		}
		err = errSeveral
	}
	var f *fault.Error
	if errors.As(err, &f) {
		return nil, f
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errSeveral) {
		return nil, fault.New(fault.InvalidInput, "syntax", "This is not one JSON value.").Because(err)
	}
	return nil, fmt.Errorf("compile a template: %w", err)
}

var errSeveral = errors.New("more than one value")

// CompileText reads one string, such as the condition of a branch.
func CompileText(s string) (*Template, error) {
	if len(s) > MaxTemplate {
		return nil, fault.New(fault.TooLarge, "template", "This has %d bytes; at most %d are allowed.", len(s), MaxTemplate)
	}
	b := &builder{}
	root, err := b.text(s, appendText(nil, s), nil)
	if err != nil {
		return nil, err
	}
	return &Template{root, b.expressions}, nil
}

// Constant says that there is no expression inside: Eval gives the same whatever the environment.
func (t *Template) Constant() bool { return len(t.expressions) == 0 }

// Steps lists, sorted, the ids of the steps that the expressions select as steps.<id> or steps["<id>"].
func (t *Template) Steps() []string {
	return t.names(func(u use) string { return u.step })
}

// Vars lists, sorted, the root identifiers that the expressions use, without steps: inputs, trigger, error, loop
// variables, and whatever else was written.
func (t *Template) Vars() []string {
	return slices.DeleteFunc(t.names(func(u use) string { return u.root }), func(s string) bool { return s == "steps" })
}

func (t *Template) names(of func(use) string) []string {
	all := map[string]bool{}
	t.each(func(_ *expression, u use) {
		if name := of(u); name != "" {
			all[name] = true
		}
	})
	return slices.Sorted(maps.Keys(all))
}

func (t *Template) each(visit func(*expression, use)) {
	for _, x := range t.expressions {
		for _, u := range x.uses {
			visit(x, u)
		}
	}
}

// Uses calls visit for each name that an expression takes from its environment: the root; for the root steps also the
// step's id and the member of it, empty when the step is used as a whole; whether it is asked for with has() or
// .? and so may be absent; and where the expression is.
func (t *Template) Uses(visit func(root, step, member string, guarded bool, where fault.Where)) {
	t.each(func(x *expression, u use) { visit(u.root, u.step, u.member, u.guarded, x.where()) })
}

// CheckRoots is an expression error when an expression uses a root identifier that is neither steps nor one of
// the allowed ones.
func (t *Template) CheckRoots(allowed []string) error {
	var err error
	t.each(func(x *expression, u use) {
		if err == nil && u.root != "steps" && !slices.Contains(allowed, u.root) {
			known := append(slices.Clone(allowed), "steps")
			err = x.located(fault.New(fault.Expression, "unknown_name", "%s: nothing here is called %q%s",
				x.quote(), u.root, canon.Suggest(u.root, known)))
		}
	})
	return err
}

// builder compiles a JSON text token by token, so that constants keep their very text.
type builder struct {
	raw         []byte
	decoder     *json.Decoder
	expressions []*expression
}

func (b *builder) value(at []string) (node, error) {
	if len(at) > MaxNesting {
		return nil, fault.New(fault.Limit, "nesting", "The value nests more than %d deep.", MaxNesting).At(canon.Pointer(at...))
	}
	from := b.decoder.InputOffset()
	token, err := b.decoder.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return b.object(at)
		}
		return b.array(at)
	case string:
		return b.text(t, b.since(from), at)
	}
	return constant(b.since(from)), nil
}

// since is the text of the token that was read last, without the punctuation before it.
func (b *builder) since(from int64) []byte {
	return bytes.TrimLeft(b.raw[from:b.decoder.InputOffset()], " \t\r\n,:")
}

func (b *builder) object(at []string) (node, error) {
	o := &objectNode{}
	seen := map[string]bool{}
	for b.decoder.More() {
		token, err := b.decoder.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		inner := append(slices.Clone(at), name)
		if seen[name] {
			return nil, fault.New(fault.InvalidInput, "duplicate_member", "The member %q is there twice.", clip(name)).At(canon.Pointer(inner...))
		}
		if seen[name] = true; strings.Contains(name, "{{") {
			return nil, fault.New(fault.Expression, "member_name", "The name of a member can't hold an expression.").At(canon.Pointer(inner...))
		}
		v, err := b.value(inner)
		if err != nil {
			return nil, err
		}
		o.names, o.values = append(o.names, appendText(nil, name)), append(o.values, v)
	}
	_, err := b.decoder.Token()
	return folded(o, o.values), err
}

func (b *builder) array(at []string) (node, error) {
	a := &arrayNode{}
	for b.decoder.More() {
		v, err := b.value(append(slices.Clone(at), index(len(a.values))))
		if err != nil {
			return nil, err
		}
		a.values = append(a.values, v)
	}
	_, err := b.decoder.Token()
	return folded(a, a.values), err
}

func (b *builder) text(s string, raw []byte, at []string) (node, error) {
	parts, err := scan(s)
	if err != nil {
		return nil, fault.From(err).At(canon.Pointer(at...))
	}
	t := &textNode{}
	for _, p := range parts {
		piece := piece{text: p.text}
		if p.expr {
			if piece.expression, err = compile(p.text, p.at, s, canon.Pointer(at...)); err != nil {
				return nil, err
			}
			if b.expressions = append(b.expressions, piece.expression); len(b.expressions) > MaxExpressions {
				return nil, fault.New(fault.Limit, "expressions", "One value holds at most %d expressions.", MaxExpressions)
			}
		}
		t.pieces = append(t.pieces, piece)
	}
	switch {
	case len(t.pieces) == 1 && t.pieces[0].expression != nil:
		return t.pieces[0].expression, nil
	case !slices.ContainsFunc(t.pieces, func(p piece) bool { return p.expression != nil }):
		return constant(raw), nil
	}
	return t, nil
}
