package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/fault"
	"pawl/internal/schema"
)

func compile(t testing.TB, text string, words schema.Words) *schema.Schema {
	t.Helper()
	s, problems := schema.Compile([]byte(text), words)
	if s == nil || len(problems) > 0 {
		t.Fatalf("Compile = %v, %v", s, problems)
	}
	return s
}

// places gives the problems as "kind reason pointer", sorted.
func places(problems fault.List) []string {
	all := make([]string, 0, len(problems))
	for _, e := range problems {
		pointer := ""
		if e.Where != nil {
			pointer = e.Where.Pointer
		}
		all = append(all, strings.TrimSpace(string(e.Kind)+" "+e.Reason+" "+pointer))
	}
	slices.Sort(all)
	return all
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, schema, value string
		want                []string
	}{
		{"anything", `{}`, `[1]`, nil},
		{"true", `true`, `1`, nil},
		{"false", `false`, `1`, []string{"invalid_input input"}},
		{"not JSON", `{}`, `{`, []string{"invalid_input truncated"}},
		{"a member twice", `{}`, `{"a":1,"a":1}`, []string{"invalid_input duplicate_member /a"}},
		{"no coercion of a number", `{"type":"number"}`, `"5"`, []string{"invalid_input input"}},
		{"no coercion of a text", `{"type":"string"}`, `5`, []string{"invalid_input input"}},
		{"no default inserted", `{"properties":{"a":{"default":1}},"required":["a"]}`, `{}`, []string{"invalid_input input"}},
		{"format describes", `{"format":"date","contentEncoding":"base64","contentMediaType":"application/json"}`, `"!"`, nil},
		{"$defs", `{"$ref":"#/$defs/n","$defs":{"n":{"type":"number"}}}`, `"a"`, []string{"invalid_input input"}},
		{"beside a $ref", `{"properties":{"a":{"$ref":"#/$defs/s","minLength":3}},"$defs":{"s":{"type":"string"}}}`, `{"a":"ab"}`, []string{"invalid_input input /a"}},
		{"several, each at its place", `{"properties":{"a":{"type":"string"},"b":{"items":{"minimum":3}}},"additionalProperties":false}`, `{"a":1,"b":[3,2,1],"c":1}`, []string{"invalid_input input", "invalid_input input /a", "invalid_input input /b/1", "invalid_input input /b/2"}},
		{"names that pointers escape", `{"additionalProperties":{"type":"string"}}`, `{"a b":1,"c%d":1,"e/f":1,"g~h":1,"ü#?":1}`, []string{"invalid_input input /a b", "invalid_input input /c%d", "invalid_input input /e~1f", "invalid_input input /g~0h", "invalid_input input /ü#?"}},
		{"$ref through names that are escaped", `{"$ref":"#/$defs/a%20b~1c%25d","$defs":{"a b/c%d":{"type":"string"}}}`, `1`, []string{"invalid_input input"}},
		{"pattern", `{"pattern":"^a+$"}`, `"b"`, []string{"invalid_input input"}},
		{"if, then, else", `{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}`, `1`, []string{"invalid_input input"}},
		{"unique", `{"uniqueItems":true}`, `[1,2,1.0]`, []string{"invalid_input input"}},
		{"deep", `{}`, strings.Repeat("[", 200) + strings.Repeat("]", 200), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := places(compile(t, tt.schema, schema.Closed).Validate([]byte(tt.value)))
			if diff := cmp.Diff(tt.want, got, equateEmpty()); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func equateEmpty() cmp.Option {
	return cmp.Transformer("nil", func(s []string) string { return strings.Join(s, "\n") })
}

func TestNullable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, schema, value string
		want                string
	}{
		{"null fits", `{"type":"string","nullable":true}`, `null`, ""},
		{"the type still counts", `{"type":"string","nullable":true}`, `1`, "This does not fit: expected string or null, but got number."},
		{"false says nothing", `{"type":"string","nullable":false}`, `null`, "This does not fit: expected string, but got null."},
		{"list of types", `{"type":["string","number"],"nullable":true}`, `null`, ""},
		{"enum without null", `{"type":"string","enum":["a"],"nullable":true}`, `null`, ""},
		{"enum still counts, and null is no second problem", `{"type":"string","enum":["a"],"nullable":true}`, `"b"`, `This must be one of ["a"].`},
		{"const", `{"const":1,"nullable":true}`, `null`, ""},
		{"beside a $ref", `{"$ref":"#/$defs/n","nullable":true,"$defs":{"n":{"type":"number"}}}`, `null`, ""},
		{"a $ref into a schema that was wrapped", `{"properties":{"a":{"nullable":true,"allOf":[{"type":"object"}],"properties":{"b":{"type":"string"}}},"c":{"$ref":"#/properties/a/properties/b"}}}`, `{"a":null,"c":1}`, "This does not fit: expected string, but got number."},
		{"a $ref to a schema that was wrapped", `{"properties":{"a":{"nullable":true,"allOf":[{"type":"object"}]},"c":{"$ref":"#/properties/a"}}}`, `{"c":null}`, ""},
		{"nested", `{"nullable":true,"anyOf":[{"nullable":true,"enum":[1]},{"nullable":true,"enum":[2]}]}`, `3`, "This must be one of [1].\nThis must be one of [2]."},
		{"at the top, recursive", `{"nullable":true,"allOf":[{"type":"object"}],"properties":{"next":{"$ref":"#"}}}`, `{"next":{"next":null}}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			problems := compile(t, tt.schema, schema.Closed).Validate([]byte(tt.value))
			var got []string
			for _, e := range problems {
				got = append(got, e.Message)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// TestC121NumbersAreExact holds large numbers against schemas without floating-point arithmetic.
func TestC121NumbersAreExact(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		schema, value string
		want          bool
	}{
		{`{"multipleOf":1}`, `1e21`, true},
		{`{"multipleOf":11}`, `9007199254740995`, true},
		{`{"multipleOf":11}`, `9007199254740996`, false},
		{`{"type":"integer"}`, `1.0`, true},
		{`{"type":"integer"}`, `1.5`, false},
		{`{"type":"integer"}`, `1e2`, true},
		{`{"type":"integer"}`, `9223372036854775808`, true},
		{`{"maximum":9007199254740992}`, `9007199254740993`, false},
		{`{"const":9007199254740993}`, `9007199254740992`, false},
		{`{"enum":[1.0]}`, `1`, true},
		{`{"multipleOf":0.1}`, `0.3`, true},
	} {
		t.Run(tt.schema+" "+tt.value, func(t *testing.T) {
			t.Parallel()
			if problems := compile(t, tt.schema, schema.Closed).Validate([]byte(tt.value)); (len(problems) == 0) != tt.want {
				t.Errorf("Validate = %v; want valid: %t", problems, tt.want)
			}
		})
	}
}

func TestMessagesKeepDigits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ schema, value, want string }{
		{`{"maximum":9007199254740993}`, `9007199254740994`, "This must be at most 9007199254740993."},
		{`{"minimum":9007199254740993}`, `1`, "This must be at least 9007199254740993."},
		{`{"exclusiveMaximum":1.50}`, `2`, "This must be less than 1.50."},
		{`{"exclusiveMinimum":5}`, `2`, "This must be more than 5."},
		{`{"multipleOf":9007199254740993}`, `1`, "This must be a multiple of 9007199254740993."},
		{`{"const":"x<y"}`, `1`, `This must be "x<y".`},
		{`{"pattern":"^a$"}`, `"b"`, `This must match the regular expression "^a$".`},
		{`{"not":{}}`, `1`, `This is what the schema's "not" forbids.`},
		{`{"required":["a","b"]}`, `{}`, `This does not fit: missing properties: 'a', 'b'.`},
	} {
		t.Run(tt.schema, func(t *testing.T) {
			t.Parallel()
			problems := compile(t, tt.schema, schema.Closed).Validate([]byte(tt.value))
			if len(problems) != 1 || problems[0].Message != tt.want {
				t.Errorf("Validate = %v; want %s", problems, tt.want)
			}
		})
	}
}
