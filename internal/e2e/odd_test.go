package e2e_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	"pawl/internal/e2e/lab"
	"pawl/internal/fault"
	"pawl/internal/launch"
)

// A retry that restarts its body shows those outside of it what its latest round gave, at every depth and in loops.
func TestARestartedRetryShowsItsLatestRound(t *testing.T) {
	t.Parallel()
	l := startedLab(t)
	restart := func(id, steps string) string {
		return `{"id":"` + id + `","type":"retry","restart":true,"policy":{"max_attempts":4,"initial":"0s"},"steps":[` + steps + `]}`
	}
	flaky := func(id, key, n string) string {
		return action(id, "flaky_get", `{"key":"`+key+`","n":"`+n+`"}`, "")
	}
	round := `{"id":"round","type":"set","value":"{{ uuid() }}"},` + flaky("get", "r1", "2") + `,{"id":"same","type":"set","value":"{{ steps.round.output }}"}`
	tests := []struct{ name, doc, want string }{
		{name: "behind it", doc: document("A", restart("re", round), `,"output":{"tries":"{{ steps.get.output.body.tries }}","same":"{{ steps.same.output == steps.round.output }}"}`), want: `{"tries":3,"same":true}`},
		{name: "in another one", doc: document("B", restart("out", restart("in1", flaky("a", "r2", "1"))+`,`+flaky("b", "r3", "1")), `,"output":"{{ [steps.a.output.body.tries, steps.b.output.body.tries] }}"`), want: `[3,2]`},
		{name: "around a loop", doc: document("C", restart("re", `{"id":"each","type":"each","items":[1,2],"as":"x","steps":[`+flaky("a", "r4-{{ x }}", "1")+`]}`), `,"output":"{{ steps.each.output.map(o, o.body.tries) }}"`), want: `[3,2]`},
		{name: "in a loop", doc: document("D", `{"id":"each","type":"each","items":[1,2],"as":"x","steps":[`+restart("out", restart("in1", flaky("a", "r5-{{ x }}", "1"))+`,`+flaky("b", "r6-{{ x }}", "1")+`,{"id":"sum","type":"set","value":"{{ steps.a.output.body.tries }}"}`)+`]}`, `,"output":"{{ steps.each.output }}"`), want: `[3,3]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := startRun(t, l, "restart-"+strings.ReplaceAll(tt.name, " ", "-"), tt.doc, `{}`)
			l.WaitFor(t, run, soon, "succeeded")
			if got := output(t, l, run); !sameJSON(t, got, tt.want) {
				t.Errorf("output %s, want %s", got, tt.want)
			}
		})
	}
}

// The end of a container's deadline is its failure: nothing inside catches it, what stands around it does, and a wait
// that it cut short does not keep the run waiting.
func TestADeadlineEndsItsContainer(t *testing.T) {
	t.Parallel()
	l := startedLab(t)
	nap := `{"id":"nap","type":"wait","for":"1h"}`
	inside := map[string]string{
		"a wait":            nap,
		"a try":             `{"id":"inner","type":"try","steps":[` + nap + `],"catch":[]}`,
		"an error accepted": `{"id":"inner","type":"each","items":[1,2],"as":"x","on_error":"continue","steps":[` + nap + `]}`,
	}
	for name, steps := range inside {
		t.Run(name, func(t *testing.T) {
			box := `{"id":"box","type":"parallel","timeout":"200ms","branches":[{"steps":[` + steps + `]}]}`
			doc := document("Deadline", `{"id":"t","type":"try","steps":[`+box+`],"catch":[{"id":"why","type":"set","value":"{{ error.kind }} {{ error.reason }} {{ error.path }}"},`+action("after", "slow_get", `{"ms":"3000"}`, "")+`]}`, `,"output":"{{ steps.why.output }}"`)
			run := startRun(t, l, "deadline-"+strings.ReplaceAll(name, " ", "-"), doc, `{}`)
			eventually(t, func() bool { return attempts(t, l, run, "after") == 1 })
			if state, _, err := l.State(context.Background(), run); err != nil || state != "running" {
				t.Errorf("the run is %s (%v) while a step is under way, want running", state, err)
			}
			l.WaitFor(t, run, soon, "succeeded")
			if got, want := output(t, l, run), `"timeout deadline box"`; got != want {
				t.Errorf("output %s, want %s", got, want)
			}
		})
	}
}

func attempts(t *testing.T, l *lab.Lab, run uuid.UUID, path string) (n int) {
	t.Helper()
	must(t, l.Pool.QueryRow(context.Background(), `select count(*) from attempt where run_id = $1 and path = $2`, run, path).Scan(&n))
	return n
}

// The error of a run names the expression and its place, wherever in the document the expression stands.
func TestARunThatFailsNamesThePlace(t *testing.T) {
	t.Parallel()
	l := startedLab(t)
	missing := `"{{ inputs.zz }}"`
	tests := []struct{ name, steps, output, want string }{
		{name: "if of a set", steps: `{"id":"z","type":"set","value":1,"if":` + missing + `}`, want: "/steps/0/if"},
		{name: "if of a loop", steps: `{"id":"z","type":"each","items":[1],"as":"x","if":` + missing + `,"steps":[{"id":"y","type":"set","value":1}]}`, want: "/steps/0/if"},
		{name: "if of an action", steps: action("z", "get_item", `{"id":"1"}`, `,"if":`+missing), want: "/steps/0/if"},
		{name: "value", steps: `{"id":"z","type":"set","value":{"a":[1,` + missing + `]}}`, want: "/steps/0/value/a/1"},
		{name: "output", steps: `{"id":"z","type":"set","value":1}`, output: `,"output":{"a":[` + missing + `]}`, want: "/output/a/0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := startRun(t, l, "place-"+strings.ReplaceAll(tt.name, " ", "-"), document("Place", tt.steps, tt.output), `{}`)
			f := fault.FromJSON([]byte(l.WaitFor(t, run, soon, "failed")))
			if f.Reason != "missing" || f.Where == nil || f.Where.Pointer != tt.want || f.Where.Expression != "inputs.zz" {
				t.Errorf("the error is %s %s at %+v, want missing at %s", f.Kind, f.Reason, f.Where, tt.want)
			}
		})
	}
}

// What an unknown step of a run that has ended was can still be recorded, but nothing would try it again.
// Only force ends a run with an open question; the question stays, but nothing would make another attempt.
func TestAnUnknownOfAnEndedRunIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := startedLab(t)
	run := startRun(t, l, "ended", document("Ended", action("gone", "vanish", `{"key":"ended"}`, ""), ""), `{}`)
	l.WaitFor(t, run, soon, "needs_attention")
	must(t, l.Starter.Cancel(ctx, run, "ana", true))
	l.WaitFor(t, run, soon, "cancelled")
	err := l.Starter.Settle(ctx, launch.SettleRequest{Run: run, Path: "gone", As: "retry", Actor: "ana"})
	if !fault.Is(err, fault.Conflict) || fault.From(err).Reason != "run_ended" {
		t.Errorf("settling as retry: %v, want run_ended", err)
	}
	must(t, l.Starter.Settle(ctx, launch.SettleRequest{Run: run, Path: "gone", As: "failed", Actor: "ana"}))
}
