package httpcall

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

func (r *rewriter) writeString(s []byte) {
	if r.rules.text != nil {
		if other, changed := r.rules.text(s); changed {
			s = other
		}
	}
	r.dst = appendQuoted(r.dst, s)
}

// decode reads the string at the position. What it gives is valid until the next call and is valid UTF-8.
func (r *rewriter) decode() ([]byte, error) {
	r.pos++
	start := r.pos
	for r.pos < len(r.src) {
		switch c := r.src[r.pos]; {
		case c == '"':
			r.pos++
			return r.src[start : r.pos-1], nil
		case c == '\\' || c >= utf8.RuneSelf:
			return r.decodeSlowly(start)
		case c < ' ':
			return nil, r.wrong("a control character stands in a string")
		}
		r.pos++
	}
	return nil, r.wrong("a string does not end")
}

func (r *rewriter) decodeSlowly(start int) ([]byte, error) {
	s := append(r.scratch[:0], r.src[start:r.pos]...)
	for r.pos < len(r.src) {
		c := r.src[r.pos]
		switch {
		case c == '"':
			r.pos++
			r.scratch = s
			return s, nil
		case c < ' ':
			return nil, r.wrong("a control character stands in a string")
		case c == '\\':
			char, err := r.escape()
			if err != nil {
				return nil, err
			}
			s = utf8.AppendRune(s, char)
		case c < utf8.RuneSelf:
			s = append(s, c)
			r.pos++
		default:
			char, size := utf8.DecodeRune(r.src[r.pos:])
			if char == utf8.RuneError && size == 1 {
				if err := r.malformed(Undecodable); err != nil {
					return nil, err
				}
			}
			s = utf8.AppendRune(s, char)
			r.pos += size
		}
	}
	return nil, r.wrong("a string does not end")
}

// malformed says whether the text may go on with U+FFFD in the place of what can't be a character.
func (r *rewriter) malformed(name NoteName) error {
	if r.rules.malformed != nil {
		return r.rules.malformed(r.pos)
	}
	if r.rules.trace != nil {
		r.rules.trace.flaw(name)
	}
	return nil
}

// escape reads what follows a backslash; surrogate pairs are joined.
func (r *rewriter) escape() (rune, error) {
	if r.pos+1 >= len(r.src) {
		r.pos = len(r.src)
		return 0, r.wrong("a string does not end")
	}
	c := r.src[r.pos+1]
	if c == 'u' {
		return r.unicodeEscape()
	}
	plain := bytes.IndexByte([]byte(`"\/bfnrt`), c)
	if plain < 0 {
		return 0, r.wrong("a backslash starts no valid escape")
	}
	r.pos += 2
	return rune("\"\\/\b\f\n\r\t"[plain]), nil
}

func (r *rewriter) unicodeEscape() (rune, error) {
	char, ok := hexRune(r.src[r.pos:])
	if !ok {
		return 0, r.wrong("a backslash starts no valid escape")
	}
	if !utf16.IsSurrogate(char) {
		r.pos += 6
		return char, nil
	}
	if low, ok := hexRune(r.src[r.pos+6:]); ok {
		if both := utf16.DecodeRune(char, low); both != utf8.RuneError {
			r.pos += 12
			return both, nil
		}
	}
	if err := r.malformed(LoneSurrogate); err != nil {
		return 0, err
	}
	r.pos += 6
	return utf8.RuneError, nil
}

// hexRune reads \uXXXX.
func hexRune(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	var char rune
	for _, c := range s[2:6] {
		digit := hexDigit(c)
		if digit < 0 {
			return 0, false
		}
		char = char<<4 | rune(digit)
	}
	return char, true
}

// hexDigit gives the value of a hexadecimal digit, or -1.
func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// appendQuoted writes a JSON string. s is valid UTF-8.
func appendQuoted[T []byte | string](dst []byte, s T) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	done := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[done:i]...)
		done = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}
