package api_test

import (
	"strings"
	"testing"

	"pawl/internal/auth"
)

// TestAutomationsSayHowTheyLastRanAndWhetherTheDraftDiffers goes through the life of an automation.
func TestAutomationsSayHowTheyLastRanAndWhetherTheDraftDiffers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	one := project + "/automations/orders"
	look := func(name, want string) {
		t.Helper()
		list, shown := s.must(200, "GET", project+"/automations", ""), s.must(200, "GET", one, "")
		for _, a := range []struct{ at, got string }{
			{"list", strings.Join([]string{list.json(t, "items.0.draft_differs"), list.json(t, "items.0.last_run.state"), list.json(t, "items.0.last_run.id")}, " ")},
			{"detail", strings.Join([]string{shown.json(t, "draft_differs"), shown.json(t, "last_run.state"), shown.json(t, "last_run.id")}, " ")},
		} {
			if a.got != want {
				t.Errorf("%s, %s: got %q, want %q", name, a.at, a.got, want)
			}
		}
	}
	s.must(201, "PUT", one+"/draft", document(setStep))
	look("a draft alone", "true  ")
	s.must(200, "POST", one+"/publish", "")
	look("published", "false  ")
	s.must(200, "PUT", one+"/draft", `{"steps":[`+setStep+`],  "name":"Orders", "format":"pawl-automation@1"}`, "If-Match", `"1"`)
	look("the same in another spelling", "false  ")
	first := s.started("orders", "").String()
	look("a run", "false queued "+first)
	s.must(200, "PUT", one+"/draft", document(set("b")), "If-Match", `"2"`)
	test := s.started("orders", `{"draft":true}`).String()
	look("another draft, and its run", "true queued "+test)
	last := s.started("orders", "").String()
	s.exec(`update run set state = 'failed', started_at = created_at, finished_at = clock_timestamp() where id = $1`, last)
	look("a run that failed", "true failed "+last)
	if got := s.must(200, "GET", one, "").json(t, "last_run.finished_at"); got == "" {
		t.Error("the last run has no end")
	}
	key := s.key(auth.Builder, auth.TestKey)
	if got := s.call(key, "GET", project+"/automations", "").json(t, "items.0.last_run.id"); got != test {
		t.Errorf("a test key sees the run %s, want that of the draft, %s", got, test)
	}
}
