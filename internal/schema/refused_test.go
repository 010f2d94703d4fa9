package schema_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/schema"
)

// doubling makes levels of alternatives that double at each: 2 to the power of levels ways to the end.
func doubling(keyword string, levels int) string {
	parts := make([]string, levels)
	for i := range parts {
		parts[i] = fmt.Sprintf(`"l%d":{"%s":[{"$ref":"#/$defs/l%d"},{"$ref":"#/$defs/l%d"}]}`, i, keyword, i+1, i+1)
	}
	return `{"properties":{"a":{"$ref":"#/$defs/l0"}},"$defs":{` + strings.Join(parts, ",") + fmt.Sprintf(`,"l%d":{"type":"string"}}}`, levels)
}

func TestSchemasThatAreRefused(t *testing.T) {
	t.Parallel()
	const bad = "invalid_input schema "
	for _, tt := range []struct {
		name, schema string
		want         []string
	}{
		{"not JSON", `{`, []string{"invalid_input truncated"}},
		{"a list", `[]`, []string{bad}},
		{"null inside", `{"properties":{"a":null}}`, []string{bad + "/properties/a"}},
		{"wrong type", `{"properties":{"a":{"type":"strin"}}}`, []string{bad + "/properties/a/type"}},
		{"wrong type in a nullable one", `{"properties":{"a":{"type":"strin","nullable":true}}}`, []string{bad + "/properties/a/type"}},
		{"wrong value in a wrapped one", `{"properties":{"a":{"nullable":true,"enum":[1],"minLength":-1}}}`, []string{bad + "/properties/a/minLength"}},
		{"wrong value behind an odd name", `{"properties":{"a b%/c":{"minimum":"1"}}}`, []string{bad + "/properties/a b%~1c/minimum"}},
		{"nullable is a text", `{"nullable":"yes"}`, []string{bad + "/nullable"}},
		{"required is a flag, as in Draft 3", `{"properties":{"a":{"required":true}}}`, []string{bad + "/properties/a/required"}},
		{"exclusiveMinimum is a flag, as in Draft 4", `{"minimum":1,"exclusiveMinimum":true}`, []string{bad + "/exclusiveMinimum"}},
		{"typing error", `{"propertys":{}}`, []string{bad + "/propertys"}},
		{"typing error inside", `{"properties":{"a":{"minLenght":1}}}`, []string{bad + "/properties/a/minLenght"}},
		{"several", `{"typ":1,"items":{"$ref":"x"},"not":5}`, []string{bad + "/items/$ref", bad + "/not", bad + "/typ"}},
		{"Draft 4", `{"$schema":"http://json-schema.org/draft-04/schema#"}`, []string{bad + "/$schema"}},
		{"the latest of the day", `{"$schema":"http://json-schema.org/schema#"}`, []string{bad + "/$schema"}},
		{"a dialect of one's own", `{"$schema":"https://example.com/meta"}`, []string{bad + "/$schema"}},
		{"$schema is a number", `{"$schema":7}`, []string{"invalid_input type /$schema"}},
		{"$schema inside", `{"items":{"$schema":"http://json-schema.org/draft-07/schema#"}}`, []string{bad + "/items/$schema"}},
		{"list of items in 2020-12", `{"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{}]}`, []string{bad + "/items"}},
		{"prefixItems", `{"prefixItems":[{}]}`, []string{bad + "/prefixItems"}},
		{"unevaluatedProperties", `{"unevaluatedProperties":false}`, []string{bad + "/unevaluatedProperties"}},
		{"dependentRequired", `{"dependentRequired":{"a":["b"]}}`, []string{bad + "/dependentRequired"}},
		{"minContains", `{"contains":{},"minContains":2}`, []string{bad + "/minContains"}},
		{"$anchor", `{"$anchor":"a"}`, []string{bad + "/$anchor"}},
		{"$dynamicRef", `{"$dynamicRef":"#a"}`, []string{bad + "/$dynamicRef"}},
		{"remote", `{"$ref":"https://example.com/s.json"}`, []string{bad + "/$ref"}},
		{"file", `{"$ref":"file:///etc/passwd"}`, []string{bad + "/$ref"}},
		{"relative file", `{"$ref":"other.json#/a"}`, []string{bad + "/$ref"}},
		{"the metaschema", `{"$ref":"http://json-schema.org/draft-07/schema#"}`, []string{bad + "/$ref"}},
		{"by anchor", `{"$ref":"#item"}`, []string{bad + "/$ref"}},
		{"dangling", `{"$ref":"#/$defs/a"}`, []string{bad + "/$ref"}},
		{"into no schema", `{"$ref":"#/$defs","$defs":{}}`, []string{bad + "/$ref"}},
		{"$ref is an object", `{"properties":{"a":{"$ref":{}}}}`, []string{"invalid_input type /properties/a/$ref"}},
		{"$id inside", `{"items":{"$id":"#a"}}`, []string{bad + "/items/$id"}},
		{"look-ahead", `{"pattern":"(?=a)"}`, []string{bad + "/pattern"}},
		{"broken pattern of properties", `{"patternProperties":{"(":{}}}`, []string{bad + "/patternProperties/("}},
		{"huge exponent", `{"maximum":1e2000}`, []string{bad + "/maximum"}},
		{"count that wraps round", `{"minLength":1e30}`, []string{bad + "/minLength"}},
		{"itself", `{"$ref":"#"}`, []string{bad}},
		{"itself by a way round", `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"not":{"$ref":"#"}}}}`, []string{bad}},
		{"itself, nullable", `{"nullable":true,"$ref":"#"}`, []string{bad}},
		{"exponential anyOf", doubling("anyOf", 20), []string{bad}},
		{"exponential allOf", doubling("allOf", 60), []string{bad}},
		{"exponential oneOf", doubling("oneOf", 1000), []string{bad}},
		{"too many schemas", `{"anyOf":[` + strings.Repeat(`{},`, 5000) + `{}]}`, []string{bad}},
		{"names that are far too long", `{"properties":{"` + strings.Repeat("a", 1<<20) + `":{"enum":[` + strings.Repeat("1,", 1000) + `1]}}}`, []string{"limit schema"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, words := range []schema.Words{schema.Closed, schema.Open} {
				s, problems := schema.Compile([]byte(tt.schema), words)
				if s != nil {
					t.Error("a schema came out")
				}
				trimmed := make([]string, len(tt.want))
				for i := range trimmed {
					trimmed[i] = strings.TrimSpace(tt.want[i])
				}
				if diff := cmp.Diff(trimmed, places(problems)); diff != "" {
					t.Errorf("problems (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestWordsThatNoDraftKnows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, schema string
		open, closed bool
	}{
		{"x-", `{"x-order":1}`, true, true},
		{"$comment", `{"$comment":"a"}`, true, true},
		{"deprecated", `{"deprecated":true}`, true, true},
		{"example", `{"example":1}`, true, false},
		{"discriminator", `{"discriminator":{"propertyName":"a"}}`, true, false},
		{"errorMessage", `{"errorMessage":"a"}`, true, false},
		{"enumNames", `{"enumNames":["a"]}`, true, false},
		{"$id at the top", `{"$id":"https://example.com/s.json"}`, true, false},
		{"typing error", `{"tpye":"string"}`, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for words, want := range map[schema.Words]bool{schema.Open: tt.open, schema.Closed: tt.closed} {
				if s, problems := schema.Compile([]byte(tt.schema), words); (s != nil) != want {
					t.Errorf("%d: %v; want %t", words, problems, want)
				}
			}
		})
	}
}

func TestDialectsThatAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema"} {
		s := compile(t, `{"$schema":`+strconv.Quote(name)+`,"type":"string"}`, schema.Closed)
		if len(s.Validate([]byte(`1`))) != 1 {
			t.Errorf("%s: the type is not enforced", name)
		}
	}
}

// TestRecursiveAlternativesBoundTheDepth: each level doubles what a value is held against, so deep values are refused.
func TestRecursiveAlternativesBoundTheDepth(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"next":{"anyOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/n"}]}}}}}`, schema.Closed)
	chain := func(depth int) []byte {
		return []byte(strings.Repeat(`{"next":`, depth) + `1` + strings.Repeat(`}`, depth))
	}
	if problems := s.Validate(chain(5)); len(problems) > 0 {
		t.Errorf("5 deep: %v", problems)
	}
	if diff := cmp.Diff([]string{"limit depth"}, places(s.Validate(chain(60)))); diff != "" {
		t.Errorf("60 deep (-want +got):\n%s", diff)
	}
}
