package automation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"pawl/internal/canon"
	"pawl/internal/fault"
)

// ValidateInput checks the input of a run: a JSON object that fits the document's schema of inputs, if it has one.
// It reports up to 20 problems, each with its JSON pointer into the input. An absent input (no bytes) is {}.
func (d *Document) ValidateInput(input []byte) fault.List {
	if len(input) == 0 {
		input = []byte("{}")
	}
	value, problems := canon.Parse(input, canon.Limits{Depth: jsonDepth})
	if len(problems) > 0 {
		return problems
	}
	if value.Kind() != canon.Object {
		return fault.List{fault.New(fault.InvalidInput, "type", "The input of a run is an object, and this is %s.", value.Kind())}
	}
	if d.schema == nil {
		return nil
	}
	return d.schema.validate(input, value)
}

func (s *schema) validate(input []byte, value *canon.Value) fault.List {
	if value.Depth() > s.depth {
		return fault.List{fault.New(fault.Limit, "depth", "The input nests %d deep; checked against this schema it may nest %d deep.", value.Depth(), s.depth)}
	}
	if !modest(value) {
		return fault.List{fault.New(fault.Limit, "number", "A number of the input has an exponent beyond %d; it can't be checked.", maxExponent)}
	}
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return fault.List{fault.New(fault.InvalidInput, "syntax", "The input is no JSON.").Because(err)}
	}
	err := s.compiled.Validate(v)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &invalid):
		return fault.List{fault.New(fault.InvalidInput, "schema", "The input can't be checked against the schema.")}
	}
	return s.problems(invalid)
}

// problems turns the library's leaves into faults, without those that say the same.
func (s *schema) problems(e *jsonschema.ValidationError) fault.List {
	var list fault.List
	for _, leaf := range leaves(e, nil) {
		f := fault.New(fault.InvalidInput, "input", "%s", s.sentence(leaf)).At(leaf.InstanceLocation)
		if !slices.ContainsFunc(list, func(o *fault.Error) bool { return o.Message == f.Message && o.Where.Pointer == f.Where.Pointer }) {
			list = append(list, f)
		}
	}
	return list
}

// sentence says what a keyword asks for, with the schema's own digits.
func (s *schema) sentence(e *jsonschema.ValidationError) string {
	keyword := e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
	want := s.at(e.AbsoluteKeywordLocation)
	switch keyword {
	case "enum":
		return "This must be one of " + written(want) + "."
	case "const":
		return "This must be " + written(want) + "."
	case "minimum":
		return "This must be at least " + written(want) + "."
	case "maximum":
		return "This must be at most " + written(want) + "."
	case "exclusiveMinimum":
		return "This must be more than " + written(want) + "."
	case "exclusiveMaximum":
		return "This must be less than " + written(want) + "."
	case "multipleOf":
		return "This must be a multiple of " + written(want) + "."
	case "pattern":
		return "This must match the regular expression " + written(want) + "."
	case "not":
		return "This is what the schema's \"not\" forbids."
	}
	return "This does not fit: " + strings.TrimSuffix(clip(e.Message), ".") + "."
}

// at finds the value of a keyword in the schema.
func (s *schema) at(location string) any {
	_, pointer, ok := strings.Cut(location, "#/")
	v := s.source
	for part := range strings.SplitSeq(pointer, "/") {
		switch x := v.(type) {
		case map[string]any:
			v = x[unescape(part)]
		case []any:
			i := -1
			if _, err := fmt.Sscan(part, &i); err != nil || i < 0 || i >= len(x) {
				return nil
			}
			v = x[i]
		}
	}
	if !ok {
		return nil
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
