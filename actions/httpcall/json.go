package httpcall

import (
	"bytes"
	"fmt"
)

// jsonRules are where requests and answers are treated differently.
type jsonRules struct {
	// malformed refuses a lone surrogate or a byte that is not UTF-8; nil = U+FFFD is written instead.
	malformed func(offset int) error
	// text may replace a decoded string or the literal of a number; nil = nothing is replaced.
	text func(decoded []byte) ([]byte, bool)
	// trace is told what was replaced and which names are double; nil = nobody asks.
	trace *trace
}

// syntaxError says where a text stops being JSON. Offset counts bytes from 0.
type syntaxError struct {
	offset int
	what   string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.what, e.offset+1) }

// rewriter copies one JSON text (RFC 8259) without its white space. Number literals are copied as they are;
// strings are written with the fewest escapes that are valid: <, > and & stay, NUL is \u0000.
type rewriter struct {
	src     []byte
	pos     int
	dst     []byte
	depth   int
	rules   jsonRules
	scratch []byte
}

// compactJSON appends the one JSON value that src holds to dst.
func compactJSON(dst, src []byte, rules jsonRules) ([]byte, error) {
	r := rewriter{src: src, dst: dst, rules: rules}
	if err := r.value(); err != nil {
		return nil, err
	}
	if r.space(); r.pos < len(r.src) {
		return nil, r.wrong("something follows the value")
	}
	return r.dst, nil
}

type member struct {
	name string
	raw  []byte // compact
}

// splitObject gives the members of the object that src holds, in order.
func splitObject(src []byte, rules jsonRules) ([]member, error) {
	r := rewriter{src: src, dst: make([]byte, 0, len(src)), rules: rules}
	var members []member
	err := r.object(func(name []byte) error {
		m := member{name: string(name)}
		start := len(r.dst)
		if err := r.value(); err != nil {
			return err
		}
		m.raw = r.dst[start:len(r.dst):len(r.dst)]
		members = append(members, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if r.space(); r.pos < len(r.src) {
		return nil, r.wrong("something follows the object")
	}
	return members, nil
}

func (r *rewriter) wrong(what string) error {
	if r.pos >= len(r.src) {
		what = "the text ends too early"
	}
	return &syntaxError{r.pos, what}
}

func (r *rewriter) space() {
	for r.pos < len(r.src) {
		switch r.src[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

func (r *rewriter) peek() byte {
	if r.space(); r.pos < len(r.src) {
		return r.src[r.pos]
	}
	return 0
}

func (r *rewriter) value() error {
	switch c := r.peek(); {
	case c == '{':
		return r.writeObject()
	case c == '[':
		return r.writeArray()
	case c == '"':
		return r.writeText()
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	case c == 't':
		return r.word("true")
	case c == 'f':
		return r.word("false")
	case c == 'n':
		return r.word("null")
	}
	return r.wrong("there is no JSON value")
}

func (r *rewriter) writeText() error {
	s, err := r.decode()
	if err != nil {
		return err
	}
	r.writeString(s)
	if r.rules.trace != nil {
		r.rules.trace.tell(r.dst)
	}
	return nil
}

func (r *rewriter) word(w string) error {
	if !bytes.HasPrefix(r.src[r.pos:], []byte(w)) {
		return r.wrong("there is no JSON value")
	}
	r.pos += len(w)
	r.dst = append(r.dst, w...)
	return nil
}

func (r *rewriter) writeObject() error {
	r.dst = append(r.dst, '{')
	first := len(r.dst)
	r.enter()
	err := r.object(func(name []byte) error {
		if len(r.dst) > first {
			r.dst = append(r.dst, ',')
		}
		start := len(r.dst)
		r.writeString(name)
		if r.rules.trace != nil {
			r.rules.trace.member(r.dst, start)
		}
		r.dst = append(r.dst, ':')
		return r.value()
	})
	r.leave()
	r.dst = append(r.dst, '}')
	return err
}

// object walks the members; each stands right before the member's value. The name is valid until then.
func (r *rewriter) object(each func(name []byte) error) error {
	if r.peek() != '{' {
		return r.wrong("there is no JSON object")
	}
	return r.items('}', func() error {
		if r.peek() != '"' {
			return r.wrong("a member's name is missing")
		}
		name, err := r.decode()
		if err != nil {
			return err
		}
		if r.peek() != ':' {
			return r.wrong("a colon is missing")
		}
		r.pos++
		return each(name)
	})
}

func (r *rewriter) writeArray() error {
	r.dst = append(r.dst, '[')
	first := len(r.dst)
	r.enter()
	err := r.items(']', func() error {
		if len(r.dst) > first {
			r.dst = append(r.dst, ',')
		}
		if r.rules.trace != nil {
			r.rules.trace.element()
		}
		return r.value()
	})
	r.leave()
	r.dst = append(r.dst, ']')
	return err
}

func (r *rewriter) enter() {
	if r.rules.trace != nil {
		r.rules.trace.enter()
	}
}

func (r *rewriter) leave() {
	if r.rules.trace != nil {
		r.rules.trace.leave()
	}
}

// items walks what stands between the brackets, with commas between.
func (r *rewriter) items(end byte, item func() error) error {
	r.pos++
	if r.depth++; r.depth > maxDepth {
		return r.wrong("the value is nested too deeply")
	}
	defer func() { r.depth-- }()
	if r.peek() == end {
		r.pos++
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		switch r.peek() {
		case end:
			r.pos++
			return nil
		case ',':
			r.pos++
		default:
			return r.wrong("a comma is missing")
		}
	}
}

func (r *rewriter) number() error {
	start := r.pos
	if r.src[r.pos] == '-' {
		r.pos++
	}
	zero := r.pos < len(r.src) && r.src[r.pos] == '0'
	if n := r.digits(); n == 0 || zero && n > 1 {
		return r.wrong("there is no valid number")
	}
	if r.pos < len(r.src) && r.src[r.pos] == '.' {
		r.pos++
		if r.digits() == 0 {
			return r.wrong("there is no valid number")
		}
	}
	if r.pos < len(r.src) && r.src[r.pos]|0x20 == 'e' {
		r.pos++
		if r.pos < len(r.src) && (r.src[r.pos] == '+' || r.src[r.pos] == '-') {
			r.pos++
		}
		if r.digits() == 0 {
			return r.wrong("there is no valid number")
		}
	}
	literal := r.src[start:r.pos]
	if r.rules.text != nil {
		if other, changed := r.rules.text(literal); changed {
			r.dst = appendQuoted(r.dst, other)
			return nil
		}
	}
	r.dst = append(r.dst, literal...)
	return nil
}

func (r *rewriter) digits() int {
	start := r.pos
	for r.pos < len(r.src) && r.src[r.pos] >= '0' && r.src[r.pos] <= '9' {
		r.pos++
	}
	return r.pos - start
}
