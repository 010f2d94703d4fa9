package temporalserver_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"pawl/internal/local/temporalserver"
)

// TestMain turns this program into a server with a waiting workflow when a test asks for one in another process.
func TestMain(m *testing.M) {
	if file := os.Getenv("PAWL_TEST_HOLD"); file != "" {
		if err := hold(file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func quiet() sdklog.Logger { return sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)) }

func hold(file string) error {
	ctx := context.Background()
	s, err := temporalserver.Start(ctx, temporalserver.Config{File: file})
	if err != nil {
		return err
	}
	c, err := client.DialContext(ctx, client.Options{HostPort: s.HostPort(), Logger: quiet()})
	if err != nil {
		return err
	}
	if _, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "kept", TaskQueue: "queue"}, greet, "again"); err != nil {
		return err
	}
	fmt.Println("ready")
	select {}
}
