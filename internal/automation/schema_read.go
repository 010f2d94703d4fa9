package automation

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pawl/internal/canon"
)

// The keywords of JSON Schema Draft 7, by what their values are. Those that the library would enforce although
// here they only describe (format, content…) are read and dropped.
func plainKeywords() []string {
	return []string{
		"type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
		"maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties",
		"required", "title", "description", "default", "examples", "readOnly", "writeOnly", "$comment",
	}
}

func droppedKeywords() []string {
	return []string{"$schema", "format", "contentEncoding", "contentMediaType"}
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
		[]string{"items", "dependencies", "$ref"})
}

// schemaReader walks a schema, checks its keywords, and makes a copy that holds only what the library should see.
type schemaReader struct {
	top   canon.Place
	nodes map[string]*schemaNode // by pointer
	refs  []schemaRef
	bad   bool
}

type schemaRef struct {
	from *schemaNode
	at   canon.Place
	to   string // pointer
}

func (w *schemaReader) refuse(p canon.Place, format string, args ...any) {
	w.bad = true
	p.Refuse("schema", format, args...)
}

// read gives the cleaned copy of the schema at a place.
func (w *schemaReader) read(p canon.Place) any {
	node := &schemaNode{}
	if w.nodes[p.Pointer()] = node; len(w.nodes) > maxSchemaNodes {
		if len(w.nodes) == maxSchemaNodes+1 {
			w.refuse(w.top, "A schema of inputs holds at most %d schemas.", maxSchemaNodes)
		}
		return true
	}
	switch p.Kind() {
	case canon.Bool:
		return p.Bool()
	case canon.Object:
	default:
		w.refuse(p, "A schema is an object, true or false.")
		return true
	}
	clean := map[string]any{}
	for _, m := range p.Members() {
		w.keyword(node, clean, m)
	}
	if ref, ok := clean["$ref"]; ok && len(clean) > 1 { // Draft 7 ignores what stands beside a $ref; here it counts
		delete(clean, "$ref")
		all, _ := clean["allOf"].([]any)
		clean["allOf"] = append(all, map[string]any{"$ref": ref})
	}
	return clean
}

func (w *schemaReader) keyword(node *schemaNode, clean map[string]any, m canon.Place) {
	name := m.Value().Name()
	switch {
	case strings.HasPrefix(name, "x-"):
	case slices.Contains(droppedKeywords(), name):
		w.dropped(name, m)
	case slices.Contains(plainKeywords(), name):
		clean[name] = plain(m.Value())
		if name == "pattern" {
			w.pattern(m, m.Value().Text())
		}
		if !modest(m.Value()) {
			w.refuse(m, "A number here has an exponent of at most %d.", maxExponent)
		}
	case slices.Contains(schemaKeywords(), name):
		clean[name] = w.child(node, name, m)
	case slices.Contains(listKeywords(), name):
		clean[name] = w.children(node, name, m)
	case slices.Contains(mapKeywords(), name) || name == "dependencies":
		clean[name] = w.named(node, name, m)
	case name == "items":
		if m.Kind() == canon.List {
			clean[name] = w.children(node, name, m)
		} else {
			clean[name] = w.child(node, name, m)
		}
	case name == "$ref":
		clean[name] = w.reference(node, m)
	default:
		w.refuse(m, "%q is no keyword of JSON Schema Draft 7 that can be used here%s", clip(name), canon.Suggest(name, nearKeywords(name)))
	}
}

// nearKeywords keeps a message short: only the keywords that resemble a wrong one.
func nearKeywords(name string) []string {
	if n := canon.Nearest(name, allKeywords()); n != "" {
		return []string{n}
	}
	return []string{"the keywords of the documentation", "x-..."}
}

func (w *schemaReader) dropped(name string, m canon.Place) {
	if s, ok := m.Text(); name == "$schema" && ok && strings.TrimSuffix(s, "#") != "http://json-schema.org/draft-07/schema" {
		w.refuse(m, "Only Draft 7 can be used here: leave $schema out, or write http://json-schema.org/draft-07/schema#.")
	}
}

func (w *schemaReader) pattern(p canon.Place, text string) {
	if _, err := regexp.Compile(text); err != nil {
		w.refuse(p, "%q is no regular expression in the syntax of RE2, which has neither look-around nor back-references.", clip(text))
	}
}

func (w *schemaReader) child(node *schemaNode, keyword string, p canon.Place) any {
	clean := w.read(p)
	node.attach(keyword, w.nodes[p.Pointer()])
	return clean
}

func (w *schemaReader) children(node *schemaNode, keyword string, p canon.Place) any {
	if p.Kind() != canon.List {
		w.refuse(p, "This is a list of schemas.")
		return nil
	}
	list := []any{}
	for _, e := range p.Elements() {
		list = append(list, w.child(node, keyword, e))
	}
	return list
}

func (w *schemaReader) named(node *schemaNode, keyword string, p canon.Place) any {
	if p.Kind() != canon.Object {
		w.refuse(p, "This is an object of schemas.")
		return nil
	}
	clean := map[string]any{}
	for _, m := range p.Members() {
		name := m.Value().Name()
		if keyword == "patternProperties" {
			w.pattern(m, name)
		}
		if keyword == "dependencies" && m.Kind() == canon.List {
			clean[name] = plain(m.Value())
			continue
		}
		clean[name] = w.child(node, keyword, m)
	}
	return clean
}

func (w *schemaReader) reference(node *schemaNode, p canon.Place) any {
	s, ok := p.Text()
	if !ok {
		w.bad = true
		return s
	}
	if s != "#" && !strings.HasPrefix(s, "#/") {
		w.refuse(p, "A $ref points into this schema, as in #/definitions/item; nothing is loaded from elsewhere.")
		return s
	}
	w.refs = append(w.refs, schemaRef{node, p, w.top.Pointer() + strings.TrimPrefix(s, "#")})
	return s
}

// link joins the references to what they point to.
func (w *schemaReader) link() bool {
	for _, r := range w.refs {
		target := w.nodes[r.to]
		if target == nil {
			w.refuse(r.at, "This points to no schema.")
			continue
		}
		r.from.attach("$ref", target)
	}
	return !w.bad
}

// modest says whether no number in v has an exponent that would make the library count out a number of that many
// digits.
func modest(v *canon.Value) bool {
	if v.Kind() == canon.Number {
		_, exponent, ok := strings.Cut(strings.ToLower(v.Text()), "e")
		n, err := strconv.Atoi(exponent)
		return !ok || err == nil && n >= -maxExponent && n <= maxExponent
	}
	for i := range v.Len() {
		if !modest(v.At(i)) {
			return false
		}
	}
	return true
}

// plain turns a value into what encoding/json writes with the same digits.
func plain(v *canon.Value) any {
	switch v.Kind() {
	case canon.Bool:
		return v.Text() == "true"
	case canon.Number:
		return json.Number(v.Text())
	case canon.Text:
		return v.Text()
	case canon.List:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plain(v.At(i))
		}
		return list
	case canon.Object:
		members := make(map[string]any, v.Len())
		for i := range v.Len() {
			members[v.At(i).Name()] = plain(v.At(i))
		}
		return members
	default:
		return nil
	}
}
