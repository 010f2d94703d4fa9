package api_test

import (
	"testing"

	"pawl/internal/api"
)

// TestEveryBodyIsReadStrictly walks all routes that take a body with texts that lenient readers take.
func TestEveryBodyIsReadStrictly(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	tests := []struct{ name, body, want string }{ // want is reason and pointer
		{name: "member twice", body: `{"name":"a","name":"b"}`, want: "duplicate_member /name"},
		{name: "member twice, deep", body: `{"a":[{"b/c":1,"b\u002fc":2}]}`, want: "duplicate_member /a/0/b~1c"},
		{name: "no UTF-8", body: "{\"a\":\"\xff\"}", want: "utf8 /a"},
		{name: "UTF-8 of a surrogate", body: "{\"a\":\"\xed\xa0\x80\"}", want: "utf8 /a"},
		{name: "too long UTF-8", body: "{\"a\":\"\xc0\xaf\"}", want: "utf8 /a"},
		{name: "lone high surrogate", body: `{"a":{"b":"x\ud83d"}}`, want: "surrogate /a/b"},
		{name: "lone low surrogate", body: `{"a":["\ude00"]}`, want: "surrogate /a/0"},
		{name: "byte order mark", body: "\ufeff{}", want: "byte_order_mark "},
		{name: "two documents", body: `{}{}`, want: "trailing_data "},
		{name: "broken", body: `{"a":[1,]}`, want: "syntax /a"},
		{name: "cut off", body: `{"a":{"b":`, want: "truncated /a/b"},
		{name: "leading zero", body: `{"a":01}`, want: "syntax /a"},
		{name: "no number", body: `{"a":NaN}`, want: "syntax /a"},
		{name: "too deep", body: `{"a":` + deep(300) + `}`, want: "depth"},
	}
	for _, r := range api.Routes() {
		if r.Body == 0 {
			continue
		}
		for _, tt := range tests {
			if r.Document && tt.want == "depth" {
				continue // its decoder has a limit of its own
			}
			a := s.call(s.admin, r.Method, filled(r.Path), tt.body)
			got := a.json(t, "errors.0.reason") + " " + a.json(t, "errors.0.where.pointer")
			if tt.want == "depth" {
				got = a.json(t, "errors.0.reason")
			}
			if a.status != 400 || got != tt.want || a.json(t, "errors.0.where.line") != "1" || a.json(t, "errors.0.where.column") == "" {
				t.Errorf("%s %s, %s: %d %s, want 400 with %s", r.Method, r.Path, tt.name, a.status, a.body, tt.want)
			}
		}
	}
	s.nothingHappened()
}

// TestNamesOfMembersAreExact: encoding/json would take Kind for kind, and the later one of both.
func TestNamesOfMembersAreExact(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", setStep)
	tests := []struct{ name, path, body, want string }{ // want is the pointer of the refusal
		{name: "upper case", path: root + "/me/keys", body: `{"Kind":"live","name":"n"}`, want: "/Kind"},
		{name: "both", path: root + "/me/keys", body: `{"kind":"test","KIND":"live","name":"n"}`, want: "/KIND"},
		{name: "folds in Unicode alone", path: root + "/me/keys", body: `{"kind":"test","name":"n","\u212aind":"live"}`, want: "/\u212aind"},
		{name: "optional", path: project + "/automations/orders/runs", body: `{"Draft":true}`, want: "/Draft"},
		{name: "in a list", path: project + "/automations/apply", body: `{"plan":true,"items":[{"name":"a","document":{},"Rev":7}]}`, want: "/items/0/Rev"},
	}
	for _, tt := range tests {
		a := s.call(s.admin, "POST", tt.path, tt.body)
		if a.status != 422 || a.json(t, "kind") != "invalid_input" || a.json(t, "errors.0.where.pointer") != tt.want {
			t.Errorf("%s: %d %s, want 422 at %s", tt.name, a.status, a.body, tt.want)
		}
	}
	s.nothingHappened()
	if a := s.must(201, "POST", project+"/automations/orders/runs", `{"input":{"Draft":1,"draft":2}}`); a.json(t, "input.Draft") != "1" {
		t.Errorf("members of an input are the automation's own: %s", a.body)
	}
}
