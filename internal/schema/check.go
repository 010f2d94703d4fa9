package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"pawl/internal/canon"
	"pawl/internal/fault"
)

// Validate reads a JSON text strictly and holds it against the schema. It reports up to 20 problems, each with its
// JSON pointer into the value.
func (s *Schema) Validate(text []byte) fault.List {
	v, problems := canon.Parse(text, canon.Limits{})
	if len(problems) > 0 {
		return problems
	}
	return s.Check(v)
}

// Check holds a value against the schema. It reports up to 20 problems of kind invalid_input and reason "input", each
// with its JSON pointer into the value; or one of kind limit where the value is too deep or too large for this schema.
func (s *Schema) Check(v *canon.Value) fault.List {
	if f := s.tooMuch(v); f != nil {
		return fault.List{f}
	}
	err := s.compiled.Validate(plain(v))
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &invalid):
		return fault.List{fault.New(fault.InvalidInput, "schema", "The value can't be checked against the schema.").Because(err)}
	}
	return s.problems(invalid)
}

// tooMuch refuses, before anything is done, what would cost too much.
func (s *Schema) tooMuch(v *canon.Value) *fault.Error {
	depth := v.Depth()
	switch {
	case depth >= len(s.widths):
		return fault.New(fault.Limit, "depth", "The value nests %d deep; checked against this schema it may nest %d deep.", depth, len(s.widths)-1)
	case size(v)*s.widths[depth] > maxEffort:
		return fault.New(fault.Limit, "effort", "The value is too large to be checked against this schema, whose alternatives hold each place of it against up to %d schemas.", s.widths[depth])
	case exponent(v):
		return fault.New(fault.Limit, "number", "A number of the value has an exponent beyond %d; it can't be checked.", maxExponent)
	}
	return nil
}

// problems turns the library's leaves into faults, without those that say the same and without the alternative null
// that a nullable schema brings.
func (s *Schema) problems(e *jsonschema.ValidationError) fault.List {
	var list fault.List
	for _, leaf := range leaves(e, s.speaks) {
		f := fault.New(fault.InvalidInput, "input", "%s", s.sentence(leaf)).At(decoded(leaf.InstanceLocation))
		if !slices.ContainsFunc(list, func(o *fault.Error) bool { return o.Message == f.Message && o.Where.Pointer == f.Where.Pointer }) {
			list = append(list, f)
		}
	}
	return list
}

// speaks is false for a leaf that only says that the value is not the null which a nullable schema also takes.
func (s *Schema) speaks(e *jsonschema.ValidationError) bool {
	at, alternative := strings.CutSuffix(location(e), "/anyOf/0/type")
	return !alternative || !s.nullable[at]
}

// location is the place of the failed keyword in the cleaned copy.
func location(e *jsonschema.ValidationError) string {
	_, pointer, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	return decoded(pointer)
}

// sentence says what a keyword asks for, with the schema's own digits.
func (s *Schema) sentence(e *jsonschema.ValidationError) string {
	keyword := e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
	want := written(s.at(location(e)))
	switch keyword {
	case "enum":
		return "This must be one of " + want + "."
	case "const":
		return "This must be " + want + "."
	case "minimum":
		return "This must be at least " + want + "."
	case "maximum":
		return "This must be at most " + want + "."
	case "exclusiveMinimum":
		return "This must be more than " + want + "."
	case "exclusiveMaximum":
		return "This must be less than " + want + "."
	case "multipleOf":
		return "This must be a multiple of " + want + "."
	case "pattern":
		return "This must match the regular expression " + want + "."
	case "not":
		return "This is what the schema's \"not\" forbids."
	}
	return "This does not fit: " + strings.TrimSuffix(clip(e.Message), ".") + "."
}

// at finds the value of a keyword in the cleaned copy; nil where there is none.
func (s *Schema) at(pointer string) any {
	v := s.source
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch x := v.(type) {
		case map[string]any:
			v = x[unescape(part)]
		case []any:
			i, ok := index(part)
			if !ok || i >= len(x) {
				return nil
			}
			v = x[i]
		}
	}
	return v
}

func written(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if v == nil || e.Encode(v) != nil {
		return "what the schema says"
	}
	return clip(strings.TrimSpace(b.String()))
}
