package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
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

func (w *waiter) end(id uuid.UUID, state string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ch, ok := w.open[id]; ok {
		delete(w.open, id)
		ch <- state
		return
	}
	w.early[id] = state
}

// ended waits for the end of a run, which must be a success.
func (w *waiter) ended(ctx context.Context, id uuid.UUID) error {
	ch := make(chan string, 1)
	w.mu.Lock()
	if state, ok := w.early[id]; ok {
		delete(w.early, id)
		ch <- state
	} else {
		w.open[id] = ch
	}
	w.mu.Unlock()
	select {
	case state := <-ch:
		if state != "succeeded" {
			return fmt.Errorf("run %s %s", id, state)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
