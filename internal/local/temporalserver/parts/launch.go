package parts

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/server/temporal"
)

// Launch starts the services and waits until they answer at the address, or until one of them meets an error that
// it calls fatal. What must be done before it can answer, prepare does once it runs; it is tried until ctx ends.
// The server must have been made with the logger; after Launch it logs.
func Launch(ctx context.Context, s temporal.Server, address string, prepare func() error, log *Logger) error {
	started := make(chan error, 1)
	go func() {
		err := s.Start()
		if err == nil {
			err = until(ctx, prepare)
		}
		if err == nil {
			err = awaitReady(ctx, address)
		}
		started <- err
	}()
	select {
	case err := <-started:
		if err == nil {
			log.phase.Store(running)
		}
		return err
	case err := <-log.fatal:
		return err
	case <-ctx.Done():
		return fmt.Errorf("wait for the server: %w", ctx.Err())
	}
}

// End stops the server, also one that has only half started, and waits no longer than the limit.
func End(s temporal.Server, log *Logger, limit time.Duration) error {
	log.phase.Store(stopping)
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil { // stopping what has half started may meet one
				done <- fmt.Errorf("stop Temporal: panic: %v", p)
			}
		}()
		done <- s.Stop()
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		return fmt.Errorf("stop Temporal: not done after %v", limit)
	}
}
