package ledger_test

import (
	"context"
	"crypto/sha256"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"pawl/internal/ledger"
	"pawl/internal/store/storetest"
)

const (
	identity = "developer.shop.v1-0-0"
	action   = identity + ".create_order"
)

// world is a database with one project, one routable identity and some running runs.
type world struct {
	pool    *pgxpool.Pool
	ledger  *ledger.Ledger
	project uuid.UUID
	account uuid.UUID
	runs    []uuid.UUID
}

func newWorld(t testing.TB, runs int) *world {
	t.Helper()
	ctx := context.Background()
	w := &world{pool: storetest.New(t), project: uuid.New(), account: uuid.New()}
	epoch, err := ledger.Epoch(ctx, w.pool)
	if err != nil {
		t.Fatal(err)
	}
	w.ledger = ledger.New(w.pool)
	t.Cleanup(w.ledger.Close)
	digest := sha256.Sum256([]byte("{}"))
	automation, release := uuid.New(), uuid.New()
	exec(t, w.pool, `insert into project (id, name) values ($1, 'default')`, w.project)
	exec(t, w.pool, `insert into document (digest, body) values ($1, '{}')`, digest[:])
	exec(t, w.pool, `insert into automation (id, project_id, name) values ($1, $2, 'a')`, automation, w.project)
	exec(t, w.pool, `insert into release (id, source, entry_id, scope, major, minor, patch, digest, document, app, frozen_by) values ($1, 'developer', 'shop', $2, 1, 0, 0, $3, '{}', true, 'test')`, release, uuid.Nil, digest[:])
	exec(t, w.pool, `insert into binding (identity, scope, state, release_id, changed_by, reason) values ($1, $2, 'active', $3, 'test', 'promoted')`, identity, uuid.Nil, release)
	exec(t, w.pool, `insert into account (id, project_id, identity, name, created_by) values ($1, $2, $3, 'main', 'test')`, w.account, w.project, identity)
	exec(t, w.pool, `insert into standing_grant (id, project_id, kind, action, created_by) values ($1, $2, 'action', $3, 'test')`, uuid.New(), w.project, action)
	for range runs {
		id := uuid.Must(uuid.NewV7())
		exec(t, w.pool, `insert into run (id, project_id, automation_id, digest, state, start_key, trigger, epoch, created_by) values ($1, $2, $3, $4, 'running', $6, 'api', $5, 'test')`, id, w.project, automation, digest[:], epoch, id.String())
		w.runs = append(w.runs, id)
	}
	return w
}

func exec(t testing.TB, pool *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	if _, err := pool.Exec(context.Background(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func (w *world) claim(run uuid.UUID, path string, n int) *ledger.Claim {
	return &ledger.Claim{
		Run: run, Path: path, N: n, Action: action, Identity: identity, Effect: "unsafe", Owner: uuid.New(), Account: w.account,
		NeedsGrant: true, Input: []byte(`{}`), Request: []byte(`{}`), Lease: ledger.SendWindow,
	}
}
