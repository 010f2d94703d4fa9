package expr

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
)

// decimal is a number as JSON writes it, without any loss: digits × 10^exp. digits has neither leading nor
// trailing zeros and is empty for zero, so that equal numbers have equal decimals.
type decimal struct {
	negative bool
	digits   string
	exp      int
}

var (
	errNumber   = errors.New("that is not a number")
	errExponent = errors.New("the exponent is out of range")
	errDigits   = errors.New("the exact result would have more than " + strconv.Itoa(MaxDigits) + " digits")
	errRounds   = errors.New("the result would have to be rounded; use div(a, b, digits) to say to how many digits")
	errZero     = errors.New("a division by zero")
)

// parseDecimal reads a number in the grammar of RFC 8259.
func parseDecimal(text string) (decimal, error) {
	if !validNumber(text) {
		return decimal{}, errNumber
	}
	d := decimal{}
	mantissa := text
	if mantissa[0] == '-' {
		d.negative, mantissa = true, mantissa[1:]
	}
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		exp, err := strconv.ParseInt(mantissa[i+1:], 10, 32)
		if err != nil {
			return decimal{}, errExponent
		}
		d.exp, mantissa = int(exp), mantissa[:i]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	return d.normal(whole+fraction, d.exp-len(fraction)), nil
}

// normal gives the decimal with d's sign and the given digits without needless zeros.
func (d decimal) normal(digits string, exp int) decimal {
	digits = strings.TrimLeft(digits, "0")
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return decimal{}
	}
	return decimal{d.negative, short, exp + len(digits) - len(short)}
}

// validNumber reports whether text is a number of RFC 8259.
func validNumber(text string) bool {
	i := 0
	if i < len(text) && text[i] == '-' {
		i++
	}
	n := digitsAt(text, i)
	if n == 0 || n > 1 && text[i] == '0' {
		return false
	}
	i += n
	if i < len(text) && text[i] == '.' {
		if n = digitsAt(text, i+1); n == 0 {
			return false
		}
		i += 1 + n
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if n = digitsAt(text, i); n == 0 {
			return false
		}
		i += n
	}
	return i == len(text)
}

func digitsAt(s string, i int) int {
	n := 0
	for i+n < len(s) && s[i+n] >= '0' && s[i+n] <= '9' {
		n++
	}
	return n
}

func (d decimal) zero() bool { return d.digits == "" }

// magnitude is the exponent of the first digit: d is between 10^(m-1) and 10^m.
func (d decimal) magnitude() int { return len(d.digits) + d.exp }

func (d decimal) sign() int {
	switch {
	case d.zero():
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// compare never builds a big number, so that 1e2000000000 costs no more than 1.
func (d decimal) compare(o decimal) int {
	if s, t := d.sign(), o.sign(); s != t || s == 0 {
		return s - t
	}
	order := d.magnitude() - o.magnitude()
	if order == 0 {
		order = strings.Compare(d.digits, o.digits)
	}
	if d.negative {
		order = -order
	}
	return order
}

// integer reports whether d has no fraction.
func (d decimal) integer() bool { return d.exp >= 0 }

// big gives d × 10^-exp as an integer; exp must not be above d's own exponent.
func (d decimal) big(exp int) (*big.Int, error) {
	zeros := d.exp - exp
	if len(d.digits)+zeros > MaxDigits {
		return nil, errDigits
	}
	n := new(big.Int)
	if !d.zero() {
		n.SetString(d.digits+strings.Repeat("0", zeros), 10)
	}
	if d.negative {
		n.Neg(n)
	}
	return n, nil
}

// fromBig is n × 10^exp.
func fromBig(n *big.Int, exp int) decimal {
	text := n.String()
	d := decimal{negative: n.Sign() < 0}
	return d.normal(strings.TrimPrefix(text, "-"), exp)
}

// text writes d in plain notation, as JSON.
func (d decimal) text() (string, error) {
	if d.zero() {
		return "0", nil
	}
	if d.magnitude() > MaxDigits || -d.exp > MaxDigits {
		return "", errDigits
	}
	sign := ""
	if d.negative {
		sign = "-"
	}
	switch point := d.magnitude(); {
	case d.exp >= 0:
		return sign + d.digits + strings.Repeat("0", d.exp), nil
	case point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + d.digits, nil
	default:
		return sign + d.digits[:point] + "." + d.digits[point:], nil
	}
}
