package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"pawl/connections"
	"pawl/internal/e2e/lab"
	"pawl/internal/launch"
)

func TestWithdrawnBindingFailsBeforeAByteIsSent(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := startedLab(t)
	a, err := l.Publish(ctx, "one", document("One", action("get", "get_item", `{"id":"1"}`, ""), ""))
	must(t, err)
	must(t, l.Release(ctx, lab.ShopPlugin("1.1.0")))
	run, err := l.Run(ctx, a, `{}`)
	must(t, err)
	problem := l.WaitFor(t, run, soon, "failed")
	for _, want := range []string{`"unavailable"`, "superseded", "lab", "rollback", "developer.shop.v1-1-0", `"step":"get"`} {
		if !strings.Contains(problem, want) {
			t.Errorf("the error does not say %q: %s", want, problem)
		}
	}
	if n := len(l.Target.Hits()); n != 0 {
		t.Errorf("the target saw %d requests", n)
	}
	_, err = l.Stages.Rollback(ctx, "shop", connections.Version{Major: 1}, "lab")
	must(t, err)
	run, err = l.Run(ctx, a, `{}`)
	must(t, err)
	l.WaitFor(t, run, soon, "succeeded")
}

func TestHeldRunGoesOnWhenTheBindingReturns(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := startedLab(t)
	a, err := l.Publish(ctx, "held", document("Held", action("get", "get_item", `{"id":"1"}`, "")+","+action("make", "create_order", `{"title":"x"}`, ""), `,"on_unavailable":"hold"`))
	must(t, err)
	_, err = l.Stages.Disable(ctx, "shop", "ana")
	must(t, err)
	run, err := l.Run(ctx, a, `{}`)
	must(t, err)
	l.WaitFor(t, run, soon, "waiting")
	if n := len(l.Target.Hits()); n != 0 {
		t.Errorf("the target saw %d requests", n)
	}
	_, err = l.Stages.Enable(ctx, "shop", "ana")
	must(t, err)
	l.WaitFor(t, run, soon, "succeeded")
	if n := l.Target.Count("POST", "/orders"); n != 1 {
		t.Errorf("%d orders, want 1", n)
	}
}

// TestC041LostAnswerIsUnknown: a create call whose answer is lost is never repeated, whatever the retry policy says.
func TestC041LostAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, as, output, want string
		sent                   int
	}{
		{name: "succeeded", as: "succeeded", output: `{"status":201,"headers":{},"body":{"id":"x"}}`, want: "succeeded", sent: 1},
		{name: "failed", as: "failed", want: "failed", sent: 1},
		{name: "retry", as: "retry", want: "needs_attention", sent: 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			l := startedLab(t)
			doc := document("Vanish", `{"id":"again","type":"retry","policy":{"max_attempts":3,"initial":"10ms"},"steps":[`+action("gone", "vanish", `{"key":"k"}`, "")+`]}`+","+action("after", "get_item", `{"id":"1"}`, ""), "")
			run := startRun(t, l, "vanish", doc, `{}`)
			l.WaitFor(t, run, soon, "needs_attention")
			var output []byte
			if tt.output != "" {
				output = []byte(tt.output)
			}
			must(t, l.Starter.Settle(ctx, launch.SettleRequest{Run: run, Path: "gone", As: tt.as, Output: output, Actor: "ana"}))
			eventually(t, func() bool { return l.Target.Count("POST", "/vanish") == tt.sent })
			l.WaitFor(t, run, soon, tt.want)
			if n := l.Target.Count("POST", "/vanish"); n != tt.sent {
				t.Errorf("sent %d times, want %d", n, tt.sent)
			}
		})
	}
}

func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(soon); !ok(); {
		if time.Now().After(deadline) {
			t.Fatal("it did not come true in time")
		}
		<-time.After(10 * time.Millisecond)
	}
}

// A slow call in one branch must neither hold up a wait in another one nor a cancel.
func TestSlowCallBlocksNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := startedLab(t)
	doc := document("Side", `{"id":"side","type":"parallel","branches":[{"steps":[`+action("slow", "slow_get", `{"ms":"20000"}`, `,"timeout":"60s"`)+`]},{"steps":[{"id":"nap","type":"wait","for":"1s"},`+action("after", "get_item", `{"id":"after"}`, "")+`]}]}`+","+action("never", "get_item", `{"id":"never"}`, ""), "")
	began := time.Now()
	run := startRun(t, l, "side", doc, `{}`)
	eventually(t, func() bool { return l.Target.Count("GET", "/item/after") == 1 })
	t.Logf("the wait of 1 s was over after %v", time.Since(began))
	began = time.Now()
	must(t, l.Starter.Cancel(ctx, run, "ana", false))
	l.WaitFor(t, run, soon, "cancelled")
	t.Logf("the cancel took %v", time.Since(began))
	if n := l.Target.Count("GET", "/item/never"); n != 0 {
		t.Errorf("a step after the cancel was sent %d times", n)
	}
}

func TestCancelRunsFinallyAndLetsAnEffectEnd(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := startedLab(t)
	doc := document("Cancel", `{"id":"t","type":"try","steps":[`+action("slow", "slow_post", `{"ms":"2000","title":"x"}`, "")+`,`+action("never", "create_order", `{"title":"never"}`, "")+`],"finally":[`+action("clean", "delete_order", `{"id":"clean"}`, "")+`]}`, "")
	run := startRun(t, l, "cancel", doc, `{}`)
	eventually(t, func() bool { return l.Target.Count("POST", "/slow") == 1 })
	must(t, l.Starter.Cancel(ctx, run, "ana", false))
	l.WaitFor(t, run, soon, "cancelled")
	if l.Target.Count("DELETE", "/orders/clean") != 1 || l.Target.Count("POST", "/orders") != 0 {
		t.Errorf("finally ran %d times, the step after the cancel %d times", l.Target.Count("DELETE", "/orders/clean"), l.Target.Count("POST", "/orders"))
	}
	var state string
	must(t, l.Pool.QueryRow(ctx, `select state from attempt where run_id = $1 and path = 'slow'`, run).Scan(&state))
	if state != "answered" {
		t.Errorf("the effect on the wire is %s, want answered", state)
	}
}

func TestDisableInTheMiddleOfARun(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := startedLab(t)
	doc := document("Middle", action("first", "create_order", `{"title":"first"}`, "")+`,{"id":"nap","type":"wait","for":"2s"},`+action("second", "create_order", `{"title":"second"}`, ""), "")
	run := startRun(t, l, "middle", doc, `{}`)
	eventually(t, func() bool { return l.Target.Count("POST", "/orders") == 1 })
	_, err := l.Stages.Disable(ctx, "shop", "ana")
	must(t, err)
	problem := l.WaitFor(t, run, soon, "failed")
	if !strings.Contains(problem, "unavailable") || !strings.Contains(problem, "second") || !strings.Contains(problem, "disabled") {
		t.Errorf("the error is %s", problem)
	}
	var state string
	must(t, l.Pool.QueryRow(ctx, `select state from attempt where run_id = $1 and path = 'first'`, run).Scan(&state))
	if state != "answered" || l.Target.Count("POST", "/orders") != 1 {
		t.Errorf("first is %s, %d orders", state, l.Target.Count("POST", "/orders"))
	}
}

// A draft may hold an expression that can't be read: its run fails and says where, it does not hang.
func TestARunOfABrokenDraftFails(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := startedLab(t)
	a, err := l.Publish(ctx, "broken", document("Broken", action("get", "get_item", `{"id":"{{ inputs. }}"}`, ""), ""))
	must(t, err)
	run, err := l.Run(ctx, a, `{}`)
	must(t, err)
	problem := l.WaitFor(t, run, soon, "failed")
	if !strings.Contains(problem, `"expression"`) || !strings.Contains(problem, `"step":"get"`) {
		t.Errorf("the error is %s", problem)
	}
}
