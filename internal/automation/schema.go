package automation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"pawl/internal/canon"
)

// schema is the compiled schema of an automation's inputs.
type schema struct {
	compiled *jsonschema.Schema
	source   any // the cleaned schema, for messages
	depth    int // how deep an input may nest
}

// schemaAddress is the name under which the library knows the one schema.
const schemaAddress = "inputs:schema"

// compileSchema reads the schema at a place and reports what is wrong with it; nil when there is anything.
func compileSchema(p canon.Place) *schema {
	w := &schemaReader{top: p, nodes: map[string]*schemaNode{}}
	source := w.read(p)
	root := w.nodes[p.Pointer()]
	if w.bad || root == nil || !w.link() {
		return nil
	}
	if t := p.Member("type"); t.Present() && (t.Kind() != canon.Text || t.Value().Text() != "object") {
		t.Refuse("schema", "The inputs of an automation are an object: write \"type\": \"object\".")
		return nil
	}
	depth, ok := root.bound()
	if !ok {
		p.Refuse("schema", "The schema refers to itself, or tries so many alternatives for one value that checking an input could take forever.")
		return nil
	}
	compiled, err := compileSource(source)
	if err != nil {
		refuseSchema(p, err)
		return nil
	}
	return &schema{compiled, source, depth}
}

func compileSource(source any) (*jsonschema.Schema, error) {
	text, err := json.Marshal(source)
	if err != nil {
		return nil, fmt.Errorf("write the cleaned schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft7
	c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errRemote }
	if err := c.AddResource(schemaAddress, bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return c.Compile(schemaAddress)
}

var errRemote = errors.New("schemas are never loaded from elsewhere")

// refuseSchema reports what the library's own check of the schema found, leaf by leaf.
func refuseSchema(p canon.Place, err error) {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		p.Refuse("schema", "This is no JSON Schema of Draft 7 that can be used.")
		return
	}
	seen := map[string]bool{}
	for _, leaf := range leaves(invalid, nil) {
		if seen[leaf.InstanceLocation] {
			continue // another alternative of the same place
		}
		seen[leaf.InstanceLocation] = true
		at := p
		for part := range strings.SplitSeq(strings.TrimPrefix(leaf.InstanceLocation, "/"), "/") {
			if next := step(at, unescape(part)); next.Present() {
				at = next
			}
		}
		at.Refuse("schema", "This is no JSON Schema of Draft 7: %s.", leaf.Message)
	}
}

// step is the member or element of a place.
func step(p canon.Place, part string) canon.Place {
	if p.Kind() == canon.Object {
		return p.Member(part)
	}
	if p.Kind() == canon.List {
		for i, e := range p.Elements() {
			if fmt.Sprint(i) == part {
				return e
			}
		}
	}
	return canon.Place{}
}

func unescape(part string) string {
	return strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
}

// leaves gives the errors that have no causes, at most maxInputProblems. The library's Error() is never called: it
// writes the whole tree, which may be huge.
func leaves(e *jsonschema.ValidationError, found []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(found) >= maxInputProblems {
		return found
	}
	if len(e.Causes) == 0 {
		return append(found, e)
	}
	for _, cause := range e.Causes {
		found = leaves(cause, found)
	}
	return found
}
