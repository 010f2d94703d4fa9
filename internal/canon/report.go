package canon

import (
	"slices"
	"strconv"
	"strings"

	"pawl/internal/fault"
)

// Report collects the problems that a decoder finds in one document, up to 100.
type Report struct {
	problems fault.List
	pointers int // bytes of the problems' pointers
	full     bool
}

// Open parses a document and gives its top, for a decoder that walks it and reports all problems at once. When
// the text itself is unsound, the report already holds why and the top is absent.
func Open(data []byte, lim Limits) (Place, *Report) {
	v, problems := Parse(data, lim)
	r := &Report{problems: problems}
	return Place{report: r, value: v}, r
}

// Problems gives what has been found so far, in the order of finding; empty when all is well.
func (r *Report) Problems() fault.List { return r.problems }

func (r *Report) add(e *fault.Error) {
	switch {
	case len(r.problems) == maxProblems || r.pointers > maxPointers:
		r.problems = append(r.problems, tooMany())
		r.full = true
	default:
		r.problems = append(r.problems, e)
		r.pointers += len(e.Where.Pointer)
	}
}

// Place is a value of a document together with its JSON pointer, or the pointer of a value that is absent.
// Reading from an absent place gives zero values and reports nothing.
type Place struct {
	report  *Report
	value   *Value
	pointer string
}

// Present says whether there is a value here; null counts.
func (p Place) Present() bool { return p.value != nil }

// Kind is the kind of the value here, None when it is absent.
func (p Place) Kind() Kind { return p.value.Kind() }

// Value is the value here, nil when it is absent.
func (p Place) Value() *Value { return p.value }

// Pointer is the JSON pointer of the place.
func (p Place) Pointer() string { return p.pointer }

// Refuse reports invalid_input at this place. The message is a sentence that says what is wrong and how to mend
// it.
func (p Place) Refuse(reason, format string, args ...any) {
	p.RefuseAs(fault.InvalidInput, reason, format, args...)
}

// RefuseAs is Refuse with another kind, such as too_large or limit.
func (p Place) RefuseAs(kind fault.Kind, reason, format string, args ...any) {
	if p.report.full {
		return
	}
	p.report.add(fault.New(kind, reason, format, args...).At(p.pointer))
}

// Is says whether the value here is of a kind, and reports it when a value of another kind stands here.
func (p Place) Is(kind Kind) bool {
	if p.Kind() == kind {
		return true
	}
	if p.Present() {
		p.Refuse("type", "%s must be %s, not %s.", p.label(), kind, p.Kind())
	}
	return false
}

func (p Place) label() string {
	name := p.pointer[strings.LastIndexByte(p.pointer, '/')+1:]
	switch _, err := strconv.Atoi(name); {
	case p.pointer == "":
		return "The document"
	case err == nil:
		return "This element"
	default:
		return Quote(strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~"))
	}
}

// Object says whether an object stands here, and reports every member whose name is not one of the known ones,
// with the nearest known name.
func (p Place) Object(known ...string) bool {
	if !p.Is(Object) {
		return false
	}
	for i := range p.value.children {
		if p.report.full {
			break
		}
		if m := &p.value.children[i]; !slices.Contains(known, m.name) {
			p.join(m.name, m).Refuse("unknown_member", "%s is not a member of this object%s", Quote(m.name), Suggest(m.name, known))
		}
	}
	return true
}

// Member is the member of that name, perhaps absent.
func (p Place) Member(name string) Place { return p.join(name, p.value.Member(name)) }

// Need is Member that reports an absent member when an object stands here.
func (p Place) Need(name string) Place {
	m := p.Member(name)
	if !m.Present() && p.Kind() == Object {
		m.Refuse("missing_member", "%s is missing here; add it.", Quote(name))
	}
	return m
}

// Members gives the members of an object in document order.
func (p Place) Members() []Place {
	if p.Kind() != Object {
		return nil
	}
	places := make([]Place, p.value.Len())
	for i := range places {
		m := p.value.At(i)
		places[i] = p.join(m.name, m)
	}
	return places
}

// Elements gives the elements of a list; a value of another kind is reported.
func (p Place) Elements() []Place {
	if !p.Is(List) {
		return nil
	}
	places := make([]Place, p.value.Len())
	for i := range places {
		places[i] = p.Element(i)
	}
	return places
}

// Element is one element of a list, perhaps absent; nothing is reported.
func (p Place) Element(i int) Place {
	part := strconv.Itoa(i)
	if p.Kind() != List || i < 0 || i >= p.value.Len() {
		return p.join(part, nil)
	}
	return p.join(part, p.value.At(i))
}

// Text is the text here; a value of another kind is reported. ok says whether a text stands here.
func (p Place) Text() (text string, ok bool) {
	if !p.Is(Text) {
		return "", false
	}
	return p.value.text, true
}

// Bool is the truth value here, false when it is absent; a value of another kind is reported.
func (p Place) Bool() bool { return p.Is(Bool) && p.value.text == "true" }

// Choice is the text here when it is one of the choices; another one is reported with the nearest choice.
func (p Place) Choice(choices ...string) (choice string, ok bool) {
	text, ok := p.Text()
	if !ok || slices.Contains(choices, text) {
		return text, ok
	}
	p.Refuse("choice", "%s can't be %s%s", p.label(), Quote(text), Suggest(text, choices))
	return "", false
}

func (p Place) join(part string, v *Value) Place {
	return Place{p.report, v, p.pointer + "/" + escapePart(part)}
}
