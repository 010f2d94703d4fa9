package e2e_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pawl/connections"
	"pawl/internal/e2e/lab"
	"pawl/internal/local/temporalserver"
	"pawl/internal/store/storetest"
)

// temporalAddress starts the process's Temporal once. Tests have no constructor that could hand it around.
//
//nolint:gochecknoglobals // see above
var temporalAddress = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pawl-e2e-")
	if err != nil {
		return "", err
	}
	s, err := temporalserver.Start(context.Background(), temporalserver.Config{File: filepath.Join(dir, "temporal.db")})
	if err != nil {
		return "", err
	}
	return s.HostPort(), nil
})

func quiet() *slog.Logger {
	level := slog.LevelError
	if os.Getenv("PAWL_TEST_LOG") != "" {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}

// newLab gives a lab with the shop in production, its account and its grants, without an engine.
func newLab(t *testing.T) *lab.Lab {
	t.Helper()
	ctx := context.Background()
	address, err := temporalAddress()
	if err != nil {
		t.Fatal(err)
	}
	l, err := lab.New(ctx, storetest.New(t), address, quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	must(t, l.Release(ctx, lab.ShopPlugin("1.0.0")))
	must(t, l.Account(ctx, lab.Shop))
	must(t, l.Grant(ctx, lab.Shop, lab.ShopWrites()...))
	return l
}

// startedLab is newLab with its engine running.
func startedLab(t *testing.T) *lab.Lab {
	t.Helper()
	l := newLab(t)
	must(t, l.Start(context.Background()))
	return l
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// action is an action step of the shop.
func action(id, name, input, more string) string {
	return fmt.Sprintf(`{"id":%q,"type":"action","action":"%s.%s","account":"main","input":%s%s}`, id, connections.ConnectionIdentity(lab.Shop), name, input, more)
}

func document(name, steps, more string) string {
	return fmt.Sprintf(`{"format":"pawl-automation@1","name":%q,"steps":[%s]%s}`, name, steps, more)
}
