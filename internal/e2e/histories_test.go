package e2e_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/encoding/protojson"

	"pawl/internal/e2e/lab"
	"pawl/internal/e2e/process"
	"pawl/internal/launch"
	"pawl/workflows"
)

// update keeps the histories of these runs under workflows/testdata/histories, where every later version must replay
// them: go test ./internal/e2e -run Histories -update.
var update = flag.Bool("update", false, "keep the histories")

// Histories of runs through every part of the walk replay without a difference, as they stand and, once kept, for ever.
func TestHistoriesReplay(t *testing.T) {
	t.Parallel()
	l := startedLab(t)
	ctx := context.Background()
	unsettled := func(t *testing.T, run uuid.UUID) {
		l.WaitFor(t, run, soon, "needs_attention")
		must(t, l.Starter.Settle(ctx, launch.SettleRequest{Run: run, Path: "gone", As: "retry", Actor: "ana"}))
		l.WaitFor(t, run, soon, "needs_attention")
		eventually(t, func() bool { return l.Target.Count("POST", "/vanish/h") == 2 })
		must(t, l.Starter.Settle(ctx, launch.SettleRequest{Run: run, Path: "gone", As: "failed", Actor: "ana"}))
		l.WaitFor(t, run, soon, "failed")
	}
	tests := []struct {
		name, doc string
		end       func(t *testing.T, run uuid.UUID)
	}{
		{name: "parallel-retry-try", doc: document("A", strings.Join([]string{
			`{"id":"side","type":"parallel","branches":[{"steps":[` + action("a", "get_item", `{"id":"1"}`, "") + `,{"id":"nap","type":"wait","for":"1200ms"}]},{"steps":[` + action("b", "slow_get", `{"ms":"1500"}`, "") + `]}]}`,
			`{"id":"again","type":"retry","policy":{"max_attempts":4,"initial":"1100ms","factor":1},"steps":[` + action("f", "flaky_get", `{"key":"h1","n":"2"}`, "") + `]}`,
			`{"id":"t","type":"try","steps":[` + action("bad", "status_get", `{"code":"404"}`, "") + `],"catch":[{"id":"why","type":"set","value":"{{ error.kind }}"}],"finally":[` + action("fin", "get_item", `{"id":"f"}`, "") + `]}`,
			action("sk", "get_item", `{"id":"never"}`, `,"if":"{{ false }}"`),
		}, ","), ""), end: succeeded(l)},
		{name: "loops-branch-restart", doc: document("B", strings.Join([]string{
			`{"id":"each","type":"each","items":"{{ [1,2,3,4,5] }}","as":"x","concurrency":2,"steps":[{"id":"way","type":"branch","cases":[{"when":"{{ x > 3 }}","steps":[` + action("big", "create_order", `{"title":"h {{ x }}"}`, "") + `]}],"otherwise":[{"id":"inner","type":"each","items":"{{ [x, x] }}","as":"y","steps":[` + action("g", "get_item", `{"id":"{{ y }}"}`, "") + `]}]}]}`,
			`{"id":"re","type":"retry","restart":true,"policy":{"max_attempts":3,"initial":"10ms"},"steps":[` + action("first", "get_item", `{"id":"r"}`, "") + `,` + action("second", "flaky_get", `{"key":"h2","n":"1"}`, "") + `]}`,
		}, ","), ""), end: succeeded(l)},
		{name: "unknown-settled", doc: document("C", action("gone", "vanish", `{"key":"h"}`, ""), ""), end: unsettled},
		{name: "cancelled-finally", doc: document("D", `{"id":"t","type":"try","steps":[{"id":"nap","type":"wait","for":"1h"}],"finally":[`+action("fin", "delete_order", `{"id":"h"}`, "")+`]}`, ""), end: func(t *testing.T, run uuid.UUID) {
			l.WaitFor(t, run, soon, "waiting")
			must(t, l.Starter.Cancel(ctx, run, "ana", false))
			l.WaitFor(t, run, soon, "cancelled")
		}},
		{name: "stop-timeout", doc: document("E", `{"id":"t","type":"try","steps":[{"id":"box","type":"parallel","timeout":"200ms","branches":[{"steps":[{"id":"nap","type":"wait","for":"2s"}]}]}],"catch":[{"id":"end","type":"stop","outcome":"succeeded"}]}`, ""), end: succeeded(l)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := startRun(t, l, "h-"+tt.name, tt.doc, `{}`)
			tt.end(t, run)
			for i, h := range l.Histories(t, run) {
				replayOne(t, h)
				if *update {
					keepHistory(t, tt.name, i, h)
				}
			}
		})
	}
}

func succeeded(l *lab.Lab) func(*testing.T, uuid.UUID) {
	return func(t *testing.T, run uuid.UUID) {
		t.Helper()
		l.WaitFor(t, run, time.Minute, "succeeded")
	}
}

func replayOne(t *testing.T, h *history.History) {
	t.Helper()
	r := worker.NewWorkflowReplayer()
	r.RegisterWorkflowWithOptions(workflows.Run, workflow.RegisterOptions{Name: workflows.RunWorkflow})
	must(t, r.ReplayWorkflowHistory(nil, h))
}

func keepHistory(t *testing.T, name string, i int, h *history.History) {
	t.Helper()
	b, err := protojson.Marshal(h)
	must(t, err)
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	_, err = z.Write(b)
	must(t, err)
	must(t, z.Close())
	dir := filepath.Join(process.Root(), "workflows", "testdata", "histories")
	must(t, os.MkdirAll(dir, 0o755))
	file := "v1-" + name + "-" + string(rune('0'+i)) + ".json.gz"
	must(t, os.WriteFile(filepath.Join(dir, file), buf.Bytes(), 0o644))
}
