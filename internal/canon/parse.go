package canon

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"pawl/internal/fault"
)

// parser reads one document. After a problem that ends the reading, done is set and every method returns at
// once with what it has.
type parser struct {
	src      string
	at       int // the next byte
	lim      Limits
	values   int
	path     []string // names and indexes of the open members and elements
	problems fault.List
	pointers int // bytes of the problems' pointers
	done     bool
}

func (p *parser) document() Value {
	if advice := foreign(p.src); advice != "" {
		p.stop("encoding", "%s", advice)
	}
	if strings.HasPrefix(p.src, "\ufeff") {
		p.stop("byte_order_mark", "the file starts with a byte order mark; save it as UTF-8 without one")
	}
	p.space()
	v := p.value()
	p.space()
	if !p.done && p.at < len(p.src) {
		p.stop("trailing_data", "the document has ended, but %s follows; leave one document in the file", p.found())
	}
	return v
}

func (p *parser) value() Value {
	if p.done {
		return Value{}
	}
	if p.values++; p.values > p.lim.Values {
		p.end(fault.Limit, "values", "the document holds more than %d values", p.lim.Values)
		return Value{}
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object()
	case c == '[':
		return p.list()
	case c == '"':
		return Value{kind: Text, text: p.text()}
	case c == '-' || c >= '0' && c <= '9':
		return Value{kind: Number, text: p.number()}
	default:
		return p.word()
	}
}

func (p *parser) word() Value {
	for _, w := range []struct {
		text string
		kind Kind
	}{{"true", Bool}, {"false", Bool}, {"null", Null}} {
		if strings.HasPrefix(p.src[p.at:], w.text) {
			p.at += len(w.text)
			return Value{kind: w.kind, text: w.text}
		}
	}
	p.unexpected("a value")
	return Value{}
}

func (p *parser) list() Value {
	v := Value{kind: List}
	if !p.open() {
		return v
	}
	for !p.closes(']', len(v.children), "a comma or ] after the element") {
		p.path = append(p.path, strconv.Itoa(len(v.children)))
		v.children = append(v.children, p.value())
		p.path = p.path[:len(p.path)-1]
		p.space()
	}
	return v
}

func (p *parser) object() Value {
	v := Value{kind: Object}
	if !p.open() {
		return v
	}
	var seen names
	for !p.closes('}', len(v.children), "a comma or } after the member") {
		if p.peek() != '"' {
			p.unexpected(`a member's name in double quotes`)
			break
		}
		start := p.at
		name := p.text()
		p.path = append(p.path, name)
		if seen.add(name) {
			p.note(start, "duplicate_member", "the member %s stands here twice; keep one of them", Quote(name))
		}
		v.children = append(v.children, p.member(name))
		p.path = p.path[:len(p.path)-1]
		p.space()
	}
	return v
}

func (p *parser) member(name string) Value {
	p.space()
	if p.done || p.peek() != ':' {
		p.unexpected("a colon after the member's name")
		return Value{}
	}
	p.at++
	p.space()
	v := p.value()
	v.name = name
	return v
}

// open steps over [ or { and keeps the bound of depth.
func (p *parser) open() bool {
	if len(p.path) >= p.lim.Depth {
		p.end(fault.Limit, "depth", "lists and objects are nested more than %d deep", p.lim.Depth)
		return false
	}
	p.at++
	p.space()
	return true
}

// closes says whether a list or object ends here, and steps over the bracket or over the comma before the next
// one. It also ends when reading has stopped.
func (p *parser) closes(bracket byte, before int, expected string) bool {
	switch c := p.peek(); {
	case p.done:
		return true
	case c == bracket:
		p.at++
		return true
	case before == 0:
		return false
	case c != ',':
		p.unexpected(expected)
		return true
	}
	p.at++
	p.space()
	if p.peek() == bracket {
		p.stop("syntax", "a comma stands before %c; remove it", bracket)
	}
	return p.done
}

func (p *parser) space() {
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
		p.at++
	}
}

// peek gives the next byte, 0 at the end; a NUL byte in the text is no valid start of anything either.
func (p *parser) peek() byte {
	if p.at < len(p.src) {
		return p.src[p.at]
	}
	return 0
}

func (p *parser) found() string {
	r, size := utf8.DecodeRuneInString(p.src[p.at:])
	switch {
	case size == 0:
		return "the end of the text"
	case r == utf8.RuneError && size == 1:
		return "a byte that is not UTF-8"
	default:
		return strconv.QuoteRune(r)
	}
}

// names is the set of one object's member names: a list while it is short, a map afterwards.
type names struct {
	few  []string
	many map[string]struct{}
}

const fewNames = 16 // up to here comparing one by one is quicker than hashing

// add puts a name into the set and says whether it was there before.
func (n *names) add(name string) bool {
	if n.many != nil {
		_, there := n.many[name]
		n.many[name] = struct{}{}
		return there
	}
	for _, s := range n.few {
		if s == name {
			return true
		}
	}
	if n.few = append(n.few, name); len(n.few) > fewNames {
		n.many = make(map[string]struct{}, 4*fewNames)
		for _, s := range n.few {
			n.many[s] = struct{}{}
		}
	}
	return false
}
