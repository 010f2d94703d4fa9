package api

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"pawl/internal/canon"
	"pawl/internal/fault"
)

// bodySchema is the schema of an operation's body, nil where there is none.
func bodySchema(op *huma.Operation) *huma.Schema {
	if op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return nil
	}
	return op.RequestBody.Content["application/json"].Schema
}

// exactNames reports members whose names differ from those of the schema by upper and lower case alone. encoding/json, and
// huma's check with it, would take Kind for kind, and the later one of both. Other wrong names are for that check.
func exactNames(known huma.Registry, schema *huma.Schema, v *canon.Value, path ...string) fault.List {
	if schema != nil && schema.Ref != "" {
		schema = known.SchemaFromRef(schema.Ref)
	}
	if schema == nil || v == nil {
		return nil
	}
	var problems fault.List
	for i := range v.Len() {
		member := v.At(i)
		name, inner := member.Name(), schema.Items
		if v.Kind() == canon.List {
			name = strconv.Itoa(i)
		} else {
			inner = schema.Properties[name]
		}
		at := append(slices.Clip(path), name)
		if meant := misspelt(schema, name); v.Kind() == canon.Object && meant != "" {
			problems = append(problems, fault.New(fault.InvalidInput, "body", "%s: there is no such member; upper and lower case count: write %q.", canon.Pointer(at...), meant).At(canon.Pointer(at...)))
		}
		problems = append(problems, exactNames(known, inner, member, at...)...)
	}
	return problems
}

// misspelt is the property that a name means which is none itself; empty for none.
func misspelt(schema *huma.Schema, name string) string {
	if schema.Properties[name] != nil {
		return ""
	}
	for _, property := range slices.Sorted(maps.Keys(schema.Properties)) {
		if strings.EqualFold(property, name) {
			return property
		}
	}
	return ""
}
