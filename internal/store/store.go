// Package store keeps Pawl's own facts in PostgreSQL: one file a family of tables, SQL by hand. It implements
// the small interfaces that the packages which use it declare. Every change of what people rely on writes its
// audit row in the same transaction.
package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Store reads and writes through a pool of connections. It is safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// New makes a store of a pool, which stays the caller's to close. The schema must be there (migrations.Up).
func New(pool *pgxpool.Pool) *Store { return &Store{pool} }

// InTx runs f in one transaction, at the level "read committed": what must not change meanwhile, f locks. When
// PostgreSQL ends the transaction because of a deadlock or a serialization failure, f runs again from the start,
// at most maxTries times, so f must have no effect but on the transaction. Violated constraints come back as
// faults (Explain); op names the operation in other errors.
func (s *Store) InTx(ctx context.Context, op string, f func(pgx.Tx) error) error {
	for try := 1; ; try++ {
		err := pgx.BeginFunc(ctx, s.pool, f)
		if err == nil {
			return nil
		}
		if try == maxTries || !worthAgain(err) {
			return fmt.Errorf("%s: %w", op, Explain(err))
		}
		if err := pause(ctx, try); err != nil {
			return fmt.Errorf("%s: %w", op, err)
		}
	}
}

// worthAgain holds for the two errors with which PostgreSQL asks for the transaction to be run again, and for a
// unique row that another transaction made between our look and our insert.
func worthAgain(err error) bool {
	code := codeOf(err)
	return code == serializationFailure || code == deadlockDetected || errors.Is(err, errRaced)
}

// errRaced is returned by the body of a transaction that lost a race and would do better in a new one.
var errRaced = errors.New("another transaction was faster")

// pause waits 0 to 2^try times retryPause, so that rivals come apart.
func pause(ctx context.Context, try int) error {
	t := time.NewTimer(rand.N(retryPause << try))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
