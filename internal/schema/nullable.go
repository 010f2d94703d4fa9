package schema

import (
	"slices"

	"pawl/internal/canon"
)

// takesNull reads "nullable", the word of OpenAPI 3.0: null fits too, whatever else the schema says. It becomes an
// alternative to the whole schema, unless adding null to "type" says the same, which keeps messages plain.
func (r *reader) takesNull(p canon.Place) bool {
	m := p.Member("nullable")
	if m.Present() && m.Kind() != canon.Bool {
		r.refuse(m, "\"nullable\" is true or false.")
		return false
	}
	return m.Kind() == canon.Bool && m.Bool()
}

// simple says whether null passes a schema as soon as its type allows it.
func simple(v *canon.Value) bool {
	for _, name := range []string{"enum", "const", "$ref", "allOf", "anyOf", "oneOf", "not", "if"} {
		if v.Member(name) != nil {
			return false
		}
	}
	return typed(v)
}

// typed says whether the schema's type is a text or a list of texts.
func typed(v *canon.Value) bool {
	t := v.Member("type")
	if t.Kind() == canon.List {
		for i := range t.Len() {
			if t.At(i).Kind() != canon.Text {
				return false
			}
		}
		return true
	}
	return t.Kind() == canon.Text
}

// withNull gives the type of a schema as a list, with null.
func withNull(t *canon.Value) []any {
	var names []any
	if t.Kind() == canon.Text {
		names = append(names, t.Text())
	}
	for i := range t.Len() {
		names = append(names, t.At(i).Text())
	}
	if !slices.Contains(names, any("null")) {
		names = append(names, "null")
	}
	return names
}
