package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"pawl/internal/e2e/lab"
)

// Actions that follow each other are made as one stretch (docs/adr/0010). These tests disturb stretches in the middle.

// positions gives the states of a run's attempts by position and number.
func positions(t *testing.T, l *lab.Lab, run uuid.UUID) map[string]string {
	t.Helper()
	rows, err := l.Pool.Query(context.Background(), `select path, n, state, coalesce(error, '') from attempt where run_id = $1`, run)
	must(t, err)
	defer rows.Close()
	got := map[string]string{}
	for rows.Next() {
		var path, state, problem string
		var n int
		must(t, rows.Scan(&path, &n, &state, &problem))
		if problem != "" {
			state += " " + kindOf(problem)
		}
		got[fmt.Sprintf("%s/%d", path, n)] = state
	}
	must(t, rows.Err())
	return got
}

// kindOf reads the kind out of an error's JSON.
func kindOf(problem string) string {
	_, rest, _ := strings.Cut(problem, `"kind":"`)
	kind, _, _ := strings.Cut(rest, `"`)
	return kind
}

// order gives n steps o0, o1, … that create orders, with further members of one of them.
func orders(n, special int, more string) string {
	steps := make([]string, n)
	for i := range steps {
		m := ""
		if i == special {
			m = more
		}
		steps[i] = action(fmt.Sprintf("o%d", i), "create_order", fmt.Sprintf(`{"title":"t%d"}`, i), m)
	}
	return strings.Join(steps, ",")
}

func TestAStretchIsOneResultInTheHistory(t *testing.T) {
	t.Parallel()
	l := startedLab(t)
	run := startRun(t, l, "many", document("Many", orders(60, 0, ""), ""), `{}`)
	l.WaitFor(t, run, soon, "succeeded")
	if got := l.Target.Count(http.MethodPost, "/orders"); got != 60 {
		t.Errorf("%d orders, want 60", got)
	}
	if got := l.LongestHistory(t, run).Events; got > 20 {
		t.Errorf("the history has %d events for 60 steps", got)
	}
}

func TestASlowStepOfAStretchGoesOnInTheBackground(t *testing.T) {
	t.Parallel()
	l := startedLab(t)
	doc := document("Slow", strings.Join([]string{
		action("a", "create_order", `{"title":"a"}`, ""),
		action("slow", "slow_get", `{"ms":"2500"}`, ""),
		action("b", "create_order", `{"title":"{{ steps.slow.output.body.slow }}"}`, ""),
		action("c", "create_order", `{"title":"after {{ steps.b.output.body.got.title }}"}`, ""),
	}, ","), `,"output":"{{ steps.c.output.body.got.title }}"`)
	run := startRun(t, l, "slow", doc, `{}`)
	l.WaitFor(t, run, soon, "succeeded")
	if got := output(t, l, run); got != `"after true"` {
		t.Errorf("output %s", got)
	}
	if got := l.Target.Count(http.MethodGet, "/slow"); got != 1 {
		t.Errorf("the slow step was sent %d times", got)
	}
	if d := l.Target.Doubled(); d != nil {
		t.Errorf("doubled: %v", d)
	}
}

func TestAFailureEndsAStretchThere(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, more, state string
		orders            int
	}{
		{name: "the run fails", state: "failed", orders: 2},
		{name: "on_error continue", more: `,"on_error":"continue"`, state: "succeeded", orders: 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := startedLab(t)
			steps := orders(2, 0, "") + "," + action("bad", "status_get", `{"code":"404"}`, tt.more) + "," +
				action("x", "create_order", `{"title":"x"}`, "") + "," + action("y", "create_order", `{"title":"y"}`, "")
			run := startRun(t, l, "bad", document("Bad", steps, ""), `{}`)
			l.WaitFor(t, run, soon, tt.state)
			if got := l.Target.Count(http.MethodPost, "/orders"); got != tt.orders {
				t.Errorf("%d orders, want %d", got, tt.orders)
			}
		})
	}
}

func TestARetryAroundAStretchRepeatsTheFailedStepOnly(t *testing.T) {
	t.Parallel()
	l := startedLab(t)
	doc := document("Again", `{"id":"again","type":"retry","policy":{"max_attempts":4,"initial":"10ms","max":"20ms"},"steps":[`+
		orders(2, 0, "")+","+action("flaky", "flaky_get", `{"key":"k","n":"2"}`, "")+","+action("after", "create_order", `{"title":"after"}`, "")+`]}`, "")
	run := startRun(t, l, "again", doc, `{}`)
	l.WaitFor(t, run, soon, "succeeded")
	got := positions(t, l, run)
	for _, p := range []string{"o0/1", "o1/1", "flaky/3", "after/1"} {
		if got[p] != "answered" {
			t.Errorf("%s is %q: %v", p, got[p], got)
		}
	}
	if len(got) != 6 {
		t.Errorf("the attempts are %v", got)
	}
}

// disturb does something once, while the nth request with a method is being answered.
func disturb(l *lab.Lab, method string, nth int, do func()) {
	var mu sync.Mutex
	seen := 0
	l.Target.Watch(func(m string) {
		mu.Lock()
		defer mu.Unlock()
		if m == method {
			if seen++; seen == nth {
				do()
			}
		}
	})
}

func TestAWithdrawalInTheMiddleOfAStretchStopsTheNextEffect(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	disturb(l, http.MethodPost, 3, func() {
		if _, err := l.Stages.Disable(context.Background(), "shop", "ana"); err != nil {
			t.Error(err)
		}
	})
	must(t, l.Start(context.Background()))
	run := startRun(t, l, "many", document("Many", orders(8, 0, ""), ""), `{}`)
	problem := l.WaitFor(t, run, soon, "failed")
	if got := l.Target.Count(http.MethodPost, "/orders"); got != 3 {
		t.Errorf("%d orders, want 3", got)
	}
	if kindOf(problem) != "unavailable" || !strings.Contains(problem, `"step":"o3"`) {
		t.Errorf("the error is %s", problem)
	}
	if got := positions(t, l, run); got["o2/1"] != "answered" || got["o3/1"] != "not_sent unavailable" {
		t.Errorf("the attempts are %v", got)
	}
}

func TestACancelInTheMiddleOfAStretchStopsTheNextEffect(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLab(t)
	ids := make(chan uuid.UUID, 1)
	disturb(l, http.MethodPost, 3, func() {
		run := <-ids
		if _, err := l.Pool.Exec(ctx, `update run set cancel_requested_at = clock_timestamp() where id = $1`, run); err != nil {
			t.Error(err)
		}
	})
	must(t, l.Start(ctx))
	run := startRun(t, l, "many", document("Many", orders(8, 0, ""), ""), `{}`)
	ids <- run
	l.WaitFor(t, run, soon, "cancelled")
	if got := l.Target.Count(http.MethodPost, "/orders"); got != 3 {
		t.Errorf("%d orders, want 3", got)
	}
	if got := positions(t, l, run); len(got) != 3 || got["o2/1"] != "answered" {
		t.Errorf("the attempts are %v", got)
	}
}

func TestAnUnknownOutcomeInAStretchWaitsForAPerson(t *testing.T) {
	t.Parallel()
	l := startedLab(t)
	doc := document("Vanish", orders(2, 0, "")+","+action("gone", "vanish", `{"key":"k"}`, "")+","+action("after", "create_order", `{"title":"after"}`, ""), "")
	run := startRun(t, l, "vanish", doc, `{}`)
	l.WaitFor(t, run, soon, "needs_attention")
	got := positions(t, l, run)
	if _, sent := got["after/1"]; sent || got["gone/1"] == "" || l.Target.Count(http.MethodPost, "/orders") != 2 {
		t.Errorf("the attempts are %v", got)
	}
}
