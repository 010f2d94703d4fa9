package automation

import (
	"pawl/internal/canon"
	"pawl/internal/schema"
)

// inputsSchema reads the schema of an automation's inputs and reports what is wrong with it; nil when there is
// anything.
func inputsSchema(p canon.Place) *schema.Schema {
	s := schema.Read(p, schema.Closed)
	t := p.Member("type")
	if s != nil && t.Present() && (t.Kind() != canon.Text || t.Value().Text() != "object") {
		t.Refuse("schema", "The inputs of an automation are an object: write \"type\": \"object\".")
		return nil
	}
	return s
}
