package schema

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"pawl/internal/canon"
)

// reader walks a schema, checks its keywords, and makes a copy that holds only what the library should see.
type reader struct {
	top      canon.Place
	words    Words
	nodes    map[string]*node       // by pointer into the document
	places   map[string]canon.Place // by pointer into the cleaned copy
	refs     []reference
	nullable map[string]bool
	lists    string // why items may not be a list; empty where it may
	bad      bool
}

// reference is a $ref of the cleaned copy, whose target is filled in when all schemas have been read.
type reference struct {
	from *node
	at   canon.Place
	to   string // pointer into the document
	text *string
}

func (r *reader) refuse(p canon.Place, format string, args ...any) {
	r.bad = true
	p.Refuse("schema", format, args...)
}

// read gives the cleaned copy of the schema at a place; cleaned is where the copy stands.
func (r *reader) read(p canon.Place, cleaned string) any {
	n := &node{base: 1, cleaned: cleaned}
	if r.nodes[p.Pointer()] = n; len(r.nodes) > maxNodes {
		if len(r.nodes) == maxNodes+1 {
			r.refuse(r.top, "A schema holds at most %d schemas.", maxNodes)
		}
		return true
	}
	if r.places == nil {
		r.places = map[string]canon.Place{}
	}
	r.places[cleaned] = p
	switch p.Kind() {
	case canon.Bool:
		return p.Bool()
	case canon.Object:
		return r.object(n, p)
	default:
		r.refuse(p, "A schema is an object, true or false.")
		return true
	}
}

func (r *reader) object(n *node, p canon.Place) any {
	n.inner = n.cleaned
	null := r.takesNull(p)
	wrapped := null && !simple(p.Value())
	if wrapped {
		n.inner += "/anyOf/1"
		n.base++
		r.places[n.inner] = p
		r.nullable[n.cleaned] = true
	}
	if s := p.Member("$schema"); s.Present() {
		r.dialect(s)
	}
	copied := map[string]any{}
	for _, m := range p.Members() {
		r.keyword(n, copied, m)
	}
	if ref, ok := copied["$ref"]; ok && len(copied) > 1 { // Draft 7 ignores what stands beside a $ref; here it counts
		delete(copied, "$ref")
		all, _ := copied["allOf"].([]any)
		copied["allOf"] = append(all, map[string]any{"$ref": ref})
	}
	switch {
	case wrapped:
		return map[string]any{"anyOf": []any{map[string]any{"type": "null"}, copied}}
	case null:
		copied["type"] = withNull(p.Value().Member("type"))
	}
	return copied
}

func (r *reader) keyword(n *node, copied map[string]any, m canon.Place) {
	name := m.Value().Name()
	switch {
	case strings.HasPrefix(name, "x-"), slices.Contains(droppedKeywords(), name), name == "nullable":
	case slices.Contains(plainKeywords(), name):
		copied[name] = r.plain(n, name, m)
	case slices.Contains(schemaKeywords(), name):
		copied[name] = r.child(n, name, name, m)
	case slices.Contains(listKeywords(), name):
		copied[name] = r.children(n, name, m)
	case slices.Contains(mapKeywords(), name), name == "dependencies":
		copied[name] = r.named(n, name, m)
	case name == "items" && m.Kind() == canon.List:
		if r.lists != "" {
			r.refuse(m, "%s", r.lists)
		}
		copied[name] = r.children(n, name, m)
	case name == "items":
		copied[name] = r.child(n, name, name, m)
	case name == "$ref":
		copied[name] = r.reference(n, m)
	default:
		r.stranger(name, m)
	}
}

// plain copies a keyword whose value is no schema, and weighs what holding a value against it costs.
func (r *reader) plain(n *node, name string, m canon.Place) any {
	switch {
	case name == "pattern":
		r.pattern(n, m, m.Value().Text())
	case slices.Contains(countKeywords(), name) && m.Kind() == canon.Number:
		if f, err := strconv.ParseFloat(m.Value().Text(), 64); err != nil || f > maxCount {
			r.refuse(m, "A count in a schema is at most %d.", maxCount)
		}
	case slices.Contains([]string{"enum", "const", "required"}, name):
		n.base += size(m.Value()) / 2
	}
	if exponent(m.Value()) {
		r.refuse(m, "A number here has an exponent of at most %d.", maxExponent)
	}
	return plain(m.Value())
}

// pattern checks a regular expression; its compiled size counts as work, because each character of a text may be held
// against all of it.
func (r *reader) pattern(n *node, p canon.Place, text string) {
	_, err := regexp.Compile(text)
	parsed, parseErr := syntax.Parse(text, syntax.Perl)
	if err != nil || parseErr != nil {
		r.refuse(p, "%q is no regular expression in the syntax of RE2, which has no look-around, no back-references and no repeats beyond 1,000.", clip(text))
		return
	}
	if program, err := syntax.Compile(parsed.Simplify()); err == nil {
		n.base += len(program.Inst)/instructions + len(text)/unit
	}
}

func (r *reader) child(n *node, keyword, path string, p canon.Place) any {
	copied := r.read(p, n.inner+"/"+path)
	n.attach(keyword, r.nodes[p.Pointer()])
	return copied
}

func (r *reader) children(n *node, keyword string, p canon.Place) any {
	if p.Kind() != canon.List {
		r.refuse(p, "This is a list of schemas.")
		return nil
	}
	list := []any{}
	for i, e := range p.Elements() {
		list = append(list, r.child(n, keyword, keyword+"/"+strconv.Itoa(i), e))
	}
	return list
}

func (r *reader) named(n *node, keyword string, p canon.Place) any {
	if p.Kind() != canon.Object {
		r.refuse(p, "This is an object of schemas.")
		return nil
	}
	copied := map[string]any{}
	for _, m := range p.Members() {
		name := m.Value().Name()
		if keyword == "patternProperties" {
			r.pattern(n, m, name)
		}
		if keyword == "dependencies" && m.Kind() == canon.List {
			n.base += size(m.Value()) / 2
			copied[name] = plain(m.Value())
			continue
		}
		copied[name] = r.child(n, keyword, keyword+"/"+escape(name), m)
	}
	return copied
}

func (r *reader) reference(n *node, p canon.Place) any {
	s, ok := p.Text()
	if !ok {
		r.bad = true
		return s
	}
	if s != "#" && !strings.HasPrefix(s, "#/") {
		r.refuse(p, "A $ref points into this schema, as in #/definitions/item; nothing is loaded from elsewhere.")
		return s
	}
	text := new(string)
	r.refs = append(r.refs, reference{n, p, r.top.Pointer() + decoded(strings.TrimPrefix(s, "#")), text})
	return text
}

// link joins the references to what they point to.
func (r *reader) link() bool {
	for _, ref := range r.refs {
		target := r.nodes[ref.to]
		if target == nil {
			r.refuse(ref.at, "This points to no schema.")
			continue
		}
		ref.from.attach("$ref", target)
		*ref.text = "#" + fragment(target.cleaned)
	}
	return !r.bad
}
