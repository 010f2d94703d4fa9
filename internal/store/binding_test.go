package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/connections/release"
	"pawl/internal/ledger"
	"pawl/internal/store"
)

// waiting polls the database until a session waits for an advisory lock.
func (s stage) waiting() {
	s.t.Helper()
	for {
		var n int
		err := s.pool.QueryRow(s.t.Context(), `select count(*) from pg_locks where locktype = 'advisory' and not granted
			and database = (select oid from pg_database where datname = current_database())`).Scan(&n)
		if err != nil {
			s.t.Fatal(err)
		}
		if n > 0 {
			return
		}
	}
}

// TestWithdrawalWaitsForClaims holds the lock that a claim holds: the withdrawal returns only after the claim has
// committed, and lists it as on the wire.
func TestWithdrawalWaitsForClaims(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	s.release("shopping", "1.0.0")
	run := uuid.Must(uuid.NewV7())
	claim, err := s.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Rollback(context.Background())
	exec(t, claim, `select pg_advisory_xact_lock_shared(`+fmt.Sprintf(ledger.LockKey, "$1::text", "$2::uuid")+`)`, "developer.shop.v1-0-0", release.Installation)

	result := make(chan release.Done, 1)
	go func() {
		done, err := s.store.ChangePlugin(context.WithoutCancel(t.Context()), "shop", "ana", release.Disable())
		if err != nil {
			t.Error(err)
		}
		result <- done
	}()
	s.waiting()
	insertAttempt(t, claim, run, "a", "developer.shop.v1-0-0.create_order", "sending")
	insertAttempt(t, claim, run, "b", "developer.shop.v1-0-0.create_order", "answered")
	insertAttempt(t, claim, run, "c", "developer.shopping.v1-0-0.create_order", "sending")
	if err := claim.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := <-result
	if len(done.OnTheWire) != 1 || done.OnTheWire[0].RunID != run || done.OnTheWire[0].Path != "a" {
		t.Errorf("on the wire: %+v, want the attempt at a alone", done.OnTheWire)
	}
}

func exec(t testing.TB, tx pgx.Tx, sql string, args ...any) {
	t.Helper()
	if _, err := tx.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func insertAttempt(t testing.TB, tx pgx.Tx, run uuid.UUID, path, action, state string) {
	t.Helper()
	exec(t, tx, `insert into attempt (run_id, path, n, action, effect, state, owner, epoch) values ($1, $2, 1, $3, 'unsafe', $4, $5, 1)`,
		run, path, action, state, uuid.New())
}

// TestRoutingAgainIsNotified: whoever listens hears of each identity that is routed again, and of no other.
func TestRoutingAgainIsNotified(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	conn, err := s.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), `listen `+store.BindingsChannel); err != nil {
		t.Fatal(err)
	}
	s.do("shop", release.Disable())
	s.do("shop", release.Enable())
	s.release("desk", "1.0.0")
	for _, want := range []string{"developer.shop.v1-0-0", "developer.desk.v1-0-0"} {
		n, err := conn.Conn().WaitForNotification(t.Context())
		if err != nil || n.Payload != want {
			t.Errorf("notified of %+v, %v, want %s", n, err, want)
		}
	}
	if _, err := conn.Exec(t.Context(), `unlisten *`); err != nil {
		t.Error(err)
	}
}
