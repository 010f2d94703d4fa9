package temporalpg_test

import (
	"log/slog"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"pawl/internal/e2e/temporalpg"
	"pawl/internal/local/pgserver"
)

func start(t *testing.T, dsn string) (*temporalpg.Server, client.Client) {
	t.Helper()
	s, err := temporalpg.Start(t.Context(), dsn, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.DialContext(t.Context(), client.Options{
		HostPort: s.HostPort(), Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return s, c
}

func hello(name string) (string, error) { return "hello " + name, nil }

func greet(ctx workflow.Context, name string) (greeting string, err error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	err = workflow.ExecuteActivity(ctx, hello, name).Get(ctx, &greeting)
	return greeting, err
}

// TestRunsOnASocketAndGoesOn starts a workflow, restarts Temporal and lets a worker finish it.
func TestRunsOnASocketAndGoesOn(t *testing.T) {
	t.Parallel()
	pg, err := pgserver.Start(t.Context(), pgserver.Config{Dir: t.TempDir(), Mode: pgserver.Throwaway})
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Stop(t.Context())
	first, c := start(t, pg.DSN())
	if _, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "kept", TaskQueue: "queue"}, greet, "again"); err != nil {
		t.Fatal(err)
	}
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	second, c := start(t, pg.DSN())
	w := worker.New(c, "queue", worker.Options{})
	w.RegisterWorkflow(greet)
	w.RegisterActivity(hello)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := c.GetWorkflow(t.Context(), "kept", "").Get(t.Context(), &got); err != nil || got != "hello again" {
		t.Errorf("got %q, %v", got, err)
	}
	w.Stop()
	if err := second.Stop(); err != nil {
		t.Error(err)
	}
}
