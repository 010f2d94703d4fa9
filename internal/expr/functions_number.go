package expr

import (
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// toInt cuts a number's fraction off and reads the text of a whole number; an instant gives its Unix seconds.
func toInt(v ref.Val) ref.Val {
	switch x := v.(type) {
	case types.Int:
		return x
	case types.String:
		d, err := parseDecimal(string(x))
		if err != nil || !d.integer() {
			return failed(failure{"conversion", "int() can't read a whole number from " + excerpt(string(x))})
		}
		return computed(d, nil)
	case types.Timestamp:
		return types.Int(x.Unix())
	}
	d, ok, err := toDecimal(v)
	if !ok {
		return failed(unfit("int()", v))
	}
	if err != nil {
		return failed(err)
	}
	return computed(round(d, 0, toZero))
}

// toNumber reads the text of a number, keeping its digits; a number stays as it is.
func toNumber(v ref.Val) ref.Val {
	if _, ok := numberText(v); ok {
		return v
	}
	s, ok := v.(types.String)
	if !ok {
		return failed(unfit("double()", v))
	}
	if !validNumber(string(s)) {
		return failed(failure{"conversion", "double() can't read a number from " + excerpt(string(s))})
	}
	return newNumber(string(s))
}

func excerpt(s string) string { return `"` + clip(s) + `"` }

func rounded(name string, how rounding) func(ref.Val) ref.Val {
	return func(v ref.Val) ref.Val {
		d, ok, err := toDecimal(v)
		if !ok {
			return failed(unfit(name+"()", v))
		}
		if err != nil {
			return failed(err)
		}
		return computed(round(d, 0, how))
	}
}

func abs(v ref.Val) ref.Val {
	d, ok, err := toDecimal(v)
	if !ok {
		return failed(unfit("abs()", v))
	}
	d.negative = false
	return computed(d, err)
}

func roundTo(v, digits ref.Val) ref.Val {
	places, err := placesOf(digits)
	if err != nil {
		return failed(err)
	}
	d, ok, err := toDecimal(v)
	if !ok {
		return failed(unfit("round()", v))
	}
	if err != nil {
		return failed(err)
	}
	return computed(round(d, places, nearest))
}

// fixed is the text of a number with exactly so many decimals.
func fixed(v, digits ref.Val) ref.Val {
	r := roundTo(v, digits)
	text, ok := numberText(r)
	if !ok {
		return r
	}
	d, err := parseDecimal(text)
	if err == nil {
		text, err = d.text()
	}
	if err != nil {
		return failed(err)
	}
	whole, fraction, _ := strings.Cut(text, ".")
	places := int(digits.(types.Int))
	if places == 0 {
		return types.String(whole)
	}
	return types.String(whole + "." + fraction + strings.Repeat("0", places-len(fraction)))
}

func placesOf(digits ref.Val) (int, error) {
	n, ok := digits.(types.Int)
	if !ok || n < 0 || n > MaxDigits {
		return 0, failure{"digits", "the number of digits must be a whole number from 0 to 1000"}
	}
	return int(n), nil
}

// divWhole is the quotient without its fraction.
func divWhole(a, b ref.Val) ref.Val {
	return arithmetic("div()", a, b, func(x, y decimal) (decimal, error) {
		n, m, _, err := aligned(x, y)
		if err != nil {
			return decimal{}, err
		}
		if m.Sign() == 0 {
			return decimal{}, errZero
		}
		return fromBig(n.Quo(n, m), 0), nil
	})
}

func divTo(args ...ref.Val) ref.Val {
	places, err := placesOf(args[2])
	if err != nil {
		return failed(err)
	}
	return arithmetic("div()", args[0], args[1], func(x, y decimal) (decimal, error) { return quotient(x, y, places) })
}
