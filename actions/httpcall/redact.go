package httpcall

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// redacted stands where an answer held the account's own key.
const redacted = "[redacted]"

// redactor replaces the texts that were sent as a credential: the key itself and, for basic authentication, its
// base64 form and the password. Each is found raw, percent-encoded in any way and case, and escaped as in JSON
// that is a text itself. (JSON escapes of the answer proper are decoded before anything is looked for.)
type redactor struct {
	needles []needle // the longest first, so that none hides inside a longer one
	count   int
}

type needle struct {
	text  []byte
	plain bool // no spelling but the raw one
}

func newRedactor(texts []string) *redactor {
	r := &redactor{}
	for _, t := range texts {
		if t == "" {
			continue
		}
		n := needle{[]byte(t), strings.Trim(t, unreserved) == ""}
		at := 0
		for at < len(r.needles) && len(r.needles[at].text) >= len(t) {
			at++
		}
		r.needles = append(r.needles[:at], append([]needle{n}, r.needles[at:]...)...)
	}
	return r
}

func (r *redactor) idle() bool { return len(r.needles) == 0 }

// text is the rule for jsonRules: it gives the text without the key, and whether there was any.
func (r *redactor) text(s []byte) ([]byte, bool) {
	return r.replace(s, func([]byte) []byte { return []byte(redacted) })
}

func (r *redactor) string(s string) string {
	if r.idle() {
		return s
	}
	if other, changed := r.text([]byte(s)); changed {
		return string(other)
	}
	return s
}

// binary overwrites the key with stars, so that the positions of a binary format stay right.
func (r *redactor) binary(b []byte) []byte {
	b, _ = r.replace(b, func(found []byte) []byte { return bytes.Repeat([]byte{'*'}, len(found)) })
	return b
}

func (r *redactor) replace(s []byte, with func(found []byte) []byte) ([]byte, bool) {
	changed := false
	for i := range r.needles {
		n := &r.needles[i]
		if len(n.text) < minRedacted { // it would be found in ordinary words
			if bytes.Equal(s, n.text) {
				s, changed = with(s), true
			}
			continue
		}
		if start, end := n.find(s); start >= 0 {
			s, changed = n.replaceFrom(s, start, end, with), true
		}
	}
	if changed {
		r.count++
	}
	return s, changed
}

func (n *needle) replaceFrom(s []byte, start, end int, with func([]byte) []byte) []byte {
	var out []byte
	for start >= 0 {
		out = append(out, s[:start]...)
		out = append(out, with(s[start:end])...)
		s = s[end:]
		start, end = n.find(s)
	}
	return append(out, s...)
}

// find gives the first place where the text stands in any spelling; -1 = nowhere.
func (n *needle) find(s []byte) (start, end int) {
	raw := bytes.Index(s, n.text)
	if n.plain || !bytes.ContainsAny(s, `%\+`) {
		return raw, raw + len(n.text)
	}
	for i, c := range s {
		switch {
		case i == raw:
			return raw, raw + len(n.text)
		case c != n.text[0] && c != '%' && c != '\\' && c != '+':
			continue
		}
		for _, read := range []func([]byte) ([]byte, int){readPercent, readBackslash} {
			if size := n.match(s[i:], read); size > 0 {
				return i, i + size
			}
		}
	}
	return -1, -1
}

// match gives how many bytes of s spell the text when they are read in one way; 0 = they don't.
func (n *needle) match(s []byte, read func([]byte) ([]byte, int)) int {
	size, rest := 0, n.text
	for len(rest) > 0 {
		if size == len(s) {
			return 0
		}
		got, used := read(s[size:])
		switch {
		case bytes.HasPrefix(rest, got):
			rest = rest[len(got):]
		case s[size] == '+' && rest[0] == ' ': // a form
			rest = rest[1:]
		default:
			return 0
		}
		size += used
	}
	return size
}

// readPercent reads one byte, written as it is or as %XX.
func readPercent(s []byte) ([]byte, int) {
	if len(s) > 2 && s[0] == '%' {
		if high, low := hexDigit(s[1]), hexDigit(s[2]); high >= 0 && low >= 0 {
			return []byte{byte(high<<4 | low)}, 3
		}
	}
	return s[:1], 1
}

// readBackslash reads one byte or one JSON escape of a character.
func readBackslash(s []byte) ([]byte, int) {
	if len(s) < 2 || s[0] != '\\' {
		return s[:1], 1
	}
	if s[1] != 'u' {
		return s[1:2], 2 // \" \\ \/; a key has no control characters
	}
	r := rewriter{src: s}
	char, err := r.unicodeEscape()
	if err != nil {
		return s[:1], 1
	}
	return utf8.AppendRune(nil, char), r.pos
}
