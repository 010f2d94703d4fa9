package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"
)

const bareQueue = "bare"

// bareFlow is a workflow of n local activities and nothing else.
func bareFlow(ctx workflow.Context, n int) error {
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: time.Minute})
	var c *caller
	for range n {
		var out string
		if err := workflow.ExecuteLocalActivity(ctx, c.Get).Get(ctx, &out); err != nil {
			return err
		}
	}
	return nil
}

// one runs once and returns when the run has ended.
type one func(ctx context.Context) error

func (s bareSide) one(n int) one {
	return func(ctx context.Context) error {
		r, err := s.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: bareQueue, EnableEagerStart: true}, bareFlow, n)
		if err != nil {
			return err
		}
		return r.Get(ctx, nil)
	}
}

func (w *world) one(automation string) one {
	return func(ctx context.Context) error {
		id, err := w.lab.Run(ctx, w.ids[automation], `{}`)
		if err != nil {
			return err
		}
		return w.wait.ended(ctx, id)
	}
}

// load runs at a concurrency for a time and gives runs per second.
func load(ctx context.Context, run one, concurrency int, length time.Duration) (float64, error) {
	var n atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	began := time.Now()
	for range concurrency {
		wg.Go(func() {
			for time.Since(began) < length && failed.Load() == nil {
				if err := run(ctx); err != nil {
					failed.Store(&err)
					return
				}
				n.Add(1)
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(n.Load()) / time.Since(began).Seconds(), nil
}

func newWaiter(pool *pgxpool.Pool) *waiter {
	w := &waiter{pool: pool, open: map[uuid.UUID]chan error{}, quit: make(chan struct{})}
	go w.loop()
	return w
}

func (w *waiter) close() { close(w.quit) }

func (w *waiter) ended(ctx context.Context, id uuid.UUID) error {
	ch := make(chan error, 1)
	w.mu.Lock()
	w.open[id] = ch
	w.mu.Unlock()
	select {
	case err := <-ch:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *waiter) loop() {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-w.quit:
			return
		case <-tick.C:
		}
		w.look(context.Background())
	}
}

func (w *waiter) look(ctx context.Context) {
	w.mu.Lock()
	ids := make([]uuid.UUID, 0, len(w.open))
	for id := range w.open {
		ids = append(ids, id)
	}
	w.mu.Unlock()
	if len(ids) == 0 {
		return
	}
	rows, err := w.pool.Query(ctx, `select id, state, coalesce(error, '') from run where id = any($1) and finished_at is not null`, ids)
	if err != nil {
		return
	}
	var id uuid.UUID
	var state, problem string
	_, _ = pgx.ForEachRow(rows, []any{&id, &state, &problem}, func() error {
		w.mu.Lock()
		defer w.mu.Unlock()
		var err error
		if state != "succeeded" {
			err = fmt.Errorf("run %s %s: %s", id, state, problem)
		}
		w.open[id] <- err
		delete(w.open, id)
		return nil
	})
}
