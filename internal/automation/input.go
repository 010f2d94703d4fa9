package automation

import (
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
	return d.schema.Check(value)
}
