package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"pawl/internal/e2e/lab"
	"pawl/internal/local/pgserver"
	"pawl/internal/local/temporalserver"
	"pawl/internal/store"
	"pawl/migrations"
)

// world is what all sides share: one target, one PostgreSQL, one tuned Temporal, and one on its default settings.
type world struct {
	dir      string
	pg       *pgserver.Server
	pool     *pgxpool.Pool
	tuned    *temporalserver.Server
	defaults *temporalserver.Server
	lab      *lab.Lab
	plain    *http.Client
	bare     bareSide // on the tuned server
	standard bareSide // on the server with default settings
	ids      map[string]uuid.UUID
	wait     *waiter
}

// bareSide is a bare workflow on a server.
type bareSide struct {
	client client.Client
	worker worker.Worker
}

func newWorld(ctx context.Context) (*world, error) {
	w := &world{ids: map[string]uuid.UUID{}, wait: &waiter{open: map[uuid.UUID]chan string{}, early: map[uuid.UUID]string{}}}
	var err error
	if w.dir, err = os.MkdirTemp("", "pawl-bench-"); err != nil {
		return nil, err
	}
	if w.pg, err = pgserver.Start(ctx, pgserver.Config{Dir: filepath.Join(w.dir, "pg")}); err != nil {
		return nil, err
	}
	if w.pool, err = store.Open(ctx, w.pg.DSN(), 24); err != nil {
		return nil, err
	}
	if _, err = migrations.Up(ctx, w.pool); err != nil {
		return nil, err
	}
	w.pool.Reset() // a connection from before the first migration knows no epoch
	if w.tuned, err = temporalserver.Start(ctx, temporalserver.Config{File: filepath.Join(w.dir, "tuned.db")}); err != nil {
		return nil, err
	}
	if w.defaults, err = temporalserver.Start(ctx, temporalserver.Config{File: filepath.Join(w.dir, "defaults.db"), Tuning: temporalserver.Defaults}); err != nil {
		return nil, err
	}
	if err := w.pawl(ctx); err != nil {
		return nil, err
	}
	if w.bare, err = w.bareOn(w.tuned); err != nil {
		return nil, err
	}
	w.standard, err = w.bareOn(w.defaults)
	return w, err
}

func quiet() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
}

// pawl sets up Pawl's side with its automations.
func (w *world) pawl(ctx context.Context) error {
	var err error
	if w.lab, err = lab.New(ctx, w.pool, w.tuned.HostPort(), quiet()); err != nil {
		return err
	}
	w.lab.Target.Forget()
	if err := w.lab.Release(ctx, lab.ShopPlugin("1.0.0")); err != nil {
		return err
	}
	if err := w.lab.Account(ctx, lab.Shop); err != nil {
		return err
	}
	if err := w.lab.Grant(ctx, lab.Shop, lab.ShopWrites()...); err != nil {
		return err
	}
	for _, n := range []int{10, 100, 1000} {
		for kind, act := range map[string]string{"read": `"get_item","input":{"id":"1"}`, "write": `"create_order","input":{"title":"a title"}`} {
			name := fmt.Sprintf("%s%d", kind, n)
			if w.ids[name], err = w.lab.Publish(ctx, name, steps(n, act)); err != nil {
				return err
			}
		}
	}
	pool := x509.NewCertPool()
	pool.AddCert(w.lab.Target.Server.Certificate())
	w.plain = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, MaxIdleConns: 512, MaxIdleConnsPerHost: 256}}
	w.lab.Ended = w.wait.end
	if err := w.lab.Start(ctx); err != nil {
		return err
	}
	return nil
}

// steps is an automation of n equal actions; act is the action's name and what follows it.
func steps(n int, act string) string {
	name, rest, _ := strings.Cut(strings.TrimPrefix(act, `"`), `"`)
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"id":"s%d","type":"action","action":"%s.%s","account":"main"%s}`, i, lab.Shop, name, rest)
	}
	return `{"format":"pawl-automation@1","name":"bench","steps":[` + strings.Join(list, ",") + `]}`
}

func (w *world) bareOn(s *temporalserver.Server) (bareSide, error) {
	c, err := client.Dial(client.Options{HostPort: s.HostPort(), Namespace: temporalserver.Namespace, Logger: sdklog.NewStructuredLogger(quiet())})
	if err != nil {
		return bareSide{}, err
	}
	wk := worker.New(c, bareQueue, worker.Options{MaxConcurrentActivityExecutionSize: 400, MaxConcurrentWorkflowTaskExecutionSize: 200, MaxConcurrentEagerActivityExecutionSize: 400, MaxConcurrentWorkflowTaskPollers: 8})
	wk.RegisterWorkflow(bareFlow)
	wk.RegisterActivity(&caller{client: w.plain, url: w.lab.Target.Server.URL})
	return bareSide{c, wk}, wk.Start()
}

func (w *world) close() {
	w.bare.worker.Stop()
	w.standard.worker.Stop()
	w.lab.Close()
	_ = w.tuned.Stop()
	_ = w.defaults.Stop()
	w.pool.Close()
	_ = w.pg.Stop(context.Background())
	_ = os.RemoveAll(w.dir)
}

// caller is the bare activity: the call with net/http and nothing else.
type caller struct {
	client *http.Client
	url    string
}

// Get sends one GET.
func (c *caller) Get(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/item/1", nil)
	if err != nil {
		return "", err
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

// waiter learns of the ends of runs from the engine, so that waiting costs nothing.
type waiter struct {
	mu    sync.Mutex
	open  map[uuid.UUID]chan string
	early map[uuid.UUID]string // ended before anybody waited
}
