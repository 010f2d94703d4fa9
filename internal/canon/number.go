package canon

import (
	"strconv"
	"strings"

	"pawl/internal/fault"
)

// number reads the text of a number by the grammar of RFC 8259 and keeps it as written.
func (p *parser) number() string {
	start := p.at
	if p.peek() == '-' {
		p.at++
	}
	if p.peek() == '0' {
		p.at++
		if c := p.peek(); c >= '0' && c <= '9' {
			p.stop("syntax", "a number has a leading zero; remove it, or write the value as a text")
		}
	} else {
		p.digits("a digit")
	}
	if p.peek() == '.' {
		p.at++
		p.digits("a digit after the decimal point")
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.exponent()
	}
	if p.at-start > maxNumberLength {
		p.end(fault.Limit, "number", "a number has more than %d characters", maxNumberLength)
	}
	p.magnitude(p.src[start:p.at])
	return p.src[start:p.at]
}

func (p *parser) exponent() {
	p.at++
	if c := p.peek(); c == '+' || c == '-' {
		p.at++
	}
	p.digits("a digit of the exponent")
}

// magnitude keeps a number within maxExponent, however its text spreads that over digits and exponent, so that
// its canonical form is within it too.
func (p *parser) magnitude(text string) {
	if p.done || len(text) <= mostPlaces && !strings.ContainsAny(text, "eE") {
		return
	}
	digits, point, _ := decimal(text)
	if e := point - 1; digits != "" && (e > maxExponent || e < -maxExponent) {
		p.end(fault.Limit, "number", "a number is beyond 1e%d or below 1e-%d", maxExponent, maxExponent)
	}
}

func (p *parser) digits(expected string) {
	start := p.at
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	if p.at == start {
		p.unexpected(expected)
	}
}

// appendNumber writes the canonical form of a number's text; see the package's comment. The text has the
// grammar of RFC 8259 and an exponent within maxExponent.
func appendNumber(b []byte, text string) []byte {
	digits, point, negative := decimal(text)
	if digits == "" {
		return append(b, '0') // -0 too, as RFC 8785 has it
	}
	if negative {
		b = append(b, '-')
	}
	return appendLayout(b, digits, point)
}

// decimal gives the significant digits of a number and where the decimal point stands among them: the value is
// 0.DIGITS times ten to the power of point. Zero has no digits.
func decimal(text string) (digits string, point int, negative bool) {
	text, negative = strings.CutPrefix(text, "-")
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa = text[:i]
		exponent = clamp(text[i+1:])
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	point = len(digits) - len(fraction) + exponent
	return strings.TrimRight(digits, "0"), point, negative
}

// clamp reads an exponent; one that is far out of bounds stays far out of bounds.
func clamp(text string) int {
	n, _ := strconv.Atoi(text) // digits with a sign; on overflow Atoi gives the nearest int
	return min(max(n, -2*maxExponent), 2*maxExponent)
}

// The bounds of ECMA-262, Number::toString, radix 10: plain digits up to 21 places before the point, and at
// most 6 zeros behind it.
const (
	mostPlaces = 21
	leastPoint = -6
)

func appendLayout(b []byte, digits string, point int) []byte {
	switch n := len(digits); {
	case n <= point && point <= mostPlaces:
		b = append(b, digits...)
		return append(b, strings.Repeat("0", point-n)...)
	case 0 < point && point <= mostPlaces:
		b = append(append(b, digits[:point]...), '.')
		return append(b, digits[point:]...)
	case leastPoint < point && point <= 0:
		b = append(append(b, "0."...), strings.Repeat("0", -point)...)
		return append(b, digits...)
	}
	b = append(b, digits[0])
	if len(digits) > 1 {
		b = append(append(b, '.'), digits[1:]...)
	}
	b = append(b, 'e')
	if point > 0 {
		b = append(b, '+')
	}
	return strconv.AppendInt(b, int64(point)-1, 10)
}
