package main_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestRunShowTellsWhatWasSent shows one step of a run whole, and C071: no key is in it.
func TestRunShowTellsWhatWasSent(t *testing.T) {
	t.Parallel()
	in := install(t)
	in.must("plugin", "push", in.file("shop.json", plugin("1.0.0")))
	in.must("plugin", "promote", "shop", "--to", "preview")
	in.must("plugin", "promote", "shop", "--to", "production")
	in.run("secret-canary\n", "account", "set", "shop", "--identity", "developer.shop.v1-0-0")
	in.must("grant", "add", "--action", "developer.shop.v1-0-0.create_order")
	in.must("automation", "apply", in.file("sends.json", strings.Replace(document, `"steps":[`,
		`"steps":[{"id":"make","type":"action","action":"developer.shop.v1-0-0.create_order","account":"shop","input":{"title":"x"}},`, 1)))
	in.must("automation", "publish", "sends")
	var run struct{ ID string }
	if err := json.Unmarshal([]byte(in.must("run", "start", "sends", "--json")), &run); err != nil {
		t.Fatal(err)
	}
	in.sql(`insert into attempt (run_id, path, n, action, effect, state, owner, epoch, input, status, output, error, finished_at, request)
		select id, 'make', 1, 'developer.shop.v1-0-0.create_order', 'unsafe', 'answered', gen_random_uuid(), epoch, '{"title":"x"}', 422, '{"status":422}',
		  '{"kind":"rejected","message":"No such title."}', clock_timestamp(),
		  '{"method":"POST","url":"https://shop.example.com/orders","headers":{"Content-Type":"application/json"},"body":"{\"title\":\"x\u001b[2J\"}","body_bytes":5000}' from run where id = $1`, run.ID)
	in.sql(`update run set state = 'failed', started_at = created_at, finished_at = clock_timestamp(), error = '{"kind":"rejected","message":"No such title."}' where id = $1`, run.ID)
	out := in.must("run", "show", run.ID, "--step", "make")
	for _, want := range []string{
		"make of run " + run.ID + ": failed", "attempt 1: answered", "  POST https://shop.example.com/orders", "  Authorization: Bearer [redacted]", "  Content-Type: application/json",
		`  {"title":"x [2J"}`, "(5000 bytes in all)", "-> HTTP 422", "-> No such title.", "input:", `"title": "x"`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	whole, step := in.must("run", "show", run.ID, "--json"), in.must("run", "show", run.ID, "--step", "make", "--json")
	var shown struct {
		Attempts []struct{ Request struct{ URL string } }
	}
	if err := json.Unmarshal([]byte(step), &shown); err != nil || len(shown.Attempts) != 1 || shown.Attempts[0].Request.URL != "https://shop.example.com/orders" {
		t.Errorf("--step --json: %s", step)
	}
	if strings.Contains(out+whole+step, "canary") {
		t.Error("the key is shown")
	}
	if list := in.must("run", "show", run.ID); !strings.Contains(list, "not reached") {
		t.Errorf("the step behind it: %s", list)
	}
	if r := in.run("", "run", "show", run.ID, "--step", "none"); r.code != 1 || !strings.Contains(r.stderr, "no step at") {
		t.Errorf("a step that is not there: %+v", r)
	}
	if list := in.must("automation", "list"); !strings.Contains(list, "as live") || !strings.Contains(list, "failed") {
		t.Errorf("automation list: %s", list)
	}
}
