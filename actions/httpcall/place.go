package httpcall

import (
	"strings"
	"unicode"

	"pawl/actions"
	"pawl/internal/fault"
)

// nameOf is the input's name on the wire.
func nameOf(in *actions.Input) string {
	if in.Name != "" {
		return in.Name
	}
	return in.ID
}

func isStructured(in *actions.Input) bool { return in.JSON || in.List || in.Row }

// shaped gives the compact JSON of a json, list or row input, checked against its declaration.
func shaped(in *actions.Input, raw []byte) ([]byte, error) {
	raw, err := structured(raw)
	switch {
	case err != nil:
		return nil, err
	case in.List && raw[0] != '[':
		return nil, mismatch("a list", raw)
	case in.Row && !in.List && raw[0] != '{':
		return nil, mismatch("a row, an object of named cells,", raw)
	}
	return raw, nil
}

// listItem gives the text of one element of a list: compact JSON where the elements are structured.
func listItem(in *actions.Input, raw []byte) (string, error) {
	switch {
	case in.JSON:
		return string(raw), nil
	case in.Row && raw[0] != '{':
		return "", mismatch("rows, objects of named cells,", raw)
	case in.Row:
		return string(raw), nil
	}
	return scalar(in.Type, raw)
}

// pathText gives the one value of a path input.
func pathText(in *actions.Input, raw []byte) (string, error) {
	if !isStructured(in) {
		return scalar(in.Type, raw)
	}
	if raw[0] == '{' || raw[0] == '[' {
		return "", mismatch("one value, because it fills a part of the path,", raw)
	}
	return scalar(actions.Text, raw)
}

func (b *builder) placePath(in *actions.Input, raw []byte) error {
	text, err := pathText(in, raw)
	if err != nil {
		return err
	}
	if err := checkSegment(text); err != nil {
		return err
	}
	if b.segments == nil {
		b.segments = make(map[string]string, 4)
	}
	b.segments[in.ID] = text
	return nil
}

// checkSegment refuses what would climb or split the path at a server or proxy that decodes before it looks.
func checkSegment(text string) error {
	if text == "" {
		return fault.New(fault.InvalidInput, "path_empty", "fills a part of the path and is empty")
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return fault.New(fault.InvalidInput, "path_control", "fills a part of the path and holds a control character")
	}
	climbs := text == "."
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == '/' || c == '\\' }) {
		climbs = climbs || part == ".."
	}
	if climbs {
		return fault.New(fault.InvalidInput, "path_dots", `fills a part of the path and would lead elsewhere: "." alone and ".." between slashes are refused`)
	}
	return nil
}

// path fills the template. A segment that only comes to be "." or ".." by the filling is refused as well.
func (b *builder) path() string {
	var path []byte
	rest := b.action.Path
	if !strings.HasPrefix(rest, "/") {
		path = append(path, '/')
	}
	for rest != "" {
		literal, after, found := strings.Cut(rest, "{")
		path = appendEscaped(path, literal, templateKept)
		if !found {
			break
		}
		id, tail, _ := strings.Cut(after, "}")
		if !b.declaredIn(id, actions.InPath) {
			b.problem(id, "path_template", "The path of %s names {%s}, which is none of its path inputs.", b.action.Identity, id)
		}
		path = appendEscaped(path, b.segments[id], unreserved)
		rest = tail
	}
	for segment := range strings.SplitSeq(string(path), "/") {
		if dots := strings.ReplaceAll(strings.ToLower(segment), "%2e", "."); dots == "." || dots == ".." {
			b.problems = append(b.problems, fault.New(fault.InvalidInput, "path_dots",
				"The path of %s would lead elsewhere with these inputs: a part of it is %q.", b.action.Identity, segment).At(""))
		}
	}
	return string(path)
}

func (b *builder) declaredIn(id string, where actions.Placement) bool {
	for i := range b.action.Inputs {
		if in := &b.action.Inputs[i]; in.ID == id && in.In == where {
			return true
		}
	}
	return false
}

func appendQuery(dst []byte, s string) []byte { return appendEscaped(dst, s, unreserved) }

// appendPairs writes name=value pairs for a query or a form: a list repeats the name, json and row are compact
// JSON. A json text that is "null" is left out, as null is.
func appendPairs(dst []byte, in *actions.Input, raw []byte, escape func([]byte, string) []byte) ([]byte, error) {
	pair := func(text string) {
		if len(dst) > 0 {
			dst = append(dst, '&')
		}
		dst = escape(append(escape(dst, nameOf(in)), '='), text)
	}
	if !isStructured(in) {
		text, err := scalar(in.Type, raw)
		if err == nil {
			pair(text)
		}
		return dst, err
	}
	raw, err := shaped(in, raw)
	if err != nil || isNull(raw) {
		return dst, err
	}
	if !in.List {
		pair(string(raw))
		return dst, nil
	}
	for i, item := range elements(raw) {
		text, err := listItem(in, item)
		if err != nil {
			return dst, inList(i, err)
		}
		pair(text)
	}
	return dst, nil
}

// inList says which element of a list is meant, counted from 1.
func inList(i int, err error) error {
	f := fault.From(err)
	return fault.New(f.Kind, f.Reason, "%s, in element %d", f.Message, i+1)
}

// placeMember writes one member of the JSON body, in the order of the declaration.
func (b *builder) placeMember(in *actions.Input, raw []byte) error {
	value, err := memberValue(in, raw)
	if err != nil {
		return err
	}
	if b.body == nil {
		b.body = append(make([]byte, 0, 256), '{')
	} else {
		b.body = append(b.body, ',')
	}
	b.body = append(appendQuoted(b.body, nameOf(in)), ':')
	b.body = append(b.body, value...)
	return nil
}

func memberValue(in *actions.Input, raw []byte) ([]byte, error) {
	if !isStructured(in) {
		return jsonScalar(in.Type, raw)
	}
	raw, err := shaped(in, raw)
	if err != nil || !in.List || in.JSON {
		return raw, err
	}
	out := []byte{'['}
	for i, item := range elements(raw) {
		if i > 0 {
			out = append(out, ',')
		}
		value, err := jsonItem(in, item)
		if err != nil {
			return nil, inList(i, err)
		}
		out = append(out, value...)
	}
	return append(out, ']'), nil
}

func jsonItem(in *actions.Input, raw []byte) ([]byte, error) {
	if in.Row {
		text, err := listItem(in, raw)
		return []byte(text), err
	}
	return jsonScalar(in.Type, raw)
}

func jsonScalar(kind actions.Type, raw []byte) ([]byte, error) {
	text, err := scalar(kind, raw)
	if err != nil {
		return nil, err
	}
	switch kind {
	case actions.Number, actions.Integer, actions.Boolean:
		return []byte(text), nil
	default:
		return appendQuoted(nil, text), nil
	}
}
