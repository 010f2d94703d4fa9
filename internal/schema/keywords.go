package schema

import (
	"slices"
	"strings"

	"pawl/internal/canon"
)

// The keywords of JSON Schema Draft 7, by what their values are, with $defs, nullable and what only describes.

func plainKeywords() []string {
	return slices.Concat(countKeywords(), []string{
		"type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
		"pattern", "uniqueItems", "required", "title", "description", "default", "examples", "readOnly", "writeOnly", "$comment",
	})
}

func countKeywords() []string {
	return []string{"maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"}
}

// droppedKeywords are read and dropped: those that the library would enforce although they only describe here, and
// those of later drafts that only describe.
func droppedKeywords() []string {
	return []string{"$schema", "format", "contentEncoding", "contentMediaType", "deprecated"}
}

func schemaKeywords() []string {
	return []string{"additionalItems", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else"}
}

func listKeywords() []string { return []string{"allOf", "anyOf", "oneOf"} }

func mapKeywords() []string {
	return []string{"properties", "patternProperties", "definitions", "$defs"}
}

func allKeywords() []string {
	return slices.Concat(plainKeywords(), droppedKeywords(), schemaKeywords(), listKeywords(), mapKeywords(),
		[]string{"items", "dependencies", "$ref", "nullable"})
}

// foreignKeywords are what other drafts enforce or resolve: passing over them would let through what the author
// wanted refused.
func foreignKeywords() []string {
	return []string{
		"dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems", "minContains", "maxContains",
		"prefixItems", "contentSchema", "$anchor", "$recursiveRef", "$recursiveAnchor", "$dynamicRef", "$dynamicAnchor",
		"$vocabulary", "extends", "disallow", "divisibleBy",
	}
}

// describingKeywords are what OpenAPI adds and never enforces: they resemble known keywords and are passed over.
func describingKeywords() []string {
	return []string{"example", "externalDocs", "discriminator", "xml"}
}

// stranger deals with a keyword that is not known.
func (r *reader) stranger(name string, m canon.Place) {
	near := canon.Nearest(name, allKeywords())
	switch {
	case name == "$id" && r.words == Open && m.Pointer() == r.top.Pointer()+"/$id":
	case name == "$id":
		r.refuse(m, "A schema here has no address of its own; leave $id out and point with #/….")
	case slices.Contains(foreignKeywords(), name):
		r.refuse(m, "%q is a keyword of another draft, which would not be enforced here; say it in the words of Draft 7.", name)
	case r.words == Open && (near == "" || slices.Contains(describingKeywords(), name)):
	case near != "":
		r.refuse(m, "%q is no keyword of JSON Schema Draft 7 that can be used here; did you mean %q?", clip(name), near)
	default:
		r.refuse(m, "%q is no keyword of JSON Schema Draft 7 that can be used here; use those of the documentation, or x-….", clip(name))
	}
}

// The dialects that may be named, without the # at the end. Of the later ones only what means the same as in Draft 7
// is understood.
const (
	draft7    = "http://json-schema.org/draft-07/schema"
	draft2019 = "https://json-schema.org/draft/2019-09/schema"
	draft2020 = "https://json-schema.org/draft/2020-12/schema"
)

// dialect reads $schema, at the top only.
func (r *reader) dialect(m canon.Place) {
	text, ok := m.Text()
	name := strings.TrimSuffix(text, "#")
	switch {
	case !ok:
		r.bad = true
	case m.Pointer() != r.top.Pointer()+"/$schema":
		r.refuse(m, "$schema stands at the top of a schema only; leave it out here.")
	case !slices.Contains([]string{draft7, draft2019, draft2020}, name):
		r.refuse(m, "%q is no dialect that is understood here: leave $schema out, or write %s#.", clip(text), draft7)
	case name == draft2020:
		r.lists = "In the draft 2020-12 \"items\" is one schema; write \"$schema\": \"" + draft7 + "#\" if a list of schemas is meant."
	}
}
