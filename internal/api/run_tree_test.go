package api_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
)

func set(id string) string { return `{"id":"` + id + `","type":"set","value":1}` }

// rows writes rows of a run as a test says them: "a" is a set that was done, "a!" one that failed, and others as below.
func (s *site) rows(run uuid.UUID, list string) {
	s.t.Helper()
	for _, word := range strings.Fields(list) {
		path, what, _ := strings.Cut(word, "=")
		switch what {
		case "":
			s.decision(run, path, "set", "", nil, "1")
		case "failed":
			s.exec(`insert into decision (run_id, path, kind, error) values ($1, $2, 'set', '{"kind":"expression","message":"no"}')`, run, path)
		case "skipped":
			s.decision(run, path+"?", "if", "skipped", nil, nil)
		case "caught":
			s.decision(run, path+"^", "try", "caught", nil, `{"kind":"expression"}`)
		case "again":
			s.decision(run, path, "retry", "", nil, nil)
		case "stop":
			s.decision(run, path, "stop", "succeeded", nil, nil)
		case "waits":
			s.exec(`insert into wait (run_id, path, kind, until) values ($1, $2, 'timer', clock_timestamp() + interval '1 hour')`, run, path)
		case "sent":
			s.attempt(run, path, 1, "sending", nil)
		case "503":
			s.attempt(run, path, 1, "answered", map[string]any{"error": `{"kind":"provider_error","message":"503"}`, "again": true})
		default: // the number of a loop's items, or of the case of a branch
			kind := "branch"
			if strings.HasPrefix(what, "x") {
				kind, what = "each", what[1:]
			}
			s.decision(run, path, kind, "", int(what[0]-'0'), nil)
		}
	}
}

// TestStepsThatWereNotReachedAreShown gives the tree of the run's version whole, whatever became of it.
func TestStepsThatWereNotReachedAreShown(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	cases := `{"id":"way","type":"branch","cases":[{"when":"{{ true }}","steps":[` + set("a") + `,` + set("b") + `]}],"otherwise":[` + set("c") + `]}`
	side := `{"id":"both","type":"parallel","on_failure":"finish","branches":[{"steps":[` + set("l") + `,` + set("m") + `]},{"steps":[` + set("r") + `]}]}`
	guard := `{"id":"guard","type":"try","steps":[` + set("a") + `,` + set("b") + `],"catch":[` + set("c") + `],"finally":[` + set("f") + `]}`
	loop := `{"id":"each","type":"each","items":[1,2],"as":"x","concurrency":2,"steps":[` + set("a") + `,` + set("b") + `]}`
	rounds := `{"id":"again","type":"retry","restart":true,"policy":{"max_attempts":3},"steps":[` + loop + `]}`
	tests := []struct {
		name  string
		steps string
		rows  string
		end   string // the state of the run; running where empty
		want  string
	}{
		{name: "queued", steps: cases, end: "queued", want: "way pending, a pending, b pending, c pending"},
		{name: "case taken", steps: cases, rows: "way=0 a", want: "way running, a succeeded, b pending, c skipped"},
		{name: "case not taken", steps: cases + "," + set("z"), rows: "way=1 c z", want: "way succeeded, c succeeded, z succeeded, a skipped, b skipped"},
		{name: "branch skipped", steps: cases, rows: "way=skipped", want: "way skipped, a skipped, b skipped, c skipped"},
		{name: "failed before it", steps: set("x") + "," + cases, rows: "x=failed", end: "failed", want: "x failed, way pending, a pending, b pending, c pending"},
		{name: "side by side, one waits", steps: side, rows: "l=waits r=sent", want: "both running, l waiting, r running, m pending"},
		{name: "side by side, one is over", steps: side, rows: "l=waits r", want: "both waiting, l waiting, r succeeded, m pending"},
		{name: "side by side, one has steps to go", steps: side, rows: "l r=waits", want: "both running, l succeeded, r waiting, m pending"},
		{name: "side by side, one failed", steps: side, rows: "l r=failed", want: "both running, l succeeded, r failed, m pending"},
		{name: "side by side, cut off", steps: side, rows: "l", end: "cancelled", want: "both cancelled, l succeeded, m pending, r pending"},
		{name: "nothing to catch", steps: guard, rows: "a b", want: "guard running, a succeeded, b succeeded, c skipped, f pending"},
		{name: "to be caught", steps: guard, rows: "a=failed", want: "guard running, a failed, b pending, c pending, f pending"},
		{name: "caught", steps: guard, rows: "a=failed guard=caught c f", end: "succeeded", want: "guard succeeded, a failed, c succeeded, f succeeded, b pending"},
		{name: "failed in catch", steps: guard, rows: "a=failed guard=caught c=failed f", end: "failed", want: "guard failed, a failed, c failed, f succeeded, b pending"},
		{name: "failed in finally", steps: guard, rows: "a b f=failed", end: "failed", want: "guard failed, a succeeded, b succeeded, f failed, c skipped"},
		{name: "loop not reached", steps: set("z") + "," + loop, rows: "z=failed", end: "failed", want: "z failed, each pending, each.*.a pending, each.*.b pending"},
		{name: "loop without items", steps: loop, rows: "each=x0", want: "each succeeded"},
		{name: "loop, lanes free", steps: loop, rows: "each=x2 each.0.a=waits", want: "each running, each.0.a waiting, each.0.b pending"},
		{name: "loop, all lanes wait", steps: loop, rows: "each=x2 each.0.a=waits each.1.a=waits", want: "each waiting, each.0.a waiting, each.1.a waiting, each.0.b pending, each.1.b pending"},
		{name: "loop failed", steps: loop, rows: "each=x2 each.0.a each.0.b each.1.a=failed", end: "failed", want: "each failed, each.0.a succeeded, each.0.b succeeded, each.1.a failed, each.1.b pending"},
		{
			name: "failed in an earlier round", steps: rounds, rows: "each=x2 each.0.a=503 again#1=again again~2.each=x2 again~2.each.0.a again~2.each.0.b again~2.each.1.a again~2.each.1.b", end: "succeeded",
			want: "again succeeded, each failed, each.0.a failed, again~2.each succeeded, again~2.each.0.a succeeded, again~2.each.0.b succeeded, again~2.each.1.a succeeded, again~2.each.1.b succeeded, each.0.b pending",
		},
		{
			name: "between two rounds", steps: rounds, rows: "each=x2 each.0.a=503 again#1=again",
			want: "again running, each failed, each.0.a failed, each.0.b pending",
		},
		{
			name: "failed in all rounds", steps: rounds, rows: "each=x1 each.0.a=503 again#1=again again~2.each=x1 again~2.each.0.a=503 again#2=again again~3.each=x1 again~3.each.0.a=503", end: "failed",
			want: "again failed, each failed, each.0.a failed, again~2.each failed, again~2.each.0.a failed, again~3.each failed, again~3.each.0.a failed, again~2.each.0.b pending, again~3.each.0.b pending, each.0.b pending",
		},
		{
			name: "stopped", steps: side[:len(side)-len(`,{"steps":[`+set("r")+`]}]}`)] + `,{"steps":[{"id":"r","type":"stop","outcome":"succeeded"}]}]}`, rows: "l r=stop", end: "succeeded",
			want: "both succeeded, l succeeded, r succeeded, m pending",
		},
		{
			name: "goes on after a failure", steps: `{"id":"try1","type":"try","on_error":"continue","steps":[` + set("a") + `],"finally":[]},` + set("z"), rows: "a=failed z",
			want: "try1 failed, a failed, z succeeded",
		},
	}
	for _, tt := range tests {
		name := strings.Join(strings.FieldsFunc(tt.name, func(r rune) bool { return r == ' ' || r == ',' }), "-")
		s.must(201, "PUT", project+"/automations/"+name+"/draft", document(tt.steps))
		run := s.started(name, `{"draft":true}`)
		if tt.end != "queued" {
			s.exec(`update run set state = 'running', started_at = clock_timestamp() where id = $1`, run)
		}
		s.rows(run, tt.rows)
		if tt.end != "" && tt.end != "queued" {
			s.exec(`update run set state = $2, finished_at = clock_timestamp() where id = $1`, run, tt.end)
		}
		if got := s.states(run); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestNotReachedStepsComeInPages walks over the border between what was reached and what was not, one by one.
func TestNotReachedStepsComeInPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", loopSteps)
	run := s.started("orders", "")
	s.rows(run, "pick each=x2 each.0.ticket")
	want := s.states(run)
	var got []string
	cursor := ""
	for {
		page := s.must(200, "GET", project+"/runs/"+run.String()+"?steps_limit=1&steps_cursor="+cursor, "")
		got = append(got, page.json(t, "steps.0.path")+" "+page.json(t, "steps.0.state"))
		if cursor = page.json(t, "steps_next"); cursor == "" {
			break
		}
	}
	if strings.Join(got, ", ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	none := s.must(200, "GET", project+"/runs/"+run.String()+"?steps_limit=0", "")
	if none.json(t, "steps") != "[]" || none.json(t, "steps_next") != "" {
		t.Errorf("no steps: %s", none.body)
	}
	s.must(422, "GET", project+"/runs/"+run.String()+"?steps_cursor=bm9uZQ", "")
}

// TestEventsTellOfStepsThatAChangeConcerns follows a run: the decision of a branch settles the other case too, and what
// happens in a container is its state.
func TestEventsTellOfStepsThatAChangeConcerns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", `{"id":"way","type":"branch","cases":[{"when":"{{ true }}","steps":[`+set("a")+`]}],"otherwise":[`+set("c")+`]},`+set("z"))
	run := s.started("orders", "")
	s.exec(`update run set state = 'running', started_at = clock_timestamp() where id = $1`, run)
	_, lines := s.events(t.Context(), run, "")
	first := next(t, lines, "data: ")
	for _, want := range []string{`"path":"way"`, `"path":"a"`, `"path":"c"`, `"path":"z"`} {
		if !strings.Contains(first, want) {
			t.Errorf("the first event has no %s: %s", want, first)
		}
	}
	s.rows(run, "way=0")
	s.exec(`select pg_notify('pawl_runs', $1)`, run.String())
	got := map[string]bool{}
	for range 2 {
		got[stateIn(next(t, lines, "data: "))] = true
	}
	if !got["way running"] || !got["c skipped"] {
		t.Errorf("after the decision: %v", got)
	}
	s.rows(run, "a")
	s.exec(`select pg_notify('pawl_runs', $1)`, run.String())
	got = map[string]bool{}
	for range 2 {
		got[stateIn(next(t, lines, "data: "))] = true
	}
	if !got["way succeeded"] || !got["a succeeded"] {
		t.Errorf("after the step: %v", got)
	}
}

// stateIn gives "path state" of a step event.
func stateIn(data string) string {
	_, rest, _ := strings.Cut(data, `"path":"`)
	path, rest, _ := strings.Cut(rest, `"`)
	_, rest, _ = strings.Cut(rest, `"state":"`)
	state, _, _ := strings.Cut(rest, `"`)
	return path + " " + state
}
