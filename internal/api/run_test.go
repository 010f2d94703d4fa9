package api_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestStartOnceByIdempotencyKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", setStep)
	start := project + "/automations/orders/runs"
	first := s.must(201, "POST", start, `{"input":{"n":7615917337495251231}}`, "Idempotency-Key", "k-1")
	again := s.must(200, "POST", start, `{"input":{"n":7615917337495251231}}`, "Idempotency-Key", "k-1")
	if first.json(t, "id") != again.json(t, "id") || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("two runs of one key: %s, %s", first.json(t, "id"), again.json(t, "id"))
	}
	other := s.must(409, "POST", start, `{"input":{"n":1}}`, "Idempotency-Key", "k-1")
	if other.json(t, "reason") != "idempotency_key" {
		t.Errorf("another input under the key: %s", other.body)
	}
	if first.json(t, "input.n") != "7615917337495251231" || first.json(t, "state") != "queued" || first.json(t, "trigger") != "api" {
		t.Errorf("the run: %s", first.body)
	}
	if got := first.header.Get("Location"); got != project+"/runs/"+first.json(t, "id") {
		t.Errorf("Location is %q", got)
	}
	s.must(201, "POST", start, "")
	s.must(409, "POST", project+"/automations/orders/runs", `{"input":{}}`, "Idempotency-Key", "k-1")
}

// TestC073NumbersOfAnInputKeepTheirText starts a run with numbers that fit in no double.
func TestC073NumbersOfAnInputKeepTheirText(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", setStep)
	const input = `{"p_id":7615917337495251231,"r":0.1,"e":1e400,"neg0":-0,"t":1.10}`
	a := s.must(201, "POST", project+"/automations/orders/runs", `{"input":`+input+`}`)
	if !strings.Contains(a.body, `"input":`+input) {
		t.Errorf("%s", a.body)
	}
}

func TestStartOfWhatIsNotPublished(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.must(201, "PUT", project+"/automations/orders/draft", document(setStep))
	if a := s.must(409, "POST", project+"/automations/orders/runs", ""); a.json(t, "reason") != "not_published" {
		t.Errorf("%s", a.body)
	}
	run := s.must(201, "POST", project+"/automations/orders/runs", `{"draft":true}`)
	if run.json(t, "version") != "" || run.json(t, "automation") != "orders" {
		t.Errorf("a run of the draft: %s", run.body)
	}
	s.must(201, "PUT", project+"/automations/bad/draft", document(setStep+`,{"id":"b","type":"set","value":"{{ length([1]) }}"}`))
	if a := s.must(422, "POST", project+"/automations/bad/runs", `{"draft":true}`); !strings.Contains(a.body, "/steps/1/value") {
		t.Errorf("a run of a draft with a problem: %s", a.body)
	}
}

func TestRunsOfAnotherProjectAreNotThere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", setStep)
	id := s.started("orders", "").String()
	s.must(201, "POST", root+"/projects", `{"name":"other"}`)
	other := root + "/projects/other/runs/" + id
	for _, call := range [][]string{{"GET", ""}, {"POST", "/cancel"}, {"POST", "/replay"}, {"GET", "/events"}, {"GET", "/blobs/" + strings.Repeat("0", 64)}} {
		if a := s.call(s.admin, call[0], other+call[1], ""); a.status != 404 {
			t.Errorf("%s %s: %d", call[0], call[1], a.status)
		}
	}
	if a := s.must(200, "GET", root+"/projects/other/runs", ""); a.json(t, "items") != "[]" {
		t.Errorf("the list: %s", a.body)
	}
}

func TestListPagesByCursor(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", setStep)
	var want []string
	for range 5 {
		want = append([]string{s.started("orders", "").String()}, want...)
	}
	var got []string
	cursor := ""
	for {
		page := s.must(200, "GET", project+"/runs?limit=2&automation=orders&state=queued&cursor="+cursor, "")
		for _, i := range []string{"0", "1"} {
			if id := page.json(t, "items."+i+".id"); id != "" {
				got = append(got, id)
			}
		}
		if cursor = page.json(t, "next"); cursor == "" {
			break
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got %v, want %v", got, want)
	}
}

// attempt writes an attempt as the ledger does.
func (s *site) attempt(run uuid.UUID, path string, n int, state string, rest map[string]any) {
	s.t.Helper()
	s.exec(`insert into attempt (run_id, path, n, action, effect, state, owner, epoch, input, status, output, error, again, finished_at)
		select $1, $2, $3, 'developer.shop.v1-0-0.create_order', 'unsafe', $4, gen_random_uuid(), epoch, $5, $6, $7, $8, coalesce($9, false),
		case when $4 = 'sending' then null else clock_timestamp() end from run where id = $1`,
		run, path, n, state, rest["input"], rest["status"], rest["output"], rest["error"], rest["again"])
}

func (s *site) decision(run uuid.UUID, path, kind, label string, count any, value any) {
	s.t.Helper()
	s.exec(`insert into decision (run_id, path, kind, label, count, value) values ($1, $2, $3, $4, $5, $6)`, run, path, kind, label, count, value)
}

func (s *site) exec(sql string, args ...any) {
	s.t.Helper()
	if _, err := s.pool.Exec(s.t.Context(), sql, args...); err != nil {
		s.t.Fatal(err)
	}
}

const loopSteps = `{"id":"pick","type":"set","if":"{{ true }}","value":1},
	{"id":"each","type":"each","items":[1,2],"as":"x","steps":[
		{"id":"again","type":"retry","policy":{"max_attempts":3},"steps":[{"id":"ticket","type":"set","value":1}]}]},
	{"id":"last","type":"set","value":1}`

// states gives "path state" of all steps of a run.
func (s *site) states(run uuid.UUID) string {
	s.t.Helper()
	a := s.must(200, "GET", project+"/runs/"+run.String(), "")
	var list []string
	for i := 0; ; i++ {
		at := "steps." + itoa(i) + "."
		if a.json(s.t, at+"path") == "" {
			return strings.Join(list, ", ")
		}
		list = append(list, a.json(s.t, at+"path")+" "+a.json(s.t, at+"state"))
	}
}

func itoa(i int) string { return string(rune('0' + i)) }

// TestStepStatesFollowFromTheRows goes through the life of a run with a loop and a retry.
func TestStepStatesFollowFromTheRows(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", loopSteps)
	run := s.started("orders", "")
	look := func(name, want string) {
		t.Helper()
		if got := s.states(run); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	s.exec(`update run set state = 'running', started_at = clock_timestamp() where id = $1`, run)
	look("at first", "pick pending, each pending, each.*.again pending, each.*.ticket pending, last pending")
	s.decision(run, "pick?", "if", "skipped", nil, nil)
	look("skipped", "pick skipped, each pending, each.*.again pending, each.*.ticket pending, last pending")
	s.decision(run, "each", "each", "", 2, nil)
	s.attempt(run, "each.0.ticket", 1, "sending", map[string]any{"input": `{"n":1.10}`})
	look("sending", "pick skipped, each running, each.0.again running, each.0.ticket running, last pending")
	s.exec(`update attempt set state = 'answered', status = 503, again = true, finished_at = clock_timestamp(), error = '{"kind":"provider_error","message":"503"}' where run_id = $1`, run)
	look("failed", "pick skipped, each running, each.0.again running, each.0.ticket failed, last pending")
	s.decision(run, "each.0.again#1", "retry", "", nil, nil)
	s.exec(`insert into wait (run_id, path, kind, until) values ($1, 'each.0.again#1', 'retry', clock_timestamp() + interval '1 hour')`, run)
	look("waits for the retry", "pick skipped, each waiting, each.0.again waiting, each.0.ticket waiting, last pending")
	s.exec(`update wait set done_at = clock_timestamp() where run_id = $1`, run)
	s.attempt(run, "each.0.ticket", 2, "unknown", map[string]any{"error": `{"kind":"outcome_unknown","message":"?"}`})
	look("unknown", "pick skipped, each waiting, each.0.again waiting, each.0.ticket unknown, last pending")
	s.exec(`update attempt set state = 'answered', error = null, output = '{"id":7615917337495251231,"t":1.10,"nul":"a\u0000b"}', settled_as = 'succeeded', settled_by = 'ana', settled_at = clock_timestamp() where run_id = $1 and n = 2`, run)
	look("settled", "pick skipped, each running, each.0.again succeeded, each.0.ticket succeeded, last pending")
	s.decision(run, "last", "set", "", nil, `1e400`)
	look("behind it", "pick skipped, each succeeded, each.0.again succeeded, each.0.ticket succeeded, last succeeded")
	a := s.must(200, "GET", project+"/runs/"+run.String(), "")
	// C073: numbers keep their text; C075: a NUL comes back as it went in
	for _, want := range []string{`"input":{"n":1.10}`, `{"id":7615917337495251231,"t":1.10,"nul":"a\u0000b"}`, `"output":1e400`} {
		if !strings.Contains(a.body, want) {
			t.Errorf("no %s in %s", want, a.body)
		}
	}
	if a.json(t, "steps.3.attempts.1.settled.by") != "ana" || a.json(t, "steps.1.count") != "2" || a.json(t, "steps.3.attempts.0.status") != "503" {
		t.Errorf("details: %s", a.body)
	}
}

func TestEndedRunsHaveNoLiveSteps(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", loopSteps)
	run := s.started("orders", "")
	s.decision(run, "each", "each", "", 2, nil)
	s.attempt(run, "each.0.ticket", 1, "answered", map[string]any{"status": 422, "error": `{"kind":"rejected","message":"no","where":{"step":"ticket"}}`})
	s.exec(`update run set state = 'failed', started_at = created_at, finished_at = clock_timestamp(), error = '{"kind":"rejected","message":"no","where":{"step":"ticket"}}' where id = $1`, run)
	if got, want := s.states(run), "each failed, each.0.again failed, each.0.ticket failed, pick pending, last pending"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	a := s.must(200, "GET", project+"/runs/"+run.String(), "")
	if a.json(t, "error.kind") != "rejected" || a.json(t, "error.where.step") != "ticket" || a.json(t, "waiting") != "" {
		t.Errorf("%s", a.body)
	}
	s.must(409, "POST", project+"/runs/"+run.String()+"/cancel", "")
}

// A wait that was left before its time, or that the run did not live to see, did not succeed; the container whose
// deadline ended the run has failed.
func TestWaitsThatWereLeftAreCancelled(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("boxed", `{"id":"box","type":"parallel","timeout":"1m","branches":[{"steps":[{"id":"nap","type":"wait","for":"1h"}]},{"steps":[{"id":"snooze","type":"wait","for":"2s"}]}]},{"id":"doze","type":"wait","for":"2s"}`)
	run := s.started("boxed", "")
	s.exec(`update run set state = 'running', started_at = clock_timestamp() where id = $1`, run)
	wait := func(path, until, done string) {
		s.exec(`insert into decision (run_id, path, kind, instant) values ($1, $2, 'wait', clock_timestamp() + $3::interval)`, run, path, until)
		s.exec(`insert into wait (run_id, path, kind, until, done_at) values ($1, $2, 'timer', clock_timestamp() + $3::interval, clock_timestamp() + $4::interval)`, run, path, until, done)
	}
	s.exec(`insert into decision (run_id, path, kind, label, instant) values ($1, 'box!', 'wait', 'deadline', clock_timestamp() - interval '1 s')`, run)
	wait("nap", "1 h", "0 s")
	wait("snooze", "-2 s", "-1 s")
	if got, want := s.states(run), "box failed, nap cancelled, snooze succeeded, doze pending"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.exec(`insert into decision (run_id, path, kind, instant) values ($1, 'doze', 'wait', clock_timestamp() + interval '1 h')`, run)
	s.exec(`update run set state = 'failed', finished_at = clock_timestamp(), error = '{"kind":"timeout","message":"late","details":{"path":"box"}}' where id = $1`, run)
	if got, want := s.states(run), "box failed, nap cancelled, snooze succeeded, doze cancelled"; got != want {
		t.Errorf("behind the container: got %q, want %q", got, want)
	}
	s.exec(`delete from decision where run_id = $1 and path = 'doze'`, run)
	if got, want := s.states(run), "box failed, nap cancelled, snooze succeeded, doze pending"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStepsComeInPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", loopSteps)
	run := s.started("orders", "")
	s.exec(`insert into decision (run_id, path, kind, value) select $1, 'each.' || i || '.ticket', 'set', i::text from generate_series(0, 1200) i`, run)
	seen := map[string]bool{}
	cursor := ""
	for {
		page := s.must(200, "GET", project+"/runs/"+run.String()+"?steps_limit=500&steps_cursor="+cursor, "")
		for _, line := range strings.Split(page.body, `"path":"`)[1:] {
			path, _, _ := strings.Cut(line, `"`)
			if seen[path] {
				t.Errorf("%s comes twice", path)
			}
			seen[path] = true
		}
		if cursor = page.json(t, "steps_next"); cursor == "" {
			break
		}
	}
	if want := 2*1201 + 3; len(seen) != want { // ticket and again in each item, and the top
		t.Errorf("%d steps, want %d", len(seen), want)
	}
}

func TestLargeOutputsAreReferences(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", loopSteps)
	run := s.started("orders", "")
	for i, size := range []int{100 << 10, 300 << 10} {
		body := []byte(`"` + strings.Repeat("x", size) + `"`)
		sum := sha256.Sum256(body)
		s.exec(`insert into blob (run_id, digest, media_type, size, body) values ($1, $2, 'application/json', $3, $4)`, run, sum[:], len(body), body)
		s.exec(`insert into decision (run_id, path, kind, value_blob) values ($1, $2, 'set', $3)`, run, "s"+itoa(i), sum[:])
	}
	a := s.must(200, "GET", project+"/runs/"+run.String(), "")
	if got := a.json(t, "steps.0.output"); len(got) != 100<<10 {
		t.Errorf("a small output has %d bytes", len(got))
	}
	ref := a.json(t, "steps.1.output.$blob.sha256")
	full := s.must(200, "GET", project+"/runs/"+run.String()+"/blobs/"+ref, "")
	sum := sha256.Sum256([]byte(full.body))
	if hex.EncodeToString(sum[:]) != ref || !strings.HasPrefix(full.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("the reference %q gives other bytes", ref)
	}
	s.must(404, "GET", project+"/runs/"+run.String()+"/blobs/"+strings.Repeat("0", 64), "")
}

// events opens an event stream and gives its lines.
func (s *site) events(ctx context.Context, run uuid.UUID, last string) (*http.Response, *bufio.Scanner) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+project+"/runs/"+run.String()+"/events", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.admin)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	return res, lines
}

// next reads lines up to one that begins with prefix, and gives the rest of it.
func next(t *testing.T, lines *bufio.Scanner, prefix string) string {
	t.Helper()
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), prefix); ok {
			return rest
		}
	}
	t.Fatalf("the stream ended before %q: %v", prefix, lines.Err())
	return ""
}

func TestEventsFollowARunToItsEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", setStep)
	run := s.started("orders", "")
	res, lines := s.events(t.Context(), run, "")
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type is %q", got)
	}
	if kind, data := next(t, lines, "event: "), next(t, lines, "data: "); kind != "run" || !strings.Contains(data, `"state":"queued"`) {
		t.Errorf("the first event: %s %s", kind, data)
	}
	s.decision(run, "a", "set", "", nil, `{"n":7615917337495251231}`)
	s.exec(`select pg_notify('pawl_runs', $1)`, run.String())
	if kind, data := next(t, lines, "event: "), next(t, lines, "data: "); kind != "step" || !strings.Contains(data, `7615917337495251231`) {
		t.Errorf("the second event: %s %s", kind, data)
	}
	s.exec(`update run set state = 'succeeded', started_at = created_at, finished_at = clock_timestamp(), output = '{}' where id = $1`, run)
	s.exec(`select pg_notify('pawl_runs', '*')`)
	id := next(t, lines, "id: ")
	if kind, data := next(t, lines, "event: "), next(t, lines, "data: "); kind != "run" || !strings.Contains(data, `"state":"succeeded"`) {
		t.Errorf("the last event: %s %s", kind, data)
	}
	for lines.Scan() {
		if lines.Text() != "" {
			t.Errorf("after the end: %q", lines.Text())
		}
	}
	if again, _ := s.events(t.Context(), run, id); again.StatusCode != http.StatusNoContent {
		t.Errorf("coming back after the end: %d", again.StatusCode)
	}
}

func TestSettleAndReplay(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", setStep)
	run := s.started("orders", `{"input":{"a":1}}`)
	one := project + "/runs/" + run.String()
	s.exec(`update run set state = 'needs_attention', started_at = created_at where id = $1`, run)
	s.attempt(run, "a", 1, "unknown", map[string]any{"error": `{"kind":"outcome_unknown","message":"?"}`})
	s.must(422, "POST", one+"/steps/a/settle", `{"as":"succeeded"}`)
	s.must(404, "POST", one+"/steps/b/settle", `{"as":"retry"}`)
	settled := s.must(200, "POST", one+"/steps/a/settle", `{"as":"succeeded","output":{"status":201,"headers":{},"body":{"id":7615917337495251231}}}`)
	if settled.json(t, "steps.0.state") != "succeeded" || settled.json(t, "steps.0.output.body.id") != "7615917337495251231" {
		t.Errorf("%s", settled.body)
	}
	second := s.must(409, "POST", one+"/steps/a/settle", `{"as":"failed"}`)
	if !strings.Contains(second.json(t, "detail"), "ana@example.org") {
		t.Errorf("the second decision doesn't say who decided: %s", second.body)
	}
	again := s.must(201, "POST", one+"/replay", "")
	if again.json(t, "id") == run.String() || again.json(t, "replay_of") != run.String() || again.json(t, "input.a") != "1" {
		t.Errorf("replay: %s", again.body)
	}
	cancelled := s.must(200, "POST", one+"/cancel", `{"force":true}`)
	if !strings.HasPrefix(cancelled.json(t, "cancel.by"), "ana@example.org") {
		t.Errorf("cancel: %s", cancelled.body)
	}
}
