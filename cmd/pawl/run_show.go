package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pawl/internal/api"
	"pawl/internal/fault"
)

// showRun prints a run: with --json the object of docs/api.md.
func (s *session) showRun(run *wholeRun) {
	if s.json {
		s.raw(s.out, run.raw)
		return
	}
	r := &run.Run
	s.say("%s of %s (%s): %s", r.ID, subjectOf(&r.RunHead), followedBy(&r.RunHead), r.State)
	if r.Error != nil {
		s.say("error: %s", clean(errorText(r.Error)))
	}
	if r.Waiting != nil {
		s.say("waits for %s since %s, until %s %s", r.Waiting.For, cell(r.Waiting.Since), cell(r.Waiting.Until), r.Waiting.Key)
	}
	rows := make([][]any, 0, len(r.Steps))
	for _, st := range r.Steps {
		rows = append(rows, []any{st.Path, stateWord(r, &st), len(st.Attempts), took(st.StartedAt, st.FinishedAt), stepNote(&st)})
	}
	s.table("step|state|attempts|took|note", rows)
	s.say("input:  %s", short(r.Input))
	s.say("output: %s", short(r.Output))
}

// stateWord is the state of a step: what has not begun in a run that has ended was not reached.
func stateWord(r *api.Run, st *api.Step) string {
	if st.State == "pending" && r.FinishedAt != nil {
		return "not reached"
	}
	return st.State
}

// subjectOf is what a run carries out: an automation, or, for a call of an agent, an action.
func subjectOf(r *api.RunHead) string { return cmp.Or(r.Automation, r.Action) }

// followedBy is what of its subject a run follows.
func followedBy(r *api.RunHead) string {
	switch {
	case r.Action != "":
		return "call"
	case r.Version == nil:
		return "draft"
	default:
		return "version " + cell(r.Version)
	}
}

func stepNote(st *api.Step) string {
	switch {
	case st.Error != nil:
		return errorText(st.Error)
	case st.Waiting != nil:
		return "waits for " + st.Waiting.For + " until " + cell(st.Waiting.Until)
	case st.Count != nil:
		return cell(st.Count) + " items"
	case len(st.Caught) > 0:
		return "caught " + short(st.Caught)
	case st.Label != "":
		return st.Label
	case string(st.Output) == "null":
		return ""
	}
	return short(st.Output)
}

// short is JSON cut to a line.
func short(b json.RawMessage) string {
	const most = 100
	text := []rune(clean(string(b)))
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// showStep prints one step: with --json as it stands in the run object.
func (s *session) showStep(run *wholeRun, path string) error {
	i := slices.IndexFunc(run.Steps, func(st api.Step) bool { return st.Path == path })
	if i < 0 {
		return fault.New(fault.NotFound, "step", "Run %s has no step at %q. See which there are with: pawl run show %s", run.ID, path, run.ID)
	}
	if s.json {
		return s.rawStep(run, i)
	}
	st := &run.Steps[i]
	s.say("%s of run %s: %s", st.Path, run.ID, stateWord(&run.Run, st))
	if st.Action != "" {
		s.say("action: %s", clean(st.Action))
	}
	if st.Error != nil {
		s.say("error: %s", clean(errorText(st.Error)))
	}
	if st.Waiting != nil {
		s.say("waits for %s since %s, until %s %s", st.Waiting.For, cell(st.Waiting.Since), cell(st.Waiting.Until), clean(st.Waiting.Key))
	}
	for i := range st.Attempts {
		s.showAttempt(&st.Attempts[i])
	}
	for _, v := range []struct {
		name string
		text json.RawMessage
	}{{"input", st.Input}, {"caught", st.Caught}, {"output", st.Output}} {
		if len(v.text) > 0 && string(v.text) != "null" {
			s.say("\n%s:", v.name)
			s.raw(s.out, v.text)
		}
	}
	return nil
}

// rawStep prints a step as the server gave it.
func (s *session) rawStep(run *wholeRun, i int) error {
	var kept struct {
		Steps []json.RawMessage `json:"steps"`
	}
	if err := json.Unmarshal(run.raw, &kept); err != nil || i >= len(kept.Steps) {
		return fmt.Errorf("take the step out of the run: %w", err)
	}
	s.raw(s.out, kept.Steps[i])
	return nil
}

// showAttempt prints what an attempt sent, as it went over the wire but for the key, and what came back.
func (s *session) showAttempt(a *api.Attempt) {
	s.say("\nattempt %d: %s, %s, took %s", a.N, a.State, cell(a.StartedAt), cell(took(&a.StartedAt, a.FinishedAt)))
	if r := a.Request; r != nil {
		s.say("  %s %s", clean(r.Method), clean(r.URL))
		for _, name := range sortedNames(r.Headers) {
			s.say("  %s: %s", clean(name), clean(r.Headers[name]))
		}
		if r.Body != "" {
			s.say("\n  %s", lines(r.Body))
		}
		if r.BodyBytes > len(r.Body) {
			s.say("  (%d bytes in all)", r.BodyBytes)
		}
	}
	if a.Call != nil {
		s.showCall(a.Call, "  ")
	}
	if a.Status != nil {
		s.say("  -> HTTP %d", *a.Status)
	}
	if a.Error != nil {
		s.say("  -> %s", clean(errorText(a.Error)))
	}
	if a.Settled != nil {
		s.say("  -> settled as %s by %s, %s", a.Settled.As, clean(a.Settled.By), cell(a.Settled.At))
	}
}

// showCall prints what a tool logged and requested, each line behind an indent.
func (s *session) showCall(c *api.ToolCall, indent string) {
	for _, line := range c.Logs {
		s.say("%slog: %s", indent, lines(line))
	}
	for i := range c.Fetches {
		f := &c.Fetches[i]
		s.say("%sfetch: %s %s -> %s", indent, clean(f.Method), clean(f.URL), clean(fetchEnd(f)))
	}
}

// fetchEnd says what became of a request.
func fetchEnd(f *api.ToolRequest) string {
	switch {
	case f.Status != nil:
		return fmt.Sprintf("HTTP %d", *f.Status)
	case f.Error == nil:
		return "no answer yet"
	case f.Sent:
		return "sent, no answer: " + errorText(f.Error)
	}
	return "not sent: " + errorText(f.Error)
}

func sortedNames(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// lines is a text of several lines, indented, without what could steer a terminal.
func lines(text string) string {
	parts := strings.Split(text, "\n")
	for i := range parts {
		parts[i] = clean(parts[i])
	}
	return strings.Join(parts, "\n  ")
}
