package automation_test

import (
	"bytes"
	"strings"
	"testing"

	"pawl/internal/automation"
	"pawl/internal/fault"
)

// FuzzDecode: no text makes the reader panic or give an internal fault; what it reads can be written and read again,
// and checked.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{full, nested(3), nested(21), many(3), full[:500], "", "[]", "{}", withInputs(`{"$ref": "#"}`), withInputs(exponential())} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, problems := automation.Decode(data)
		if (doc == nil) == (len(problems) == 0) {
			t.Fatalf("a document and problems, or neither: %v", problems)
		}
		for _, p := range problems {
			if p.Kind != fault.InvalidInput && p.Kind != fault.Limit && p.Kind != fault.TooLarge {
				t.Errorf("%v", p)
			}
		}
		if doc == nil {
			return
		}
		again, problems := automation.Decode(automation.Encode(doc))
		if again == nil {
			t.Fatalf("can't be read again: %v", problems)
		}
		if !bytes.Equal(doc.Canonical(), again.Canonical()) {
			t.Error("changed when it was written and read again")
		}
		for _, p := range automation.Check(doc, environment()) {
			if p.Kind == fault.Internal || !strings.HasPrefix(p.Where.Pointer, "/") {
				t.Errorf("%v at %+v", p, p.Where)
			}
		}
		doc.ValidateInput(data)
	})
}

// FuzzInputs reads a schema of inputs and holds an input against it.
func FuzzInputs(f *testing.F) {
	f.Add(`{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}`, `{"a": 1}`)
	f.Add(`{"$ref": "#/definitions/n", "definitions": {"n": {"properties": {"next": {"anyOf": [{"$ref": "#/definitions/n"}, {"$ref": "#/definitions/n"}]}}}}}`, chain(4))
	f.Add(`{"patternProperties": {"^a": {"not": {}}}, "dependencies": {"a": ["b"], "c": {"minProperties": 3}}}`, `{"a": 1, "c": 2}`)
	f.Add(`{"properties": {"l": {"items": [{"const": 1}], "additionalItems": false, "contains": {}, "uniqueItems": true}}}`, `{"l": [1, 2]}`)
	f.Add(exponential(), `{}`)
	f.Fuzz(func(t *testing.T, schema, input string) {
		doc, problems := automation.Decode([]byte(withInputs(schema)))
		if doc == nil {
			if len(problems) == 0 {
				t.Error("neither a document nor problems")
			}
			return
		}
		for _, p := range doc.ValidateInput([]byte(input)) {
			if p.Kind != fault.InvalidInput && p.Kind != fault.Limit && p.Kind != fault.TooLarge {
				t.Errorf("%v", p)
			}
		}
	})
}
