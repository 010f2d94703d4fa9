package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The channels on which processes tell each other of changes through PostgreSQL. What is told is a hint: whoever
// misses it polls.
const (
	// WorkChannel tells of queued runs and nudges; the payload is empty.
	WorkChannel = "pawl_work"
	// RunsChannel tells of changed runs; the payload is their ids with commas between, or * for many.
	RunsChannel = "pawl_runs"
	// BindingsChannel tells that an identity, the payload, is routed again, for the runs that are held for it.
	BindingsChannel = "pawl_bindings"
)

// Notify tells whoever listens on a channel. PostgreSQL takes payloads of fewer than 8,000 bytes, and a lock of the
// whole database for each: bundle what you tell, and tell it outside of transactions that do something else.
func (s *Store) Notify(ctx context.Context, channel, payload string) error {
	if _, err := s.pool.Exec(ctx, `select pg_notify($1, $2)`, channel, payload); err != nil {
		return fmt.Errorf("notify %s: %w", channel, err)
	}
	return nil
}

// Listen calls heard with every notification on the channels, until ctx ends or the connection breaks. It uses a
// connection of its own, which never goes back to the pool.
func (s *Store) Listen(ctx context.Context, channels []string, heard func(channel, payload string)) error {
	names := strings.Join(channels, ", ")
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", names, err)
	}
	raw := conn.Hijack()
	defer raw.Close(context.WithoutCancel(ctx))
	for _, channel := range channels {
		if _, err := raw.Exec(ctx, "listen "+pgx.Identifier{channel}.Sanitize()); err != nil {
			return fmt.Errorf("listen on %s: %w", channel, err)
		}
	}
	for {
		n, err := raw.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("listen on %s: %w", names, err)
		}
		heard(n.Channel, n.Payload)
	}
}
