package api_test

import (
	"fmt"
	"strings"
	"testing"
)

func deep(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// badDocument is a document that must be refused, with the place that the refusal names.
type badDocument struct {
	name    string
	body    string
	status  int
	reason  string // empty: any
	pointer string // a prefix
	line    bool   // the refusal names a line and a column
}

func badDocuments() []badDocument {
	step := func(rest string) string { return document(`{"id":"a","type":"set","value":1}` + rest) }
	return []badDocument{
		{name: "empty", body: "", status: 400},
		{name: "no JSON", body: "hello", status: 400, reason: "syntax", line: true},
		{name: "truncated", body: document(setStep)[:60], status: 400, reason: "truncated", line: true},
		{name: "trailing comma", body: `{"format":"pawl-automation@1",}`, status: 400, reason: "syntax", line: true},
		{name: "two documents", body: document(setStep) + "{}", status: 400, line: true},
		{name: "duplicate member", body: `{"format":"pawl-automation@1","format":"x"}`, status: 400, line: true},
		{name: "deep nesting", body: document(`{"id":"a","type":"set","value":` + deep(5000) + `}`), status: 400, line: true},
		{name: "a list", body: `[]`, status: 422, reason: "type"},
		{name: "null", body: `null`, status: 422, reason: "type"},
		{name: "another format", body: `{"format":"x@1","name":"A","steps":[]}`, status: 422, pointer: "/format"},
		{name: "wrong type of steps", body: `{"format":"pawl-automation@1","name":"A","steps":{}}`, status: 422, pointer: "/steps"},
		{name: "wrong type of a member", body: document(`{"id":7,"type":"set","value":1}`), status: 422, pointer: "/steps/0/id"},
		{name: "unknown member", body: document(`{"id":"a","type":"set","value":1,"colour":"red"}`), status: 422, reason: "unknown_member", pointer: "/steps/0/colour"},
		{name: "unknown type", body: document(`{"id":"a","type":"sett","value":1}`), status: 422, pointer: "/steps/0/type"},
		{name: "duplicate id", body: step(`,{"id":"a","type":"set","value":2}`), status: 422, pointer: "/steps/1/id"},
		{name: "bad id", body: document(`{"id":"a.b","type":"set","value":1}`), status: 422, pointer: "/steps/0/id"},
		{name: "no identity", body: document(`{"id":"a","type":"action","action":"shop.list"}`), status: 422, pointer: "/steps/0/action"},
		{name: "ten megabytes", body: document(`{"id":"a","type":"set","value":"` + strings.Repeat("x", 10<<20) + `"}`), status: 413},
		{name: "lone surrogate", body: document(`{"id":"a","type":"set","value":"\ud83d"}`), status: 400, line: true},
		{name: "not UTF-8", body: document("{\"id\":\"a\",\"type\":\"set\",\"value\":\"\xff\"}"), status: 400, line: true},
	}
}

func TestBadAutomationsAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, tt := range badDocuments() {
		a := s.call(s.admin, "PUT", project+"/automations/bad/draft", tt.body)
		tt.check(t, a)
		if v := s.call(s.admin, "POST", project+"/automations/validate", tt.body); v.status != tt.status && (tt.status != 422 || v.json(t, "valid") != "false") {
			t.Errorf("%s: validate says %d %.200s", tt.name, v.status, v.body)
		}
	}
	s.must(404, "GET", project+"/automations/bad", "")
}

func (tt badDocument) check(t *testing.T, a answer) {
	t.Helper()
	first := func(member string) string {
		if v := a.json(t, "errors.0."+member); v != "" {
			return v
		}
		return a.json(t, member)
	}
	if a.status != tt.status {
		t.Errorf("%s: got %d %.300s, want %d", tt.name, a.status, a.body, tt.status)
		return
	}
	if tt.reason != "" && first("reason") != tt.reason {
		t.Errorf("%s: reason %q, want %q", tt.name, first("reason"), tt.reason)
	}
	if !strings.HasPrefix(first("where.pointer"), tt.pointer) {
		t.Errorf("%s: place %q, want %q", tt.name, first("where.pointer"), tt.pointer)
	}
	if tt.line && (first("where.line") == "" || first("where.column") == "") {
		t.Errorf("%s: no line and column: %s", tt.name, a.body)
	}
	if a.json(t, "kind") == "" || a.json(t, "detail") == "" || a.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s: no problem details: %s", tt.name, a.body)
	}
}

func TestBadPluginsAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	good := plugin("1.0.0")
	tests := []badDocument{
		{name: "empty", body: "", status: 400},
		{name: "truncated", body: good[:200], status: 400, line: true},
		{name: "no JSON", body: "PK\x03\x04", status: 400, line: true},
		{name: "unknown member", body: strings.Replace(good, `"tools":[]`, `"tools":[],"extra":1`, 1), status: 422, pointer: "/manifest/extra"},
		{name: "wrong version", body: plugin("1.0"), status: 422, pointer: "/manifest/version"},
		{name: "plain HTTP", body: strings.Replace(good, "https://", "http://", 1), status: 422, pointer: "/manifest/app/baseUrl"},
		{name: "duplicate action", body: strings.Replace(good, "create_order", "list_orders", 1), status: 422, pointer: "/manifest/app/actions/1"},
		{name: "ten megabytes", body: strings.Replace(good, "export default {};", strings.Repeat(" ", 10<<20), 1), status: 413},
		{name: "deep", body: deep(100000), status: 400, line: true},
	}
	for _, tt := range tests {
		tt.check(t, s.call(s.admin, "PUT", root+"/plugins/shop/draft", tt.body))
	}
	s.must(404, "GET", root+"/plugins/shop", "")
	several := s.must(422, "PUT", root+"/plugins/shop/draft", strings.Replace(plugin("x"), `"Shop"`, `""`, 1))
	if several.json(t, "errors.1.message") == "" {
		t.Errorf("not all problems at once: %s", several.body)
	}
}

func TestBadRequestsAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.released("1.0.0")
	s.published("orders", setStep)
	const nobody = "/runs/0198b6a0-0000-7000-8000-000000000000"
	tests := []struct {
		name, method, path, body string
		status                   int
		pointer                  string
	}{
		{"malformed body", "POST", root + "/projects", `{"name":`, 400, "/name"},
		{"unknown member", "POST", root + "/projects", `{"name":"p","colour":1}`, 422, "/colour"},
		{"wrong type", "POST", root + "/projects", `{"name":7}`, 422, "/name"},
		{"missing member", "POST", root + "/projects", `{}`, 422, ""},
		{"no body", "POST", root + "/projects", ``, 400, ""},
		{"bad name", "POST", root + "/projects", `{"name":"No Name"}`, 422, "/name"},
		{"taken name", "POST", root + "/projects", `{"name":"default"}`, 409, "/name"},
		{"NUL in a text", "POST", root + "/projects", `{"name":"p","title":"a\u0000b"}`, 422, ""},
		{"large body", "POST", root + "/projects", `{"name":"` + strings.Repeat("x", 1<<20) + `"}`, 413, ""},
		{"deep body", "POST", project + "/automations/orders/runs", `{"input":` + deep(1000) + `}`, 400, ""},
		{"a body where none is taken", "POST", root + "/plugins/shop/disable", `{"a":1}`, 422, ""},
		{"large body where none is taken", "POST", root + "/plugins/shop/disable", strings.Repeat("x", 1<<20), 422, ""},
		{"wrong project", "GET", root + "/projects/none/runs", ``, 404, ""},
		{"wrong project for a start", "POST", root + "/projects/none/automations/orders/runs", `{}`, 404, ""},
		{"unknown automation", "POST", project + "/automations/none/runs", `{}`, 404, ""},
		{"unknown version", "POST", project + "/automations/orders/runs", `{"version":9}`, 404, ""},
		{"version and draft", "POST", project + "/automations/orders/runs", `{"version":1,"draft":true}`, 422, "/version"},
		{"input is a list", "POST", project + "/automations/orders/runs", `{"input":[]}`, 422, ""},
		{"unknown run", "GET", project + nobody, ``, 404, ""},
		{"cancel of an unknown run", "POST", project + nobody + "/cancel", ``, 404, ""},
		{"settle of an unknown run", "POST", project + nobody + "/steps/a/settle", `{"as":"retry"}`, 404, ""},
		{"settle without a word", "POST", project + nobody + "/steps/a/settle", `{"as":"maybe"}`, 422, "/as"},
		{"no run id", "GET", project + "/runs/seven", ``, 422, ""},
		{"bad cursor", "GET", project + "/runs?cursor=!!", ``, 422, ""},
		{"foreign cursor", "GET", project + "/runs?cursor=c2V2ZW4", ``, 422, ""},
		{"bad limit", "GET", project + "/runs?limit=100000", ``, 422, ""},
		{"limit is no number", "GET", project + "/runs?limit=all", ``, 422, ""},
		{"unknown state", "GET", project + "/runs?state=lost", ``, 422, ""},
		{"unknown plugin", "POST", root + "/plugins/none/promote", `{"to":"preview"}`, 404, ""},
		{"unknown stage", "POST", root + "/plugins/shop/promote", `{"to":"staging"}`, 422, "/to"},
		{"unknown preview project", "POST", root + "/plugins/shop/promote", `{"to":"preview","projects":["none"]}`, 404, "/projects/0"},
		{"rollback to nothing", "POST", root + "/plugins/shop/rollback", `{"to":"0.9.0"}`, 404, ""},
		{"rollback to no version", "POST", root + "/plugins/shop/rollback", `{"to":"latest"}`, 422, "/to"},
		{"account of an unknown identity", "PUT", project + "/accounts", `{"name":"a","identity":"developer.none.v1-0-0","secret":"k"}`, 404, ""},
		{"account of no identity", "PUT", project + "/accounts", `{"name":"a","identity":"shop","secret":"k"}`, 422, ""},
		{"account with an empty key", "PUT", project + "/accounts", `{"name":"a","identity":"developer.shop.v1-0-0","secret":""}`, 422, "/secret"},
		{"account with a line break", "PUT", project + "/accounts", `{"name":"a","identity":"developer.shop.v1-0-0","secret":"k\n"}`, 422, "/secret"},
		{"account that is not there", "DELETE", project + "/accounts/none", ``, 404, ""},
		{"grant of nothing", "POST", project + "/grants", `{}`, 422, ""},
		{"grant of an unknown action", "POST", project + "/grants", `{"action":"developer.shop.v1-0-0.none"}`, 404, ""},
		{"grant of two things", "POST", project + "/grants", `{"action":"developer.shop.v1-0-0.create_order","agents":"plugin:shop"}`, 422, ""},
		{"no such route", "GET", root + "/nothing", ``, 404, ""},
		{"no such method", "PATCH", root + "/me", ``, 405, ""},
	}
	for _, tt := range tests {
		a := s.call(s.admin, tt.method, tt.path, tt.body)
		badDocument{name: tt.name, status: tt.status, pointer: tt.pointer}.check(t, a)
		if strings.Contains(a.body, "k\\n") {
			t.Errorf("%s: the answer quotes the secret: %s", tt.name, a.body)
		}
	}
	if a := s.call(s.admin, "POST", root+"/projects", `name=p`, "Content-Type", "application/x-www-form-urlencoded"); a.status != 415 {
		t.Errorf("a form: %d %s, want 415", a.status, a.body)
	}
	s.nothingHappened()
}

// nothingHappened makes sure that no refused request had half an effect.
func (s *site) nothingHappened() {
	s.t.Helper()
	for table, want := range map[string]int{"project": 1, "run": 0, "account": 0, "standing_grant": 0, "secret": 0} {
		var got int
		if err := s.pool.QueryRow(s.t.Context(), fmt.Sprintf("select count(*) from %s", table)).Scan(&got); err != nil {
			s.t.Fatal(err)
		}
		if got != want {
			s.t.Errorf("%d rows in %s, want %d", got, table, want)
		}
	}
}
