package schema_test

import (
	"testing"

	"pawl/internal/schema"
)

// FuzzValidate holds the package to what it promises for any text: a schema or problems, each with a kind, a reason and
// a sentence; and a value fits or has problems of the same form.
func FuzzValidate(f *testing.F) {
	for _, s := range []string{
		`{"type":"object","properties":{"a":{"type":"integer","nullable":true}},"required":["a"]}`,
		`{"nullable":true,"$ref":"#/$defs/a b","$defs":{"a b":{"items":[{"const":1}],"additionalItems":{"$ref":"#"}}}}`,
		`{"patternProperties":{"^a+$":{"if":{"minimum":1e3},"then":false}},"dependencies":{"a":["b"],"c":{"not":{}}}}`,
		`{"oneOf":[{"pattern":"a|b"},{"uniqueItems":true,"contains":{"enum":[1.0,{}]}}],"propertyNames":{"maxLength":2}}`,
	} {
		f.Add([]byte(s), []byte(`{"a":[1,1.0,{"aa":1000}],"c":null}`))
	}
	f.Fuzz(func(t *testing.T, text, value []byte) {
		s, problems := schema.Compile(text, schema.Open)
		if (s == nil) != (len(problems) > 0) {
			t.Fatalf("Compile(%q) = %v, %v", text, s, problems)
		}
		if s != nil {
			problems = s.Validate(value)
		}
		for _, e := range problems {
			if e.Kind == "" || e.Reason == "" || e.Message == "" || len(e.Message) > 2_000 {
				t.Fatalf("problem %+v", e)
			}
		}
	})
}
