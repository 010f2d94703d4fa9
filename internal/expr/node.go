package expr

import (
	"strconv"
)

// node is a part of a compiled template. It appends its JSON.
type node interface {
	append(b []byte, e *evaluation) ([]byte, error)
}

func index(i int) string { return strconv.Itoa(i) }

// constant is the JSON text of a part without expressions.
type constant []byte

func (c constant) append(b []byte, _ *evaluation) ([]byte, error) { return append(b, c...), nil }

// folded is n, or its text when all its parts are constant.
func folded(n node, parts []node) node {
	for _, p := range parts {
		if _, ok := p.(constant); !ok {
			return n
		}
	}
	b, err := n.append(nil, nil)
	if err != nil {
		return n
	}
	return constant(b)
}

type objectNode struct {
	names  [][]byte // as JSON
	values []node
}

func (o *objectNode) append(b []byte, e *evaluation) (_ []byte, err error) {
	b = append(b, '{')
	for i, name := range o.names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, name...), ':')
		if b, err = o.values[i].append(b, e); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

type arrayNode struct{ values []node }

func (a *arrayNode) append(b []byte, e *evaluation) (_ []byte, err error) {
	b = append(b, '[')
	for i, v := range a.values {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = v.append(b, e); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

// textNode is a string in which expressions become text.
type textNode struct{ pieces []piece }

type piece struct {
	text       string
	expression *expression // nil for a literal piece
}

func (t *textNode) append(b []byte, e *evaluation) ([]byte, error) {
	var joined []byte
	for _, p := range t.pieces {
		if p.expression == nil {
			joined = append(joined, p.text...)
			continue
		}
		s, err := e.text(p.expression)
		if err != nil {
			return nil, err
		}
		if joined = append(joined, s...); len(joined) > MaxResult {
			return nil, p.expression.fault(errResult, &trail{})
		}
	}
	return appendText(b, string(joined)), nil
}

func (x *expression) append(b []byte, e *evaluation) ([]byte, error) {
	if x.path != nil {
		v, err := x.path.find(e.env.Vars)
		if err == nil {
			b, err = appendNative(b, v)
		}
		if err != nil {
			return nil, x.fault(err, &trail{})
		}
		return b, nil
	}
	v, err := e.value(x)
	if err != nil {
		return nil, err
	}
	if b, err = appendValue(b, v); err != nil {
		return nil, x.fault(err, &trail{})
	}
	return b, nil
}
