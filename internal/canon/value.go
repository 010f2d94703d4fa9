package canon

import (
	"pawl/internal/fault"
)

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds of RFC 8259. None is what an absent value has.
const (
	None Kind = iota
	Null
	Bool
	Number
	Text
	List
	Object
)

// String names the kind as messages do, with its article: "a text", "an object".
func (k Kind) String() string {
	return [...]string{"nothing", "null", "true or false", "a number", "a text", "a list", "an object"}[k]
}

// Value is one JSON value of a document that Parse has read. It is never changed.
type Value struct {
	kind     Kind
	name     string  // of the member, inside an object
	text     string  // decoded text; the text of a number, of true, false and null
	children []Value // elements, or members in document order
}

// Kind gives the value's kind; a nil value is None.
func (v *Value) Kind() Kind {
	if v == nil {
		return None
	}
	return v.kind
}

// Text gives the decoded text of a text and the written text of any other scalar: a number keeps its digits.
func (v *Value) Text() string { return v.text }

// Name is the member's name, empty outside an object.
func (v *Value) Name() string { return v.name }

// Len counts the elements of a list and the members of an object.
func (v *Value) Len() int { return len(v.children) }

// At gives an element of a list or a member of an object, in document order.
func (v *Value) At(i int) *Value { return &v.children[i] }

// Member finds a member of an object by its name; nil when there is none.
func (v *Value) Member(name string) *Value {
	if v.Kind() != Object {
		return nil
	}
	for i := range v.children {
		if v.children[i].name == name {
			return &v.children[i]
		}
	}
	return nil
}

// Depth is how many lists and objects are open at the deepest place of v: 0 for a scalar, 1 for {}.
func (v *Value) Depth() int {
	if v.kind != List && v.kind != Object {
		return 0
	}
	deepest := 0
	for i := range v.children {
		deepest = max(deepest, v.children[i].Depth())
	}
	return deepest + 1
}

// Check reads a document and reports every problem of its text: bad syntax, duplicate members, invalid UTF-8,
// lone surrogates (invalid_input), too many bytes (too_large), too much depth, too many values (limit). An
// empty list means that the document is sound.
func Check(data []byte, lim Limits) fault.List {
	_, problems := Parse(data, lim)
	return problems
}

// Parse is Check that also gives the document; it is nil when there is any problem. A syntax error ends the
// reading; other problems are collected, up to 100.
func Parse(data []byte, lim Limits) (*Value, fault.List) {
	lim = lim.orDefault()
	if len(data) > lim.Bytes {
		return nil, fault.List{fault.New(fault.TooLarge, "bytes",
			"The document has %d bytes; at most %d are allowed.", len(data), lim.Bytes)}
	}
	p := parser{src: string(data), lim: lim}
	v := p.document()
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	return &v, nil
}
