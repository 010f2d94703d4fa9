package httpcall

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pawl/actions"
	"pawl/internal/fault"
)

// requestJSON is how values of an input are read: what can't be sent as it is, is refused.
func requestJSON() jsonRules {
	return jsonRules{malformed: func(offset int) error {
		return &syntaxError{offset, "half of a surrogate pair or a byte that is not UTF-8"}
	}}
}

// isNull is for compact JSON.
func isNull(raw []byte) bool { return string(raw) == "null" }

// textOf gives the text of a compact JSON string.
func textOf(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	r := rewriter{src: raw}
	s, err := r.decode()
	return string(s), err == nil
}

// shape names what a compact JSON value is, for messages.
func shape(raw []byte) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// scalar gives the text of one value of the declared type, as it stands in a path, a query or a form, and
// without quotes in a JSON body unless the type is text.
//
// Nothing is coerced but: a number or a truth value for a text is its literal; a text that is exactly one JSON
// number, "true" or "false" is taken for a declared number, integer or boolean.
func scalar(kind actions.Type, raw []byte) (string, error) {
	literal := string(raw)
	text, isText := textOf(raw)
	if isText {
		literal = text
	}
	switch kind {
	case actions.Number:
		if !isText && shape(raw) == "a number" || isText && isNumber(text) {
			return literal, nil
		}
		return "", mismatch("a number", raw)
	case actions.Integer:
		return integer(literal, raw)
	case actions.Boolean:
		if literal == "true" || literal == "false" {
			return literal, nil
		}
		return "", mismatch("true or false", raw)
	default:
		if raw[0] == '{' || raw[0] == '[' || isNull(raw) {
			return "", mismatch("a text", raw)
		}
		return literal, nil
	}
}

func mismatch(want string, raw []byte) error {
	return fault.New(fault.InvalidInput, "type", "expects %s and got %s", want, shape(raw))
}

func isNumber(text string) bool {
	r := rewriter{src: []byte(text)}
	return text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && r.number() == nil && r.pos == len(text)
}

// integer accepts every JSON number that is an integer, and writes it without a fraction or an exponent.
func integer(literal string, raw []byte) (string, error) {
	if !isNumber(literal) {
		return "", mismatch("an integer", raw)
	}
	if !strings.ContainsAny(literal, ".eE") {
		return literal, nil
	}
	digits, ok := expand(literal)
	if !ok {
		return "", fault.New(fault.InvalidInput, "type", "expects an integer and got the number %s", clip(literal, 40))
	}
	return digits, nil
}

// expand writes 1.50e3 as 1500. It fails where a fraction would be left or too many digits would be needed.
func expand(literal string) (string, bool) {
	mantissa, exponent := strings.ToLower(literal), 0
	if at := strings.IndexByte(mantissa, 'e'); at >= 0 {
		var err error
		if exponent, err = strconv.Atoi(mantissa[at+1:]); err != nil || exponent > maxDigits || exponent < -maxDigits {
			return "", false
		}
		mantissa = mantissa[:at]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	sign := ""
	if rest, negative := strings.CutPrefix(whole, "-"); negative {
		sign, whole = "-", rest
	}
	digits := whole + fraction
	if scale := exponent - len(fraction); scale >= 0 {
		digits += strings.Repeat("0", scale)
	} else {
		cut := max(len(digits)+scale, 0)
		if strings.Trim(digits[cut:], "0") != "" {
			return "", false
		}
		digits = digits[:cut]
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		return "0", true
	}
	return sign + digits, len(digits) <= maxDigits
}

// structured gives the compact JSON of an input that is declared json, list or row. A text is parsed, once,
// as JSON: so a JSON text is never sent as a quoted string by accident.
func structured(raw []byte) ([]byte, error) {
	text, isText := textOf(raw)
	if !isText {
		return raw, nil
	}
	parsed, err := compactJSON(nil, []byte(text), requestJSON())
	if err != nil {
		return nil, fault.New(fault.InvalidInput, "json", "is text that is not valid JSON: %s", syntaxText(err))
	}
	return parsed, nil
}

func syntaxText(err error) string {
	var s *syntaxError
	if errors.As(err, &s) {
		return s.Error()
	}
	return fmt.Sprint(err)
}

// elements gives the compact JSON of each element of a compact JSON array.
func elements(raw []byte) [][]byte {
	r := rewriter{src: raw, dst: make([]byte, 0, len(raw))}
	var all [][]byte
	// The text is valid already, so there is no error to look at.
	_ = r.items(']', func() error {
		start := len(r.dst)
		err := r.value()
		all = append(all, r.dst[start:len(r.dst):len(r.dst)])
		return err
	})
	return all
}

// clip cuts s to at most n bytes, between characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
