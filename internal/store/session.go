package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Sessions keeps browser sessions, as the session library's CtxStore wants it. Expired rows are removed with
// each sign-in.
type Sessions struct{ pool *pgxpool.Pool }

// Sessions gives the session store of the same database.
func (s *Store) Sessions() Sessions { return Sessions{s.pool} }

// FindCtx gives the data of an unexpired session.
func (s Sessions) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	var data []byte
	err := s.pool.QueryRow(ctx, `select data from session where token = $1 and expiry > clock_timestamp()`, token).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("find a session: %w", err)
	}
	return data, true, nil
}

// CommitCtx writes a session and removes those that have expired.
func (s Sessions) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	_, err := s.pool.Exec(ctx, `
		with old as (delete from session where expiry < clock_timestamp() and token <> $1)
		insert into session (token, data, expiry) values ($1, $2, $3)
		on conflict (token) do update set data = excluded.data, expiry = excluded.expiry`, token, data, expiry)
	if err != nil {
		return fmt.Errorf("write a session: %w", err)
	}
	return nil
}

// DeleteCtx removes a session; one that is not there is no error.
func (s Sessions) DeleteCtx(ctx context.Context, token string) error {
	if _, err := s.pool.Exec(ctx, `delete from session where token = $1`, token); err != nil {
		return fmt.Errorf("remove a session: %w", err)
	}
	return nil
}

// Find is FindCtx for callers without a context; the session library never calls it.
func (s Sessions) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx for callers without a context; the session library never calls it.
func (s Sessions) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete is DeleteCtx for callers without a context; the session library never calls it.
func (s Sessions) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }
