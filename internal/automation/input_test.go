package automation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/automation"
)

func withInputs(schema string) string {
	return `{"format": "pawl-automation@1", "name": "n", "inputs": ` + schema + `, "steps": []}`
}

func TestValidateInput(t *testing.T) {
	t.Parallel()
	const schema = `{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "required": ["since"], "additionalProperties": false,
	  "properties": {
	    "since": {"type": "string", "format": "date", "minLength": 1},
	    "n": {"type": "integer", "maximum": 9007199254740993},
	    "kind": {"enum": ["a", "b"]},
	    "tree": {"$ref": "#/definitions/tree", "description": "counts although it stands beside a $ref"},
	    "x": {"$ref": "#/definitions/s", "minLength": 3},
	    "p": {"type": "string", "pattern": "^[a-z]+$"}},
	  "definitions": {"s": {"type": "string"}, "tree": {"anyOf": [{"type": "number"}, {"type": "array", "items": {"$ref": "#/definitions/tree"}}, {"type": "object", "additionalProperties": {"$ref": "#/definitions/tree"}}]}}}`
	doc := decode(t, withInputs(schema))
	for _, test := range []struct{ name, input, want string }{
		{"fits", `{"since": "not a date, and format only describes", "n": 9007199254740993, "kind": "a", "tree": [1, {"a": [2]}], "x": "abc", "p": "a"}`, ""},
		{"absent", ``, "invalid_input input "},
		{"no object", `[1]`, "invalid_input type "},
		{"no JSON", `{`, "invalid_input truncated "},
		{"twice", `{"since": "a", "since": "b"}`, "invalid_input duplicate_member /since"},
		{"unknown", `{"since": "a", "sinse": "b"}`, "invalid_input input "},
		{"several", `{"since": "", "n": 1.5, "kind": "c"}`, "invalid_input input /kind\ninvalid_input input /n\ninvalid_input input /since"},
		{"one too many", `{"since": "a", "n": 9007199254740994}`, "invalid_input input /n"},
		{"beside a $ref", `{"since": "a", "x": "ab"}`, "invalid_input input /x"},
		{"deep", `{"since": "a", "tree": ` + strings.Repeat("[", 150) + strings.Repeat("]", 150) + `}`, ""},
		{"huge exponent", `{"since": "a", "n": 1e2000}`, "limit number "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			problems := doc.ValidateInput([]byte(test.input))
			lines := strings.Split(brief(problems), "\n")
			if len(lines) > 1 {
				sortLines(lines)
			}
			if d := cmp.Diff(test.want, strings.Join(lines, "\n")); d != "" {
				t.Errorf("%s\n%v", d, problems)
			}
		})
	}
}

func sortLines(lines []string) {
	for i := range lines {
		for j := i; j > 0 && lines[j] < lines[j-1]; j-- {
			lines[j], lines[j-1] = lines[j-1], lines[j]
		}
	}
}

func TestInputMessagesKeepDigits(t *testing.T) {
	t.Parallel()
	doc := decode(t, withInputs(`{"properties": {"n": {"maximum": 9007199254740993}, "k": {"const": "x<y"}}}`))
	problems := doc.ValidateInput([]byte(`{"n": 9007199254740994, "k": 1}`))
	got := problems.Error()
	for _, want := range []string{"/n: This must be at most 9007199254740993.", `/k: This must be "x<y".`} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

func TestNoSchemaTakesAnyObject(t *testing.T) {
	t.Parallel()
	doc := decode(t, steps(``))
	if problems := doc.ValidateInput([]byte(`{"a": 1}`)); len(problems) > 0 {
		t.Errorf("got %v", problems)
	}
	if problems := doc.ValidateInput([]byte(`7`)); len(problems) != 1 {
		t.Errorf("got %v", problems)
	}
}

// exponential makes 20 levels of alternatives that double at each.
func exponential() string {
	parts := make([]string, 20)
	for i := range parts {
		parts[i] = fmt.Sprintf(`"l%d": {"anyOf": [{"$ref": "#/definitions/l%d"}, {"$ref": "#/definitions/l%d"}]}`, i, i+1, i+1)
	}
	return `{"properties": {"a": {"$ref": "#/definitions/l0"}}, "definitions": {` + strings.Join(parts, ",") + `, "l20": {"type": "string"}}}`
}

func TestSchemasThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, schema, want string }{
		{"no schema", `[]`, "invalid_input schema /inputs"},
		{"unknown keyword", `{"propertys": {}}`, "invalid_input schema /inputs/propertys"},
		{"inner keyword", `{"properties": {"a": {"typ": "string"}}}`, "invalid_input schema /inputs/properties/a/typ"},
		{"wrong type", `{"properties": {"a": {"type": "strin"}}}`, "invalid_input schema /inputs/properties/a/type"},
		{"no object", `{"type": "array"}`, "invalid_input schema /inputs/type"},
		{"another draft", `{"$schema": "http://json-schema.org/draft-04/schema#"}`, "invalid_input schema /inputs/$schema"},
		{"remote", `{"properties": {"a": {"$ref": "https://example.com/s.json"}}}`, "invalid_input schema /inputs/properties/a/$ref"},
		{"file", `{"properties": {"a": {"$ref": "file:///etc/passwd"}}}`, "invalid_input schema /inputs/properties/a/$ref"},
		{"dangling", `{"properties": {"a": {"$ref": "#/definitions/b"}}}`, "invalid_input schema /inputs/properties/a/$ref"},
		{"into no schema", `{"properties": {"a": {"$ref": "#/properties"}}}`, "invalid_input schema /inputs/properties/a/$ref"},
		{"another base", `{"$id": "https://example.com/"}`, "invalid_input schema /inputs/$id"},
		{"itself", `{"$ref": "#"}`, "invalid_input schema /inputs"},
		{"itself by a way round", `{"allOf": [{"$ref": "#/definitions/a"}], "definitions": {"a": {"not": {"$ref": "#"}}}}`, "invalid_input schema /inputs"},
		{"exponential", exponential(), "invalid_input schema /inputs"},
		{"look-ahead", `{"properties": {"a": {"pattern": "(?=a)"}}}`, "invalid_input schema /inputs/properties/a/pattern"},
		{"huge exponent", `{"properties": {"a": {"maximum": 1e2000}}}`, "invalid_input schema /inputs/properties/a/maximum"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc, problems := automation.Decode([]byte(withInputs(test.schema)))
			if doc != nil {
				t.Error("a document came out")
			}
			if d := cmp.Diff(test.want, brief(problems)); d != "" {
				t.Errorf("%s\n%v", d, problems)
			}
		})
	}
}

// TestRecursiveAlternativesBoundTheDepth: each level doubles what a value is held against, so deep inputs are refused.
func TestRecursiveAlternativesBoundTheDepth(t *testing.T) {
	t.Parallel()
	doc := decode(t, withInputs(`{"$ref": "#/definitions/n", "definitions": {"n": {"properties": {"next": {"anyOf": [{"$ref": "#/definitions/n"}, {"$ref": "#/definitions/n"}]}}}}}`))
	if problems := doc.ValidateInput([]byte(chain(5))); len(problems) > 0 {
		t.Errorf("got %v", problems)
	}
	if got := brief(doc.ValidateInput([]byte(chain(60)))); got != "limit depth " {
		t.Errorf("got %q", got)
	}
}

func chain(depth int) string {
	return strings.Repeat(`{"next": `, depth) + `1` + strings.Repeat(`}`, depth)
}
