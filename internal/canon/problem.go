package canon

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"pawl/internal/fault"
)

// note records a problem of the text at an offset and goes on.
func (p *parser) note(offset int, reason, format string, args ...any) {
	if p.done {
		return
	}
	if len(p.problems) == maxProblems {
		p.problems = append(p.problems, tooMany())
		p.done = true
		return
	}
	e := p.problem(offset, fault.InvalidInput, reason, format, args...)
	p.problems = append(p.problems, e)
	if p.pointers += len(e.Where.Pointer); p.pointers > maxPointers {
		p.problems = append(p.problems, tooMany())
		p.done = true
	}
}

// stop records a problem of the text at the current place and ends the reading.
func (p *parser) stop(reason, format string, args ...any) {
	p.end(fault.InvalidInput, reason, format, args...)
}

func (p *parser) end(kind fault.Kind, reason, format string, args ...any) {
	if p.done {
		return
	}
	p.problems = append(p.problems, p.problem(p.at, kind, reason, format, args...))
	p.done = true
}

// unexpected ends the reading at the next character, or at the end of a text that was cut off.
func (p *parser) unexpected(expected string) {
	reason := "syntax"
	if p.at >= len(p.src) {
		reason = "truncated"
	}
	p.stop(reason, "expected %s, found %s", expected, p.found())
}

func (p *parser) problem(offset int, kind fault.Kind, reason, format string, args ...any) *fault.Error {
	line, column := position(p.src, offset)
	e := fault.New(kind, reason, "Line %d, column %d: %s.", line, column, fmt.Sprintf(format, args...))
	e.Where = &fault.Where{Pointer: strings.ToValidUTF8(Pointer(p.path...), "\ufffd"), Line: line, Column: column}
	return e
}

func tooMany() *fault.Error {
	return fault.New(fault.InvalidInput, "more_problems",
		"There may be more than these problems; mend them first.")
}

// position counts lines and columns from 1; columns are code points, and a line ends with a line feed.
func position(src string, offset int) (line, column int) {
	before := src[:min(offset, len(src))]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

// Pointer joins names and indexes into a JSON pointer (RFC 6901). No part gives "", the whole document.
func Pointer(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteByte('/')
		b.WriteString(escapePart(part))
	}
	return b.String()
}

func escapePart(part string) string {
	if !strings.ContainsAny(part, "~/") {
		return part
	}
	return strings.ReplaceAll(strings.ReplaceAll(part, "~", "~0"), "/", "~1")
}

// Quote repeats a user's text in a message: in double quotes, at most 60 characters, control characters escaped.
func Quote(s string) string {
	if utf8.RuneCountInString(s) > maxQuoted {
		s = string([]rune(s)[:maxQuoted]) + "…"
	}
	return strconv.Quote(s)
}
