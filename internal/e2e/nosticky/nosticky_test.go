// Package nosticky runs one automation with the worker's cache of workflows at 0: every workflow task then replays the
// whole history, as after the death of a worker.
package nosticky_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.temporal.io/sdk/worker"

	"pawl/internal/e2e/lab"
	"pawl/internal/local/temporalserver"
	"pawl/internal/store/storetest"
)

func TestMain(m *testing.M) {
	worker.SetStickyWorkflowCacheSize(0)
	storetest.Main(m)
}

// TestC098ValuesStayOverReplays: what depends on the time and on chance is evaluated once.
func TestC098ValuesStayOverReplays(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	temporal, err := temporalserver.Start(ctx, temporalserver.Config{File: filepath.Join(t.TempDir(), "temporal.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = temporal.Stop() })
	l, err := lab.New(ctx, storetest.New(t), temporal.HostPort(), slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	for _, err := range []error{l.Release(ctx, lab.ShopPlugin("1.0.0")), l.Account(ctx, lab.Shop), l.Grant(ctx, lab.Shop, lab.ShopWrites()...), l.Start(ctx)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	doc, err := os.ReadFile("testdata/values.json")
	if err != nil {
		t.Fatal(err)
	}
	a, err := l.Publish(ctx, "values", string(doc))
	if err != nil {
		t.Fatal(err)
	}
	run, err := l.Run(ctx, a, `{}`)
	if err != nil {
		t.Fatal(err)
	}
	l.WaitFor(t, run, time.Minute, "succeeded")
	var out string
	if err := l.Pool.QueryRow(ctx, `select output from run where id = $1`, run).Scan(&out); err != nil {
		t.Fatal(err)
	}
	if out != `{"same_id":true,"same_time":true}` && out != `{"same_time":true,"same_id":true}` {
		t.Errorf("output %s", out)
	}
	if d := l.Target.Doubled(); d != nil {
		t.Errorf("doubled: %v", d)
	}
}
