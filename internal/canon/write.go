package canon

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Canonical writes the value in its canonical form; see the package's comment.
func (v *Value) Canonical() []byte { return v.append(nil, byUTF16) }

// Ordered is Canonical with the members in another order: the one that compare gives. parent is the object
// whose members a and b are.
func (v *Value) Ordered(compare func(parent, a, b *Value) int) []byte {
	return v.append(nil, compare)
}

func byUTF16(_, a, b *Value) int { return CompareNames(a.name, b.name) }

func (v *Value) append(b []byte, compare func(parent, a, b *Value) int) []byte {
	switch v.kind {
	case Text:
		return AppendText(b, v.text)
	case Number:
		return appendNumber(b, v.text)
	case List:
		b = append(b, '[')
		for i := range v.children {
			b = v.children[i].append(comma(b, i), compare)
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		for i, m := range v.sorted(compare) {
			b = AppendText(comma(b, i), m.name)
			b = m.append(append(b, ':'), compare)
		}
		return append(b, '}')
	default:
		return append(b, v.text...)
	}
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}

func (v *Value) sorted(compare func(parent, a, b *Value) int) []*Value {
	members := make([]*Value, len(v.children))
	for i := range v.children {
		members[i] = &v.children[i]
	}
	slices.SortStableFunc(members, func(x, y *Value) int { return compare(v, x, y) })
	return members
}

// AppendText writes a text as RFC 8785 has it: in double quotes, with the short escapes for \b \t \n \f \r " \,
// \u00xx for the other control characters, and everything else as it is.
func AppendText(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = appendEscape(append(b, s[start:i]...), c)
		start = i + 1
	}
	return append(append(b, s[start:]...), '"')
}

func appendEscape(b []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, `\b`...)
	case '\t':
		return append(b, `\t`...)
	case '\n':
		return append(b, `\n`...)
	case '\f':
		return append(b, `\f`...)
	case '\r':
		return append(b, `\r`...)
	default:
		return append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	}
}

// CompareNames orders two texts by their UTF-16 code units, as RFC 8785 sorts members.
func CompareNames(a, b string) int {
	for {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if n == 0 || m == 0 {
			return cmp.Compare(n, m)
		}
		if x != y {
			return compareRunes(x, y)
		}
		a, b = a[n:], b[m:]
	}
}

// compareRunes knows that a character beyond U+FFFF starts with a unit of U+D800 to U+DBFF, below U+E000.
func compareRunes(x, y rune) int {
	const beyond, private = 0x10000, 0xE000
	if (x >= beyond) != (y >= beyond) && min(x, y) >= private {
		return cmp.Compare(y, x)
	}
	return cmp.Compare(x, y)
}
