package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Listen calls heard with the payload of every notification on a channel of the database, until ctx ends or the
// connection breaks. It uses a connection of its own, which never goes back to the pool.
func (s *Store) Listen(ctx context.Context, channel string, heard func(payload string)) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", channel, err)
	}
	raw := conn.Hijack()
	defer raw.Close(context.WithoutCancel(ctx))
	if _, err := raw.Exec(ctx, "listen "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return fmt.Errorf("listen on %s: %w", channel, err)
	}
	for {
		n, err := raw.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("listen on %s: %w", channel, err)
		}
		heard(n.Payload)
	}
}
