package genisys

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"pawl/internal/canon"
	"pawl/internal/fault"
)

// path reads a template and holds it against the inputs: each {field} has one required path input, and each
// path input has its {field}.
func path(p, list canon.Place, inputs []Input) string {
	text, ok := p.Text()
	if !ok {
		return ""
	}
	fields, problems := template(text)
	for _, e := range problems {
		p.Refuse(e.Reason, "%s", e.Message)
	}
	if len(problems) > 0 {
		return text
	}
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		if seen[f] {
			p.Refuse("duplicate", "The field {%s} stands in the path twice; name the second one otherwise.", f)
		}
		seen[f] = true
	}
	matchFields(p, list, inputs, fields)
	return text
}

func matchFields(p, list canon.Place, inputs []Input, fields []string) {
	missing := make(map[string]bool, len(fields))
	for _, f := range fields {
		missing[f] = true
	}
	for i, in := range inputs {
		matchInput(list.Element(i), in, missing)
	}
	for _, f := range fields {
		if missing[f] {
			missing[f] = false
			p.Refuse("field", "The field {%s} has no input; add one with \"id\": %s, \"in\": \"path\" and \"required\": true.", f, quote(f))
		}
	}
}

// matchInput holds one input against the fields that still miss theirs.
func matchInput(p canon.Place, in Input, missing map[string]bool) {
	_, field := missing[in.ID]
	switch {
	case !field && in.In == InPath:
		p.Member("id").Refuse("field", "The input %s is in the path, but the path has no {%s}; add it there or place the input elsewhere.", quote(in.ID), in.ID)
	case !field:
	case in.In != InPath && in.In != "":
		p.Member("in").Refuse("field", "The path has a field {%s}, so its input is in the path, not in the %s; rename one of them.", in.ID, in.In)
	case in.In == InPath && !in.Required:
		p.Member("required").Refuse("field", "The input %s is in the path, which has no gaps; add \"required\": true.", quote(in.ID))
	}
	if field {
		missing[in.ID] = false
	}
}

// template reads a path template: what stands between the fields is a path as RFC 3986 writes it, without
// anything that could lead elsewhere. It gives the fields in their order, or every problem.
func template(text string) ([]string, fault.List) {
	if n := utf8.RuneCountInString(text); n > MaxPathLength {
		return nil, fault.List{pathFault("length", "The path has %d characters; at most %d are allowed.", n, MaxPathLength)}
	}
	var problems fault.List
	if !strings.HasPrefix(text, "/") {
		problems = append(problems, pathFault("path",
			"The path %s does not start with a slash; write it relative to the base URL, such as /items.", quote(text)))
	}
	fields, literal, err := cut(text)
	if err != nil {
		return nil, append(problems, err)
	}
	problems = append(problems, literalFaults(literal)...)
	return fields, append(problems, segmentFaults(strings.TrimPrefix(literal, "/"))...)
}

// cut takes the fields out of a template; each leaves {} behind.
func cut(text string) (fields []string, literal string, err *fault.Error) {
	var b strings.Builder
	for rest := text; ; {
		open := strings.IndexAny(rest, "{}")
		if open < 0 {
			b.WriteString(rest)
			return fields, b.String(), nil
		}
		end := strings.IndexByte(rest, '}')
		if rest[open] == '}' || end < 0 {
			return nil, "", pathFault("braces", "The path %s has a brace without its partner; write a field as {id}.", quote(text))
		}
		field := rest[open+1 : end]
		if !inputID.MatchString(field) {
			return nil, "", pathFault("field", "%s is not the id of an input: write %s between the braces.", quote(field), inputWords)
		}
		fields = append(fields, field)
		b.WriteString(rest[:open] + "{}")
		rest = rest[end+1:]
	}
}

// literalFaults goes through the characters outside fields; it says everything once.
func literalFaults(literal string) fault.List {
	var problems fault.List
	said := make(map[string]bool)
	for i, r := range literal {
		if e := characterFault(r, literal[i:]); e != nil && !said[e.Message] {
			said[e.Message] = true
			problems = append(problems, e)
		}
	}
	return problems
}

// characterFault looks at one character and what follows from it.
func characterFault(r rune, from string) *fault.Error {
	switch {
	case r == '?':
		return pathFault("query", "The path has a query; declare its parameters as inputs with \"in\": \"query\".")
	case r == '#':
		return pathFault("fragment", "The path has a fragment, which is never sent; leave it out.")
	case r == '\\':
		return pathFault("path", "The path has a backslash; write a slash.")
	case r == '%':
		return encodedFault(from)
	case !strings.ContainsRune("/{}", r) && !pathCharacter(r):
		return pathFault("path", "The path has the character %s, which a path can't hold as it is; write it percent-encoded.", strconv.QuoteRune(r))
	}
	return nil
}

// pathCharacter is pchar of RFC 3986 without percent-encoding.
func pathCharacter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._~!$&'()*+,;=:@", r)
}

// doubled is a percent sign that was encoded itself, so that decoding twice gives another path.
var doubled = regexp.MustCompile(`^%25[0-9A-Fa-f]{2}`)

// encodedFault looks at one percent-encoded byte: it may stand for anything but what some server on the way
// would read as a part of the path's structure.
func encodedFault(text string) *fault.Error {
	if len(text) < 3 {
		return pathFault("path", "The path ends inside a percent-encoded character; write a percent sign as %%25.")
	}
	c, err := strconv.ParseUint(text[1:3], 16, 8)
	switch {
	case err != nil:
		return pathFault("path", "The path has a percent sign without two hexadecimal digits; write a percent sign as %%25.")
	case strings.IndexByte(`/\.`, byte(c)) >= 0:
		return pathFault("traversal", "The path has an encoded %s (%s); write it as it is or leave it out.", strconv.QuoteRune(rune(c)), text[:3])
	case c < ' ' || c == 0x7f:
		return pathFault("path", "The path has an encoded control character (%s); leave it out.", text[:3])
	case doubled.MatchString(text):
		return pathFault("traversal", "The path is percent-encoded twice (%s); encode it once.", text[:5])
	}
	return nil
}

// segmentFaults refuses empty segments and those that climb, also with parameters behind them (..;x).
func segmentFaults(relative string) fault.List {
	var problems fault.List
	segments := strings.Split(relative, "/")
	for i, s := range segments {
		name, _, _ := strings.Cut(s, ";")
		switch {
		case name == "." || name == "..":
			problems = append(problems, pathFault("traversal", "The path has a segment %s, which leads elsewhere; leave it out.", quote(s)))
		case s == "" && i < len(segments)-1:
			problems = append(problems, pathFault("path", "The path has an empty segment (//); leave one slash out."))
		}
	}
	return problems
}

func pathFault(reason, format string, args ...any) *fault.Error {
	return fault.New(fault.InvalidInput, reason, format, args...)
}
