package expr

import (
	"strings"
	"unicode/utf8"

	"pawl/internal/fault"
)

// part is a piece of a text: either literal or the source of an expression.
type part struct {
	text string
	expr bool
	at   int // byte offset of text in the whole string
}

// scan cuts a text into literal parts and expressions. The end of an expression is the first }} outside its
// strings, comments and braces, so that {{ {"a": {"b": 1}} }} and {{ "}}" }} mean what they say.
func scan(s string) ([]part, error) {
	var parts []part
	for at := 0; at < len(s); {
		open := strings.Index(s[at:], "{{")
		if open < 0 {
			return append(parts, part{text: s[at:], at: at}), nil
		}
		if open > 0 {
			parts = append(parts, part{text: s[at : at+open], at: at})
		}
		start := at + open + 2
		end, ok := closing(s, start)
		if !ok {
			return nil, located(s, start-2, fault.New(fault.Expression, "unclosed",
				"An expression is opened with {{ but not closed with }}. To write {{ itself, use {{ \"{{\" }}."))
		}
		parts = append(parts, part{text: s[start:end], expr: true, at: start})
		at = end + 2
	}
	return parts, nil
}

// closing finds the }} that ends the expression which starts at i.
func closing(s string, i int) (int, bool) {
	depth := 0
	for i < len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\'':
			i = quoted(s, i)
			continue
		case strings.HasPrefix(s[i:], "//"):
			i = lineEnd(s, i)
			continue
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '}' && strings.HasPrefix(s[i:], "}}"):
			return i, true
		}
		i++
	}
	return 0, false
}

func lineEnd(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(s)
}

// quoted gives the end of the CEL string literal that starts at i: single or triple quotes, raw when an r stands
// before them.
func quoted(s string, i int) int {
	raw := i > 0 && (s[i-1] == 'r' || s[i-1] == 'R') && (i < 2 || !wordByte(s[i-2]) || s[i-2] == 'b' || s[i-2] == 'B')
	quote := s[i : i+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(s[i:], triple) {
		quote = triple
	}
	for i += len(quote); i < len(s); {
		switch {
		case s[i] == '\\' && !raw:
			i += 2
		case strings.HasPrefix(s[i:], quote):
			return i + len(quote)
		default:
			i++
		}
	}
	return len(s)
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// located puts the line and column of byte offset at, both from 1 and the column in code points, on a fault.
func located(s string, at int, f *fault.Error) *fault.Error {
	line, column := position(s, at)
	w := fault.Where{}
	if f.Where != nil {
		w = *f.Where
	}
	w.Line, w.Column = line, column
	c := *f
	c.Where = &w
	return &c
}

func position(s string, at int) (line, column int) {
	before := s[:min(at, len(s))]
	line = 1 + strings.Count(before, "\n")
	return line, 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}
