package automation_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"pawl/internal/automation"
)

func published(t testing.TB) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft7
	c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errors.New("nothing is loaded") }
	if err := c.AddResource("schema.json", bytes.NewReader(automation.Schema())); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json") // checks it against the schema of Draft 7
	if err != nil {
		t.Fatalf("%#v", err)
	}
	return compiled
}

func value(t testing.TB, text string) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// examples are the documents of these tests and of the documentation.
func examples(t testing.TB) []string {
	t.Helper()
	page, err := os.ReadFile("../../docs/formats/pawl-automation.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{full, nested(20), many(30)}
	for _, m := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(page, -1) {
		if bytes.Contains(m[1], []byte(automation.Format)) {
			texts = append(texts, string(m[1]))
		} else {
			texts = append(texts, steps(string(m[1])))
		}
	}
	return texts
}

func TestPublishedSchemaAcceptsEveryExample(t *testing.T) {
	t.Parallel()
	schema := published(t)
	for _, text := range examples(t) {
		if err := schema.Validate(value(t, text)); err != nil {
			t.Errorf("%.200s: %#v", text, err)
		}
		decode(t, text)
	}
}

func TestPublishedSchemaRefuses(t *testing.T) {
	t.Parallel()
	schema := published(t)
	for _, test := range []struct{ name, text string }{
		{"another format", `{"format": "pawl-automation@2", "name": "n", "steps": []}`},
		{"unknown member", `{"format": "pawl-automation@1", "name": "n", "steps": [], "x": 1}`},
		{"unknown type", steps(`{"id": "a", "type": "loop"}`)},
		{"member of another type", steps(`{"id": "a", "type": "set", "value": 1, "action": "x"}`)},
		{"missing value", steps(`{"id": "a", "type": "set"}`)},
		{"reserved id", steps(`{"id": "for", "type": "set", "value": 1}`)},
		{"identity", steps(`{"id": "a", "type": "action", "action": "developer.shop.v1-0-0"}`)},
		{"two waits", steps(`{"id": "a", "type": "wait", "for": "1s", "until": "2026-01-01T00:00:00Z"}`)},
		{"duration", steps(`{"id": "a", "type": "wait", "for": "1.5s"}`)},
		{"empty try", steps(`{"id": "a", "type": "try", "steps": [{"id": "b", "type": "set", "value": 1}]}`)},
		{"a step inside", steps(`{"id": "a", "type": "branch", "cases": [{"when": true, "steps": [{"id": "b", "type": "set"}]}]}`)},
		{"a condition", steps(`{"id": "a", "type": "check", "condition": "yes"}`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if schema.Validate(value(t, test.text)) == nil {
				t.Error("accepted")
			}
			if doc, _ := automation.Decode([]byte(test.text)); doc != nil {
				t.Error("read")
			}
		})
	}
}

// TestPublishedSchemaKnowsEveryType keeps the schema and the types together.
func TestPublishedSchemaKnowsEveryType(t *testing.T) {
	t.Parallel()
	var s struct {
		Definitions struct {
			Step struct {
				Properties struct {
					Type struct{ Enum []automation.Type }
				}
			}
		}
	}
	if err := json.Unmarshal(automation.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Definitions.Step.Properties.Type.Enum, automation.Types()) {
		t.Errorf("got %v", s.Definitions.Step.Properties.Type.Enum)
	}
}
