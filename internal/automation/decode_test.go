package automation_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/automation"
	"pawl/internal/fault"
)

// full has every type of step and every member.
const full = `{
  "format": "pawl-automation@1", "name": "Order to ticket", "note": "n", "on_unavailable": "hold",
  "inputs": {"type": "object", "properties": {"since": {"type": "string", "format": "date"}, "n": {"type": "integer", "maximum": 9007199254740993}},
    "required": ["since"], "additionalProperties": false},
  "triggers": [
    {"id": "m", "type": "manual"},
    {"id": "nightly", "type": "schedule", "cron": "30 2 * * *", "timezone": "Europe/Zurich",
     "dst": {"gap": "run_after", "overlap": "first"}, "on_overlap": "skip", "on_misfire": "run_last", "input": {"since": "x"}},
    {"id": "hook", "type": "webhook", "respond": "on_accept"},
    {"id": "after", "type": "event", "automation": "other", "on": "succeeded"},
    {"id": "news", "type": "poll", "action": "developer.shop.v1-0-0.list_orders", "every": "5m", "items": "{{ output.body }}", "key": "{{ item.id }}"}
  ],
  "steps": [
    {"id": "orders", "type": "action", "action": "developer.shop.v1-0-0.list_orders", "account": "shop",
     "input": {"status": "open", "limit": 1.0}, "timeout": "30s", "name": "Orders", "note": "all of them",
     "on_error": "continue", "on_unavailable": "fail", "on_unknown": "ask", "repeat": "always"},
    {"id": "every", "type": "each", "items": "{{ steps.orders.output.body.items }}", "as": "order", "index": "i", "concurrency": 4, "max_items": 10, "steps": [
      {"id": "big", "type": "branch", "if": true, "cases": [{"name": "big", "when": "{{ order.total > 1000 }}", "steps": [
          {"id": "ok", "type": "approve", "message": "Ticket for {{ order.id }}?", "timeout": "48h", "on_timeout": "reject", "role": "operator"}]}],
        "otherwise": [{"id": "v", "type": "set", "value": null}]},
      {"id": "again", "type": "retry", "policy": {"max_attempts": 5, "initial": "1s", "factor": 1.5, "max": "10m", "jitter": false},
       "restart": true, "acknowledge_repeats": true, "steps": [
        {"id": "ticket", "type": "action", "action": "developer.desk.v2-1-0.create_ticket", "input": {"order": "{{ order }}"}}]}
    ]},
    {"id": "both", "type": "parallel", "on_failure": "finish", "branches": [{"name": "l", "steps": [{"id": "l", "type": "wait", "for": "1m30s"}]},
      {"steps": [{"id": "r", "type": "wait", "until": "2026-07-01T08:00:00Z"}]}]},
    {"id": "guard", "type": "try", "steps": [{"id": "e", "type": "wait", "event": {"name": "paid", "key": "{{ inputs.since }}"}}],
      "catch": [{"id": "c", "type": "check", "condition": "{{ error.kind == 'timeout' }}", "message": "odd"}],
      "finally": [{"id": "sub", "type": "call", "automation": "other-one", "version": 3, "input": {}}]},
    {"id": "end", "type": "stop", "outcome": "succeeded", "message": "done"}
  ],
  "output": {"count": "{{ size(steps.orders.output.body.items) }}"}
}`

func decode(t testing.TB, text string) *automation.Document {
	t.Helper()
	doc, problems := automation.Decode([]byte(text))
	if len(problems) > 0 {
		t.Fatalf("unexpected problems:\n%v", problems)
	}
	return doc
}

func TestDecodeFull(t *testing.T) {
	t.Parallel()
	doc := decode(t, full)
	ticket := doc.Index()["ticket"]
	if ticket == nil {
		t.Fatal("no step ticket")
	}
	type shape struct {
		Pointer, Block string
		Loops, Inside  []string
		Rules          automation.Rules
	}
	got := shape{ticket.Pointer, ticket.Block, ticket.Loops, ticket.Inside, ticket.Rules}
	want := shape{"/steps/1/steps/1/steps/0", "steps", []string{"every"}, []string{"every", "again"}, automation.Rules{Hold: true, Repeat: "if_safe"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if r := doc.Index()["orders"].Rules; r != (automation.Rules{Continue: true, Repeat: "always"}) {
		t.Errorf("rules of orders: %+v", r)
	}
	if len(doc.Index()) != 15 {
		t.Errorf("%d steps", len(doc.Index()))
	}
}

func TestEncodeRoundTrip(t *testing.T) {
	t.Parallel()
	doc := decode(t, full)
	again := decode(t, string(automation.Encode(doc)))
	if !bytes.Equal(doc.Canonical(), again.Canonical()) || doc.Digest() != again.Digest() {
		t.Error("encoding and reading again changes the document")
	}
	if stored := decode(t, string(doc.Canonical())); stored.Digest() != doc.Digest() {
		t.Error("the canonical form has another digest")
	}
	if !bytes.Contains(automation.Encode(doc), []byte(`"limit": 1.0`)) {
		t.Error("a number lost its digits")
	}
}

func TestDigestTellsDocumentsApart(t *testing.T) {
	t.Parallel()
	doc := decode(t, full)
	same := decode(t, strings.Replace(full, `"name": "Order to ticket", "note": "n"`, `"note": "n", "name":   "Order to ticket"`, 1))
	if doc.Digest() != same.Digest() {
		t.Error("the order of members changes the digest")
	}
	other := decode(t, strings.Replace(full, `"for": "1m30s"`, `"for": "1m31s"`, 1))
	if doc.Digest() == other.Digest() {
		t.Error("another wait has the same digest")
	}
}

// steps puts steps into a document.
func steps(inner string) string {
	return `{"format": "pawl-automation@1", "name": "n", "steps": [` + inner + `]}`
}

func nested(depth int) string {
	s := `{"id": "leaf", "type": "set", "value": 1}`
	for i := range depth - 1 {
		s = fmt.Sprintf(`{"id": "t%d", "type": "retry", "policy": {"max_attempts": 1}, "steps": [%s]}`, i, s)
	}
	return steps(s)
}

func many(n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(`{"id": "s%d", "type": "set", "value": 1}`, i)
	}
	return steps(strings.Join(parts, ","))
}

func TestDecodeProblems(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       string // kind reason pointer, one a line
	}{
		{"empty", ``, "invalid_input truncated "},
		{"truncated", full[:900], "invalid_input truncated /steps/0"},
		{"not an object", `[]`, "invalid_input type "},
		{"another format", `{"format": "pawl-automation@2", "name": "n", "steps": []}`, "invalid_input format /format"},
		{"missing members", `{"format": "pawl-automation@1"}`, "invalid_input missing_member /name\ninvalid_input missing_member /steps"},
		{"unknown member", `{"format": "pawl-automation@1", "name": "n", "steps": [], "step": []}`, "invalid_input unknown_member /step"},
		{"member of another type", steps(`{"id": "a", "type": "set", "value": 1, "action": "x"}`), "invalid_input unknown_member /steps/0/action"},
		{"duplicate member", `{"format": "pawl-automation@1", "name": "n", "name": "m", "steps": []}`, "invalid_input duplicate_member /name"},
		{"wrong types", `{"format": 1, "name": ["n"], "steps": {}}`, "invalid_input type /format\ninvalid_input type /name\ninvalid_input type /steps"},
		{"unknown type", steps(`{"id": "a", "type": "loop"}`), "invalid_input choice /steps/0/type"},
		{"bad id", steps(`{"id": "A-b", "type": "set", "value": 1}`), "invalid_input id /steps/0/id"},
		{"reserved id", steps(`{"id": "for", "type": "set", "value": 1}`), "invalid_input id /steps/0/id"},
		{"root as id", steps(`{"id": "inputs", "type": "set", "value": 1}`), "invalid_input id /steps/0/id"},
		{"duplicate id", steps(`{"id": "a", "type": "set", "value": 1}, {"id": "r", "type": "retry", "policy": {"max_attempts": 2}, "steps": [{"id": "a", "type": "set", "value": 1}]}`), "invalid_input duplicate_id /steps/1/steps/0/id"},
		{"identity", steps(`{"id": "a", "type": "action", "action": "shop.list"}`), "invalid_input identity /steps/0/action"},
		{"connection only", steps(`{"id": "a", "type": "action", "action": "developer.shop.v1-0-0"}`), "invalid_input identity /steps/0/action"},
		{"input is no object", steps(`{"id": "a", "type": "action", "action": "developer.shop.v1-0-0.x", "input": []}`), "invalid_input type /steps/0/input"},
		{
			"durations", steps(`{"id": "a", "type": "wait", "for": "1.5s", "timeout": "0s"}, {"id": "b", "type": "wait", "for": "99999d"}`),
			"invalid_input duration /steps/0/timeout\ninvalid_input duration /steps/0/for\ninvalid_input duration /steps/1/for",
		},
		{"wait without", steps(`{"id": "a", "type": "wait"}`), "invalid_input wait /steps/0"},
		{"wait with two", steps(`{"id": "a", "type": "wait", "for": "1s", "until": "2026-07-01T08:00:00Z"}`), "invalid_input wait /steps/0"},
		{"until", steps(`{"id": "a", "type": "wait", "until": "tomorrow"}`), "invalid_input instant /steps/0/until"},
		{"condition", steps(`{"id": "a", "type": "check", "condition": "yes", "if": 1}`), "invalid_input type /steps/0/if\ninvalid_input condition /steps/0/condition"},
		{"empty try", steps(`{"id": "a", "type": "try", "steps": [{"id": "b", "type": "set", "value": 1}]}`), "invalid_input try /steps/0"},
		{"no cases", steps(`{"id": "a", "type": "branch", "cases": []}`), "invalid_input empty /steps/0/cases"},
		{
			"ranges", steps(`{"id": "a", "type": "each", "items": [1], "as": "x", "concurrency": 101, "max_items": 0, "steps": [{"id": "b", "type": "set", "value": 1}]}`),
			"invalid_input range /steps/0/concurrency\ninvalid_input range /steps/0/max_items",
		},
		{
			"policy", steps(`{"id": "a", "type": "retry", "policy": {"max_attempts": 1.5, "initial": "2m", "max": "1m", "factor": 0.5}, "steps": [{"id": "b", "type": "set", "value": 1}]}`),
			"invalid_input range /steps/0/policy/max_attempts\ninvalid_input policy /steps/0/policy/max\ninvalid_input range /steps/0/policy/factor",
		},
		{"too deep", nested(21), "limit depth /steps/0" + strings.Repeat("/steps/0", 19) + "/steps"},
		{"too many", many(2001), "limit steps /steps/2000"},
		{"too large", `{"format": "pawl-automation@1", "name": "n", "steps": [], "note": "` + strings.Repeat("x", 1<<20) + `"}`, "too_large bytes "},
		{"10 MB", strings.Repeat(" ", 10_000_000), "too_large bytes "},
		{"deep JSON", strings.Repeat("[", 100_000), "limit depth " + strings.Repeat("/0", 180)},
		{"lone surrogate", `{"format": "pawl-automation@1", "name": "\ud83d", "steps": []}`, "invalid_input surrogate /name"},
		{
			"triggers", `{"format": "pawl-automation@1", "name": "n", "steps": [], "triggers": [{"id": "a", "type": "schedule"}, {"id": "a", "type": "manual"}, {"id": "b", "type": "schedule", "cron": "* *"}]}`,
			"invalid_input schedule /triggers/0\ninvalid_input duplicate_id /triggers/1/id\ninvalid_input cron /triggers/2/cron",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc, problems := automation.Decode([]byte(test.text))
			if doc != nil {
				t.Error("a document came out")
			}
			if d := cmp.Diff(test.want, brief(problems)); d != "" {
				t.Errorf("%s\n%v", d, problems)
			}
		})
	}
}

// brief writes kind, reason and pointer of each problem.
func brief(problems fault.List) string {
	lines := make([]string, 0, len(problems))
	for _, p := range problems {
		pointer := ""
		if p.Where != nil {
			pointer = p.Where.Pointer
		}
		lines = append(lines, fmt.Sprintf("%s %s %s", p.Kind, p.Reason, pointer))
	}
	return strings.Join(lines, "\n")
}

func TestDecodeLimits(t *testing.T) {
	t.Parallel()
	decode(t, nested(20))
	if doc := decode(t, many(2000)); len(doc.Index()) != 2000 {
		t.Errorf("%d steps", len(doc.Index()))
	}
}

func TestUnknownMemberNamesTheNearest(t *testing.T) {
	t.Parallel()
	_, problems := automation.Decode([]byte(steps(`{"id": "a", "type": "set", "vaule": 1, "value": 2}`)))
	if len(problems) != 1 || !strings.Contains(problems[0].Message, `did you mean "value"?`) {
		t.Errorf("got %v", problems)
	}
}

func TestDuplicateIDNamesBothPlaces(t *testing.T) {
	t.Parallel()
	_, problems := automation.Decode([]byte(steps(`{"id": "a", "type": "set", "value": 1}, {"id": "a", "type": "set", "value": 1}`)))
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "/steps/0/id") || problems[0].Where.Pointer != "/steps/1/id" {
		t.Errorf("got %v", problems)
	}
}
