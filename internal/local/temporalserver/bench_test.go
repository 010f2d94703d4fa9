package temporalserver_test

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"pawl/internal/local/temporalserver"
)

// tenLocal is a workflow of ten local activities that do nothing: what is left is the cost of a run.
func tenLocal(ctx workflow.Context) error {
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: time.Minute})
	for range 10 {
		if err := workflow.ExecuteLocalActivity(ctx, hello, "x").Get(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkTenLocalSteps runs 32 workflows at a time (on two cores).
func BenchmarkTenLocalSteps(b *testing.B) {
	for _, bb := range []struct {
		name   string
		tuning temporalserver.Tuning
	}{{name: "tuned", tuning: temporalserver.Tuned}, {name: "defaults", tuning: temporalserver.Defaults}} {
		b.Run(bb.name, func(b *testing.B) {
			s, err := temporalserver.Start(b.Context(), temporalserver.Config{File: filepath.Join(b.TempDir(), "t.db"), Tuning: bb.tuning})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Stop()
			c, err := client.Dial(client.Options{HostPort: s.HostPort(), Logger: quiet()})
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			w := worker.New(c, "queue", worker.Options{})
			w.RegisterWorkflow(tenLocal)
			w.RegisterActivity(hello)
			if err := w.Start(); err != nil {
				b.Fatal(err)
			}
			defer w.Stop()
			var failed atomic.Pointer[error]
			b.SetParallelism(16)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r, err := c.ExecuteWorkflow(b.Context(), client.StartWorkflowOptions{TaskQueue: "queue", EnableEagerStart: true}, tenLocal)
					if err == nil {
						err = r.Get(b.Context(), nil)
					}
					if err != nil {
						failed.Store(&err)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
			if err := failed.Load(); err != nil {
				b.Fatal(*err)
			}
		})
	}
}
