package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/internal/fault"
	"pawl/internal/ledger"
)

// Open opens a pool of at most max connections; 0 leaves the connection string's own bound. Plans are made once for a
// statement and not for each call: planning the ledger's grouped statements costs twice as much as carrying them out
// (make bench). Each connection knows the epoch that it lives in (ledger.EnterEpoch).
func Open(ctx context.Context, connString string, max int) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(connString)
	if err != nil {
		return nil, fault.New(fault.InvalidInput, "database", "The address of the database can't be read: write postgres://user:password@host/name or keywords such as host=… dbname=….")
	}
	if max > 0 {
		c.MaxConns = int32(max)
	}
	c.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	c.AfterConnect = ledger.EnterEpoch
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return pool, nil
}
