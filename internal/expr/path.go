package expr

import (
	"maps"
	"slices"
	"strconv"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// path is an expression that only selects, such as steps.a.output.items[0]. It is evaluated without CEL.
type path struct {
	root string
	keys []key
}

// key is a member's name or an element's index.
type key struct {
	name  string
	index int
	list  bool
}

// pathOf gives the path that e is, or nil.
func pathOf(e ast.Expr) *path {
	p := &path{}
	for {
		k, operand := keyOf(e)
		if operand == nil {
			break
		}
		p.keys = append(p.keys, k)
		e = operand
	}
	if e.Kind() != ast.IdentKind || e.AsIdent()[0] == '@' {
		return nil
	}
	p.root = e.AsIdent()
	slices.Reverse(p.keys)
	return p
}

// keyOf gives the last key of a selection and what it selects from; operand is nil when e is no selection.
func keyOf(e ast.Expr) (k key, operand ast.Expr) {
	switch e.Kind() {
	case ast.SelectKind:
		if s := e.AsSelect(); !s.IsTestOnly() {
			return key{name: s.FieldName()}, s.Operand()
		}
	case ast.CallKind:
		c := e.AsCall()
		if c.FunctionName() != operators.Index || c.Args()[1].Kind() != ast.LiteralKind {
			return key{}, nil
		}
		switch v := c.Args()[1].AsLiteral().(type) {
		case types.String:
			return key{name: string(v)}, c.Args()[0]
		case types.Int:
			return key{index: int(v), list: true}, c.Args()[0]
		}
	default:
	}
	return key{}, nil
}

// find follows the path through decoded JSON.
func (p *path) find(vars map[string]any) (any, error) {
	v, ok := vars[p.root]
	if !ok {
		return nil, failure{"missing", strconv.Quote(p.root) + " is not defined here"}
	}
	for i, k := range p.keys {
		if k.list {
			list, ok := v.([]any)
			if !ok || k.index < 0 || k.index >= len(list) {
				return nil, p.lacks(i, v)
			}
			v = list[k.index]
			continue
		}
		members, ok := v.(map[string]any)
		if !ok {
			return nil, p.lacks(i, v)
		}
		if v, ok = members[k.name]; !ok {
			return nil, p.lacks(i, members)
		}
	}
	return v, nil
}

// lacks is the error that v, found by the first i keys, does not have the next one.
func (p *path) lacks(i int, v any) error {
	at, k := p.place(i), p.keys[i]
	switch x := v.(type) {
	case map[string]any:
		if !k.list {
			return failure{"missing", noMember(at, k.name, slices.Sorted(maps.Keys(x)))}
		}
	case []any:
		if k.list {
			return failure{"missing", noElement(at, strconv.Itoa(k.index), len(x))}
		}
	}
	if k.list {
		return failure{"missing", at.String() + " is " + kindOf(v) + " and has no element " + strconv.Itoa(k.index)}
	}
	return failure{"missing", at.String() + " is " + kindOf(v) + " and has no member " + strconv.Quote(k.name)}
}

// place is the place of what the first n keys find.
func (p *path) place(n int) *place {
	at := &place{key: p.root}
	for _, k := range p.keys[:n] {
		at = &place{up: at, key: k.name, index: k.index, list: k.list}
	}
	return at
}
