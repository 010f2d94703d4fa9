package jsbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"pawl/internal/fault"
)

// checkInput says whether a tool can be given an input without loss, and gives its text.
func checkInput(input json.RawMessage) (string, error) {
	if len(input) == 0 {
		return "{}", nil
	}
	switch {
	case len(input) > MaxInputBytes:
		return "", fault.New(fault.TooLarge, "input", "The input has %d bytes of JSON; at most %d are given to a tool.", len(input), MaxInputBytes)
	case !utf8.Valid(input) || !json.Valid(input) || depth(string(input)) > MaxDepth:
		return "", fault.New(fault.InvalidInput, "input", "The input is no JSON, or nested more than %d deep.", MaxDepth)
	}
	return string(input), checkNumbers(input)
}

// checkNumbers finds the first number that JavaScript, whose numbers are IEEE 754 doubles, would change.
func checkNumbers(input json.RawMessage) error {
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	var at path
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fault.New(fault.InvalidInput, "input", "The input is no JSON.").Because(err)
		}
		if number, ok := token.(json.Number); ok && !survives(string(number)) {
			return fault.New(fault.InvalidInput, "number",
				"JavaScript would round the number %.40s: give it to the tool as text.", number).At(at.pointer())
		}
		at.step(token)
	}
}

// survives says whether a number is the same after a way through a double, by its shortest text.
func survives(text string) bool {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return false
	}
	return decimalOf(text) == decimalOf(strconv.FormatFloat(f, 'e', -1, 64))
}

// decimal is a number as digits without zeros at both ends, times ten to the exponent.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

func decimalOf(text string) decimal {
	d := decimal{negative: strings.HasPrefix(text, "-")}
	text, exponent, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(text, "-")), "e")
	if exponent != "" {
		d.exponent, _ = strconv.Atoi(exponent)
	}
	whole, fraction, _ := strings.Cut(text, ".")
	d.exponent -= len(fraction)
	d.digits = strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(d.digits, "0")
	d.exponent += len(d.digits) - len(short)
	d.digits = short
	if short == "" {
		return decimal{negative: d.negative}
	}
	return d
}

// path follows the tokens of a JSON text.
type path struct {
	open []place
}

// place is an open list or object: the index, or the name that was read.
type place struct {
	list  bool
	index int
	name  string
	named bool
}

// step takes a token that was read.
func (p *path) step(token json.Token) {
	switch t := token.(type) {
	case json.Delim:
		if t == '{' || t == '[' {
			p.open = append(p.open, place{list: t == '['})
			return
		}
		p.open = p.open[:len(p.open)-1]
	case string:
		if n := len(p.open); n > 0 && !p.open[n-1].list && !p.open[n-1].named {
			p.open[n-1].name, p.open[n-1].named = t, true
			return
		}
	}
	if n := len(p.open); n > 0 {
		p.open[n-1].index++
		p.open[n-1].named = false
	}
}

// pointer is the JSON pointer (RFC 6901) of the value that comes next.
func (p *path) pointer() string {
	var b strings.Builder
	for _, at := range p.open {
		b.WriteByte('/')
		if at.list {
			b.WriteString(strconv.Itoa(at.index))
		} else {
			b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(at.name))
		}
	}
	return b.String()
}
