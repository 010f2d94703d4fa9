package canon

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a text in double quotes and gives it decoded. A text without escapes shares the source's memory.
func (p *parser) text() string {
	p.at++
	start := p.at
	p.plain()
	if p.peek() == '"' {
		p.at++
		return p.src[start : p.at-1]
	}
	var b strings.Builder
	b.WriteString(p.src[start:p.at])
	for !p.done && p.peek() != '"' {
		if p.at < len(p.src) && p.src[p.at] == '\\' {
			p.escape(&b)
		} else {
			p.stopInText()
		}
		start = p.at
		p.plain()
		b.WriteString(p.src[start:p.at])
	}
	if !p.done {
		p.at++
	}
	return b.String()
}

// plain steps over characters that stand for themselves, up to a quote, an escape, a control character or the
// end. Bytes that are not UTF-8 are noted.
func (p *parser) plain() {
	for p.at < len(p.src) {
		c := p.src[p.at]
		switch {
		case c == '"' || c == '\\' || c < ' ':
			return
		case c < utf8.RuneSelf:
			p.at++
		default:
			p.at += p.wide()
		}
	}
}

// wide gives the length of the character here, beyond ASCII, or of a run of bytes that are none, noted once.
func (p *parser) wide() int {
	bad := 0
	for invalid(p.src[p.at+bad:]) {
		bad++
	}
	if bad > 0 {
		p.note(p.at, "utf8", "the byte 0x%02x is not valid UTF-8 here; save the file as UTF-8", p.src[p.at])
		return bad
	}
	_, size := utf8.DecodeRuneInString(p.src[p.at:])
	return size
}

func invalid(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return r == utf8.RuneError && size == 1
}

func (p *parser) stopInText() {
	if p.at >= len(p.src) {
		p.stop("truncated", "the text ends inside double quotes")
		return
	}
	p.stop("syntax", "the control character 0x%02x stands inside double quotes; write it as \\u%04x", p.peek(), p.peek())
}

// escape reads one escape, or the two of a surrogate pair.
func (p *parser) escape(b *strings.Builder) {
	if p.at+1 >= len(p.src) {
		p.at = len(p.src)
		p.stopInText()
		return
	}
	c := p.src[p.at+1]
	if c == 'u' {
		b.WriteRune(p.unicode())
		return
	}
	i := strings.IndexByte(`"\/bfnrt`, c)
	if i < 0 {
		p.stop("syntax", `\ is not an escape before %s; write a backslash as \\`, Quote(p.src[p.at+1:p.at+2]))
		return
	}
	b.WriteByte("\"\\/\b\f\n\r\t"[i])
	p.at += 2
}

// unicode reads \uXXXX, and a second one behind a high surrogate.
func (p *parser) unicode() rune {
	start := p.at
	r, ok := p.hex()
	if !ok || !utf16.IsSurrogate(r) {
		return r
	}
	if strings.HasPrefix(p.src[p.at:], `\u`) {
		back := p.at
		low, ok := p.hex()
		if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
			return pair
		}
		p.at = back // the second escape is read for itself, and noted if it is a lone surrogate too
	}
	p.note(start, "surrogate", `\u%04x is half of a surrogate pair and stands for no character; write both halves`, r)
	return utf8.RuneError
}

func (p *parser) hex() (rune, bool) {
	if p.at+6 > len(p.src) {
		p.at = len(p.src)
		p.stopInText()
		return utf8.RuneError, false
	}
	digits := p.src[p.at+2 : p.at+6]
	n, err := strconv.ParseUint(digits, 16, 16)
	if err != nil || strings.ContainsAny(digits, "+-_") {
		p.stop("syntax", `\u needs four hexadecimal digits, found %s`, Quote(strings.ToValidUTF8(digits, "�")))
		return utf8.RuneError, false
	}
	p.at += 6
	return rune(n), true
}
