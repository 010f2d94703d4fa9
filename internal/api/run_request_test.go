package api_test

import (
	"strings"
	"testing"
)

// TestAttemptsShowTheirRequest looks at what the ledger keeps of a request. C071: no key is in it.
func TestAttemptsShowTheirRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.released("1.0.0")
	s.must(200, "PUT", project+"/accounts", `{"name":"mine","identity":"developer.shop.v1-0-0","secret":"canary-77"}`)
	s.must(200, "POST", project+"/grants", `{"action":"developer.shop.v1-0-0.create_order"}`)
	s.published("orders", `{"id":"make","type":"action","action":"developer.shop.v1-0-0.create_order","account":"mine","input":{"title":"<b>"}}`)
	run := s.started("orders", "")
	s.attempt(run, "make", 1, "not_sent", map[string]any{"again": true, "error": `{"kind":"invalid_input","message":"no"}`})
	s.attempt(run, "make", 2, "answered", map[string]any{"input": `{"title":"<b>"}`, "status": 201, "output": `{"status":201}`})
	s.exec(`update attempt set request = '{"method":"POST","url":"https://shop.example.com/orders","headers":{"Accept":"application/json","Content-Type":"application/json"},"body":"{\"title\":\"<b>\"}","body_bytes":15}' where run_id = $1 and n = 2`, run)
	a := s.must(200, "GET", project+"/runs/"+run.String(), "")
	want := `"request":{"method":"POST","url":"https://shop.example.com/orders","headers":{"Accept":"application/json","Authorization":"Bearer [redacted]","Content-Type":"application/json"},"body":"{\"title\":\"<b>\"}","body_bytes":15}`
	if !strings.Contains(a.body, want) {
		t.Errorf("no %s in %s", want, a.body)
	}
	if !strings.Contains(a.body, `"n":1,"state":"not_sent"`) || a.json(t, "steps.0.attempts.0.request") != "" {
		t.Errorf("the first attempt: %s", a.body)
	}
	if strings.Contains(a.body, "canary") {
		t.Error("the run shows the account's key")
	}
}

// TestAttemptsShowWhatAToolDid: its log and its requests, with what the module was told where no answer came.
func TestAttemptsShowWhatAToolDid(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", set("make"))
	run := s.started("orders", "")
	s.attempt(run, "make", 1, "answered", map[string]any{"output": `{"n":1}`})
	s.exec(`update attempt set logs = '{"logs":["one","<b>"],"requests":[{"method":"GET","url":"https://example.com/a","status":200,"sent":true},{"method":"POST","url":"https://example.com/b","error":{"kind":"network","reason":"dns","message":"not there"},"sent":false}]}' where run_id = $1 and n = 1`, run)
	s.attempt(run, "make", 2, "answered", map[string]any{"output": `{"n":1}`})
	a := s.must(200, "GET", project+"/runs/"+run.String(), "")
	want := `"call":{"logs":["one","<b>"],"fetches":[{"method":"GET","url":"https://example.com/a","status":200,"sent":true,"error":null},{"method":"POST","url":"https://example.com/b","status":null,"sent":false,"error":{"kind":"network","reason":"dns","message":"not there","retryable":true}}]}`
	if !strings.Contains(a.body, want) {
		t.Errorf("no %s in %s", want, a.body)
	}
	if a.json(t, "steps.0.attempts.1.call") != "" {
		t.Errorf("an attempt that logged nothing: %s", a.body)
	}
}

// TestATryGivesNothingAndShowsWhatItCaught: what error is in its catch is no output (docs/formats/pawl-automation.md).
func TestATryGivesNothingAndShowsWhatItCaught(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("guarded", `{"id":"guard","type":"try","steps":[`+set("a")+`],"catch":[`+set("b")+`]}`)
	run := s.started("guarded", "")
	s.rows(run, "a=failed")
	s.decision(run, "guard^", "try", "caught", nil, `{"kind":"expression","path":"a","n":7615917337495251231}`)
	a := s.must(200, "GET", project+"/runs/"+run.String(), "")
	if a.json(t, "steps.0.path") != "guard" || a.json(t, "steps.0.output") != "" || !strings.Contains(a.body, `"caught":{"kind":"expression","path":"a","n":7615917337495251231}`) {
		t.Errorf("%s", a.body)
	}
	s.must(201, "PUT", project+"/automations/reads/draft", document(`{"id":"guard","type":"try","steps":[`+set("a")+`],"catch":[]},{"id":"z","type":"set","value":"{{ steps.guard.output }}"}`))
	if a := s.must(200, "GET", project+"/automations/reads", ""); a.json(t, "problems.0.reason") != "no_output" {
		t.Errorf("an expression that reads the output of a try: %s", a.body)
	}
}
