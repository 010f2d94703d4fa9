package expr

import (
	"encoding/json"
	"reflect"
	"strconv"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// number is a CEL value for every number that is not the plain text of an int64; those are types.Int, so that
// the standard library takes them as indexes and lengths. It keeps the text that it was read from.
type number string

// newNumber gives the value of a number's text.
func newNumber(text string) ref.Val {
	if len(text) < 20 {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(n, 10) == text {
			return types.Int(n)
		}
	}
	return number(text)
}

// computed gives the value of a result, or an error value.
func computed(d decimal, err error) ref.Val {
	if err != nil {
		return failed(err)
	}
	text, err := d.text()
	if err != nil {
		return failed(err)
	}
	return newNumber(text)
}

// numberText gives the JSON text of a numeric value; ok is false for any other value.
func numberText(v ref.Val) (text string, ok bool) {
	switch n := v.(type) {
	case number:
		return string(n), true
	case types.Int:
		return strconv.FormatInt(int64(n), 10), true
	case types.Uint:
		return strconv.FormatUint(uint64(n), 10), true
	}
	return "", false
}

// toDecimal reads a numeric value; ok is false for any other value.
func toDecimal(v ref.Val) (d decimal, ok bool, err error) {
	text, ok := numberText(v)
	if !ok {
		return decimal{}, false, nil
	}
	d, err = parseDecimal(text)
	return d, true, err
}

// ConvertToNative implements ref.Val: the only native form is the text.
func (n number) ConvertToNative(want reflect.Type) (any, error) {
	if want == reflect.TypeFor[json.Number]() {
		return json.Number(n), nil
	}
	return nil, failure{reason: "conversion", message: "a number can't be turned into " + want.String()}
}

// ConvertToType implements ref.Val. The functions int, double and string of this package convert; CEL's own
// conversions never round in silence because they are not there.
func (n number) ConvertToType(t ref.Type) ref.Val {
	if t == types.StringType {
		return types.String(n)
	}
	return types.MaybeNoSuchOverloadErr(n)
}

// Equal implements ref.Val by value: 1.0 equals 1.
func (n number) Equal(other ref.Val) ref.Val { return equalValue(n, other) }

// Type implements ref.Val; to CEL's checker a number with a fraction is a double.
func (n number) Type() ref.Type { return types.DoubleType }

// Value implements ref.Val.
func (n number) Value() any { return json.Number(n) }
