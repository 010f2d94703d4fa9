package api_test

import (
	"strconv"
	"strings"
	"testing"
)

// TestARunWaitsWhenNothingElseIsUnderWay looks at runs of which a branch waits, by the run object, the list and its filter.
func TestARunWaitsWhenNothingElseIsUnderWay(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const (
		waits   = `insert into wait (run_id, path, kind, since, until) values ($1, 'w', 'timer', clock_timestamp() - interval '1 h', clock_timestamp() + interval '1 h')`
		attempt = `insert into attempt (run_id, path, n, action, effect, owner, epoch, state, claimed_at, finished_at)
			select id, 'a', 1, 'developer.shop.v1-0-0.list_orders', 'unsafe', gen_random_uuid(), epoch, `
	)
	tests := []struct {
		name  string
		state string // as the row has it
		rows  []string
		want  string // the state, and for what and where it waits
	}{
		{name: "one branch alone", state: "waiting", rows: []string{waits}, want: "waiting timer w"},
		{name: "another one sends", state: "waiting", rows: []string{waits, attempt + `'sending', clock_timestamp(), null from run where id = $1`}, want: "running  "},
		{name: "another one has just had an answer", state: "waiting", rows: []string{waits, attempt + `'answered', clock_timestamp(), clock_timestamp() + interval '1 h' from run where id = $1`}, want: "running  "},
		{name: "another one had an answer a while ago", state: "waiting", rows: []string{waits, attempt + `'answered', clock_timestamp() - interval '9 s', clock_timestamp() - interval '9 s' from run where id = $1`}, want: "waiting timer w"},
		{name: "what was before the wait does not count", state: "waiting", rows: []string{waits, `insert into wait (run_id, path, kind, since) values ($1, 'v', 'hold', clock_timestamp() + interval '2 h')`, attempt + `'answered', clock_timestamp(), clock_timestamp() + interval '1 h' from run where id = $1`}, want: "waiting timer w"},
		{name: "another one has just decided", state: "waiting", rows: []string{waits, `insert into decision (run_id, path, kind, created_at) values ($1, 'a', 'set', clock_timestamp() + interval '1 h')`}, want: "running  "},
		{name: "woken", state: "waiting", rows: []string{waits, `update wait set woken_at = clock_timestamp() where run_id = $1`}, want: "running  "},
		{name: "an outcome is unknown", state: "waiting", rows: []string{waits, `insert into wait (run_id, path, kind) values ($1, 'a', 'settle')`, attempt + `'unknown', clock_timestamp(), clock_timestamp() from run where id = $1`}, want: "needs_attention settle a"},
		{name: "an unknown outcome was healed", state: "needs_attention", rows: []string{waits, attempt + `'answered', clock_timestamp() - interval '9 s', clock_timestamp() - interval '9 s' from run where id = $1`}, want: "waiting timer w"},
		{name: "a round of a retry", state: "waiting", rows: []string{`insert into wait (run_id, path, kind, since) values ($1, 'each.0.again#2', 'retry', clock_timestamp() - interval '1 h')`}, want: "waiting retry each.0.again"},
		{name: "ended", state: "failed", rows: []string{waits}, want: "failed  "},
	}
	for i, tt := range tests {
		name := "a" + strconv.Itoa(i)
		s.published(name, setStep)
		run := s.started(name, "")
		for _, sql := range tt.rows {
			s.exec(sql, run)
		}
		s.exec(`update run set state = $2, started_at = clock_timestamp(), finished_at = case when $2 = 'failed' then clock_timestamp() end where id = $1`, run, tt.state)
		a := s.must(200, "GET", project+"/runs/"+run.String(), "")
		state := a.json(t, "state")
		if got := strings.Join([]string{state, a.json(t, "waiting.for"), a.json(t, "waiting.path")}, " "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		for _, asked := range []string{"running", "waiting", "needs_attention", "failed"} {
			list := s.must(200, "GET", project+"/runs?automation="+name+"&state="+asked, "")
			if found := list.json(t, "items.0.state"); (found != "") != (asked == state) {
				t.Errorf("%s: the list of %s runs has %q", tt.name, asked, found)
			}
		}
		if got := s.must(200, "GET", project+"/automations/"+name, "").json(t, "last_run.state"); got != state {
			t.Errorf("%s: the automation says %s of it, want %s", tt.name, got, state)
		}
	}
}

// TestTheAnswerToASettlementIsTrue settles what a run waits for: nobody has to do anything for it any more.
func TestTheAnswerToASettlementIsTrue(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", `{"id":"a","type":"set","value":1}`)
	run := s.started("orders", "")
	s.attempt(run, "a", 1, "unknown", map[string]any{"error": `{"kind":"outcome_unknown","message":"?"}`})
	s.exec(`insert into wait (run_id, path, kind) values ($1, 'a', 'settle')`, run)
	s.exec(`update run set state = 'needs_attention', started_at = clock_timestamp() where id = $1`, run)
	before := s.must(200, "GET", project+"/runs/"+run.String(), "")
	if before.json(t, "state") != "needs_attention" || before.json(t, "waiting.for") != "settle" || before.json(t, "steps.0.waiting.for") != "settle" {
		t.Errorf("before: %s", before.body)
	}
	after := s.must(200, "POST", project+"/runs/"+run.String()+"/steps/a/settle", `{"as":"failed"}`)
	if after.json(t, "state") != "running" || after.json(t, "waiting") != "" || after.json(t, "steps.0.state") != "failed" || after.json(t, "steps.0.waiting") != "" {
		t.Errorf("after: %s", after.body)
	}
}
