package automation

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"pawl/internal/canon"
	"pawl/internal/fault"
	"pawl/internal/schema"
)

// Decode reads a document strictly and reports all problems at once, each with its JSON pointer: invalid_input for
// unknown, missing, duplicate and misshapen members, for duplicate ids and for what contradicts itself; too_large
// and limit for what is beyond a bound. The document is nil when there is a problem.
//
// It does not look into expressions and does not know which actions exist: that is Check.
func Decode(data []byte) (*Document, fault.List) {
	top, report := canon.Open(data, canon.Limits{Bytes: MaxBytes, Depth: jsonDepth, Values: jsonValues})
	if problems := report.Problems(); len(problems) > 0 {
		return nil, problems
	}
	r := &reader{seen: map[string]string{}}
	r.document(top)
	if problems := report.Problems(); len(problems) > 0 {
		return nil, problems
	}
	doc := &Document{}
	if err := json.Unmarshal(data, doc); err != nil {
		return nil, fault.List{fault.New(fault.InvalidInput, "type", "The document can't be read.").Because(err)}
	}
	doc.schema = r.schema
	doc.settle()
	return doc, nil
}

// reader walks a document and reports what is wrong with it.
type reader struct {
	seen   map[string]string // step id -> pointer of its first use
	steps  int
	schema *schema.Schema
}

func (r *reader) document(p canon.Place) {
	if !p.Object("format", "name", "note", "on_unavailable", "inputs", "triggers", "steps", "output") {
		return
	}
	if s, ok := p.Need("format").Text(); ok && s != Format {
		p.Member("format").Refuse("format", "This reads %s only; the document says %q.", Format, clip(s))
	}
	required(p.Need("name"), MaxName)
	optional(p.Member("note"), MaxNote)
	choice(p.Member("on_unavailable"), "fail", "hold")
	r.inputs(p.Member("inputs"))
	r.triggers(p.Member("triggers"))
	r.block(p.Need("steps"), 1)
}

func (r *reader) inputs(p canon.Place) {
	if p.Present() {
		r.schema = inputsSchema(p)
	}
}

// required is optional for a text that must not be empty.
func required(p canon.Place, most int) {
	if optional(p, most) == 0 && p.Kind() == canon.Text {
		p.Refuse("empty", "This can't be empty.")
	}
}

// optional checks the length of a text and gives it, in code points.
func optional(p canon.Place, most int) int {
	if !p.Present() {
		return 0
	}
	s, _ := p.Text()
	n := utf8.RuneCountInString(s)
	if n > most {
		p.RefuseAs(fault.TooLarge, "length", "This has %d characters; at most %d are allowed.", n, most)
	}
	return n
}

func choice(p canon.Place, choices ...string) {
	if p.Present() {
		p.Choice(choices...)
	}
}

func truth(p canon.Place) {
	if p.Present() {
		p.Bool()
	}
}

// duration reads a length of time; ok is false when there is none or it can't be read.
func duration(p canon.Place) (d time.Duration, ok bool) {
	if !p.Present() {
		return 0, false
	}
	s, ok := p.Text()
	if !ok {
		return 0, false
	}
	d, err := ParseDuration(s)
	if err != nil {
		f := fault.From(err)
		p.Refuse(f.Reason, "%s", f.Message)
		return 0, false
	}
	return d, true
}

// positive is duration for one that must not be zero.
func positive(p canon.Place) {
	if d, ok := duration(p); ok && d == 0 {
		p.Refuse("duration", "This must be longer than nothing.")
	}
}

// count reads a whole number from 1 up.
func count(p canon.Place, most int) {
	if !p.Present() || !p.Is(canon.Number) {
		return
	}
	if n, err := strconv.Atoi(p.Value().Text()); err != nil || n < 1 || n > most {
		p.Refuse("range", "This must be a whole number from 1 to %d.", most)
	}
}

// list gives the elements of a list with at least least and at most most of them.
func list(p canon.Place, least, most int) []canon.Place {
	if !p.Present() || !p.Is(canon.List) {
		return nil
	}
	switch n := p.Value().Len(); {
	case n < least:
		p.Refuse("empty", "At least one is needed here.")
	case n > most:
		p.RefuseAs(fault.Limit, "count", "There are %d; at most %d are allowed.", n, most)
		return nil
	}
	return p.Elements()
}

// condition is a template of a boolean: true, false, or a text that holds an expression.
func condition(p canon.Place) {
	if !p.Present() || p.Kind() == canon.Bool {
		return
	}
	if s, ok := p.Text(); ok && !strings.Contains(s, "{{") {
		p.Refuse("condition", "A condition is true, false or an expression in {{ }}.")
	}
}
