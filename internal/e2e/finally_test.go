package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pawl/internal/launch"
)

// finally blocks run whatever happened, also when the walk continued as new or lost its workflow in between.

func numbers(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("0,", n), ",") + "]" }

// A cancel that arrives around the moment in which a long walk continues as new: the finally around the loop runs.
func TestFinallyRunsWhenACancelMeetsAContinuation(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := startedLab(t)
	doc := document("Long", `{"id":"t","type":"try","steps":[{"id":"each","type":"each","items":"{{ inputs.items }}","as":"x","index":"i","concurrency":50,"steps":[`+
		action("get", "slow_get", `{"ms":"{{ i >= 3960 && i < 4000 ? 3000 : 0 }}"}`, "")+`]}],"finally":[`+action("clean", "delete_order", `{"id":"clean"}`, "")+`]}`, "")
	run := startRun(t, l, "long", doc, `{"items":`+numbers(4400)+`}`)
	eventually(t, func() bool { return l.Target.Count("GET", "/slow/3000") >= 40 })
	must(t, l.Starter.Cancel(ctx, run, "ana", false))
	l.WaitFor(t, run, time.Minute, "cancelled")
	if n := l.Target.Count("DELETE", "/orders/clean"); n != 1 {
		t.Errorf("finally ran %d times, want once", n)
	}
}

// An iteration that fails around that moment: every iteration that had begun runs its finally.
func TestFinallyRunsInEveryIterationThatBegan(t *testing.T) {
	t.Parallel()
	for _, failing := range []int{1322, 1330, 1334} {
		t.Run(fmt.Sprint(failing), func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			l := startedLab(t)
			doc := document("Fails", `{"id":"each","type":"each","items":"{{ inputs.items }}","as":"x","index":"i","concurrency":50,"steps":[{"id":"t","type":"try","steps":[`+
				action("get", "slow_get", `{"ms":"{{ i % 7 }}"}`, "")+`,{"id":"ok","type":"check","condition":"{{ i != inputs.n }}"}],"finally":[{"id":"y","type":"set","value":true}]}]}`, "")
			run := startRun(t, l, "fails", doc, fmt.Sprintf(`{"items":%s,"n":%d}`, numbers(3000), failing))
			l.WaitFor(t, run, time.Minute, "failed")
			var began, ended int
			must(t, l.Pool.QueryRow(ctx, `select count(*) filter (where path like '%.t&'), count(*) filter (where path like '%.y') from decision where run_id = $1`, run).Scan(&began, &ended))
			if began == 0 || began != ended {
				t.Errorf("%d iterations began and %d ran their finally", began, ended)
			}
		})
	}
}

// The workflow is lost while a cancelled run waits in a try: the walk that takes its place still owes the finally.
func TestFinallyRunsAfterTheWorkflowIsLost(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := startedLab(t)
	doc := document("Lost", `{"id":"side","type":"parallel","branches":[{"steps":[`+action("a", "get_item", `{"id":"a"}`, "")+`,{"id":"t","type":"try","steps":[`+action("b", "get_item", `{"id":"b"}`, "")+`,{"id":"nap","type":"wait","for":"1h"}],"finally":[`+action("clean", "delete_order", `{"id":"clean"}`, "")+`]}]}]}`, "")
	run := startRun(t, l, "lost", doc, `{}`)
	l.WaitFor(t, run, soon, "waiting")
	l.Lose(t, run)
	must(t, l.Starter.Cancel(ctx, run, "ana", false)) // the nudge finds no workflow and starts another one
	l.WaitFor(t, run, soon, "cancelled")
	if n := l.Target.Count("DELETE", "/orders/clean"); n != 1 {
		t.Errorf("finally ran %d times, want once", n)
	}
	if n := l.Target.Count("GET", "/item"); n != 2 {
		t.Errorf("%d reads, want 2: what is recorded is not sent again", n)
	}
}

// A cancel does not make an open question go away: finally and the end of the run wait for the person, or for force.
func TestACancelWaitsForAnUnknown(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := startedLab(t)
	doc := document("Asks", `{"id":"t","type":"try","steps":[`+action("gone", "vanish", `{"key":"c"}`, "")+`],"finally":[`+action("clean", "delete_order", `{"id":"clean"}`, "")+`]}`+","+action("never", "get_item", `{"id":"never"}`, ""), "")
	run := startRun(t, l, "asks", doc, `{}`)
	l.WaitFor(t, run, soon, "needs_attention")
	must(t, l.Starter.Cancel(ctx, run, "ana", false))
	eventually(t, func() bool {
		var nudged bool
		must(t, l.Pool.QueryRow(ctx, `select nudge_at is null from run where id = $1`, run).Scan(&nudged))
		return nudged
	})
	if n := l.Target.Count("DELETE", "/orders/clean"); n != 0 {
		t.Fatalf("finally ran %d times before the question was answered", n)
	}
	must(t, l.Starter.Settle(ctx, launch.SettleRequest{Run: run, Path: "gone", As: "succeeded", Output: []byte(`{"status":201}`), Actor: "ana"}))
	l.WaitFor(t, run, soon, "cancelled")
	if n := l.Target.Count("DELETE", "/orders/clean"); n != 1 {
		t.Errorf("finally ran %d times, want once", n)
	}
}
