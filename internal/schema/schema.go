// Package schema holds JSON values against JSON Schemas of Draft 7: the inputs of automations and of tools, and
// declared outputs. It wraps github.com/santhosh-tekuri/jsonschema/v5 with what that library leaves open: a schema is
// read strictly and all its problems are reported at once; nothing is ever loaded; what a schema and a value may cost
// is bounded before either is touched; problems keep the digits of the schema and are few.
//
// docs/formats/json-schema.md says what is understood. Values are never coerced, completed or trimmed.
package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"pawl/internal/canon"
	"pawl/internal/fault"
)

// Words says which keywords a schema may have beside those that are known.
type Words uint8

const (
	// Closed refuses every keyword that is not known, so that a slip of the pen shows: for our own formats.
	Closed Words = iota
	// Open passes over keywords that no draft knows, as Draft 7 asks (section 6.4), and over $id at the top. What
	// resembles a known keyword, and what another draft would enforce, is refused all the same: for formats of others.
	Open
)

// Schema is a compiled schema. It is never changed and safe for concurrent use.
type Schema struct {
	compiled *jsonschema.Schema
	source   any             // the cleaned copy that was compiled, for messages
	nullable map[string]bool // pointers into source where null is an alternative that we put there
	widths   []int           // by the depth of a value: against how many schemas one place of it is held at the most
}

// address is the name under which the library knows the one schema.
const address = "pawl:schema"

// Compile reads a schema from its text. It reports every problem at once, each with a JSON pointer into the schema.
func Compile(text []byte, words Words) (*Schema, fault.List) {
	top, report := canon.Open(text, canon.Limits{Bytes: maxBytes, Depth: maxDepth, Values: maxValues})
	if problems := report.Problems(); len(problems) > 0 {
		return nil, problems
	}
	return Read(top, words), report.Problems()
}

// Read reads the schema that stands at a place of a document and reports what is wrong with it there; nil when there
// is anything.
func Read(p canon.Place, words Words) *Schema {
	if size(p.Value()) > maxSize {
		p.RefuseAs(fault.Limit, "schema", "This schema is too large to be checked; shorten its names, texts and lists of values.")
		return nil
	}
	r := &reader{top: p, words: words, nodes: map[string]*node{}, nullable: map[string]bool{}}
	source := r.read(p, "")
	root := r.nodes[p.Pointer()]
	if r.bad || root == nil || !r.link() {
		return nil
	}
	widths := root.table()
	if len(widths) < 2 {
		p.Refuse("schema", "Checking a value could take forever: the schema refers to itself, or has too many alternatives or choices for one place.")
		return nil
	}
	compiled, err := compile(source)
	if err != nil {
		r.refuseInvalid(err)
		return nil
	}
	return &Schema{compiled, source, r.nullable, widths}
}

func compile(source any) (*jsonschema.Schema, error) {
	text, err := json.Marshal(source)
	if err != nil {
		return nil, fmt.Errorf("write the cleaned schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft7
	c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errRemote } // the default reads files
	if err := c.AddResource(address, bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return c.Compile(address)
}

var errRemote = errors.New("schemas are never loaded from elsewhere")

// refuseInvalid reports what the library's own check of the schema found, leaf by leaf.
func (r *reader) refuseInvalid(err error) {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		r.top.Refuse("schema", "This is no JSON Schema of Draft 7 that can be used.")
		return
	}
	found := leaves(invalid, everyLeaf)
	seen := map[string]bool{}
	for _, leaf := range found {
		at := r.original(decoded(leaf.InstanceLocation))
		if seen[at.Pointer()] || slices.ContainsFunc(found, within(leaf)) {
			continue // another alternative of the same place
		}
		seen[at.Pointer()] = true
		at.Refuse("schema", "This is no JSON Schema of Draft 7: %s.", clip(leaf.Message))
	}
}

// within says of a leaf whether it is inside the place of another one.
func within(outer *jsonschema.ValidationError) func(*jsonschema.ValidationError) bool {
	return func(e *jsonschema.ValidationError) bool {
		return strings.HasPrefix(e.InstanceLocation, outer.InstanceLocation+"/")
	}
}

// original finds the place from which a part of the cleaned copy was made, or the nearest one around it.
func (r *reader) original(location string) canon.Place {
	at := r.top
	best := -1
	for cleaned, p := range r.places {
		if len(cleaned) > best && (location == cleaned || strings.HasPrefix(location, cleaned+"/")) {
			at, best = p, len(cleaned)
		}
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(location[max(best, 0):], "/"), "/") {
		if next := step(at, unescape(part)); next.Present() {
			at = next
		}
	}
	return at
}

// step is the member or element of a place.
func step(p canon.Place, part string) canon.Place {
	if p.Kind() == canon.Object {
		return p.Member(part)
	}
	if i, ok := index(part); ok {
		return p.Element(i)
	}
	return canon.Place{}
}

// leaves gives the errors that have no causes and that keep wants, at most maxProblems, by their places. The library's
// Error() is never called: it writes the whole tree, which may be huge.
func leaves(e *jsonschema.ValidationError, keep func(*jsonschema.ValidationError) bool) []*jsonschema.ValidationError {
	found := gather(e, nil, keep)
	slices.SortStableFunc(found, func(a, b *jsonschema.ValidationError) int {
		return cmp.Or(cmp.Compare(a.InstanceLocation, b.InstanceLocation), cmp.Compare(a.KeywordLocation, b.KeywordLocation))
	})
	return found
}

func gather(e *jsonschema.ValidationError, found []*jsonschema.ValidationError, keep func(*jsonschema.ValidationError) bool) []*jsonschema.ValidationError {
	switch {
	case len(found) >= maxProblems:
		return found
	case len(e.Causes) == 0 && keep(e):
		return append(found, e)
	}
	for _, cause := range e.Causes {
		found = gather(cause, found, keep)
	}
	return found
}

func everyLeaf(*jsonschema.ValidationError) bool { return true }
