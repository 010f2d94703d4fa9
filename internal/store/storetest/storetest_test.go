package storetest_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pawl/internal/store/storetest"
	"pawl/migrations"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func TestNewIsMigratedAndEmpty(t *testing.T) {
	t.Parallel()
	pool := storetest.New(t)
	before, err := migrations.Up(t.Context(), pool)
	if err != nil || before < 1 {
		t.Fatalf("version %d, %v", before, err)
	}
	var runs int
	if err := pool.QueryRow(t.Context(), "select count(*) from run").Scan(&runs); err != nil || runs != 0 {
		t.Errorf("%d runs, %v; want 0", runs, err)
	}
}

func TestDatabasesDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	const tests = 4
	var wg sync.WaitGroup
	got := make([]int, tests)
	for i := range tests {
		pool := storetest.New(t)
		wg.Go(func() {
			if _, err := pool.Exec(t.Context(), "create table mine (n int); insert into mine values (1)"); err != nil {
				t.Error(err)
				return
			}
			var locked bool
			err := pool.QueryRow(t.Context(), "select pg_try_advisory_lock(7), count(*) from mine").Scan(&locked, &got[i])
			if err != nil || !locked {
				t.Errorf("advisory lock %v, %v; want it free in every database", locked, err)
			}
		})
	}
	wg.Wait()
	if d := cmp.Diff([]int{1, 1, 1, 1}, got); d != "" {
		t.Error(d)
	}
}

func TestDatabaseIsDroppedAfterItsTest(t *testing.T) {
	t.Parallel()
	var dsn, name string
	t.Run("uses one", func(t *testing.T) {
		dsn = storetest.DSN(t)
		conn, err := pgx.Connect(t.Context(), dsn) // stays open: it is cut off
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.QueryRow(t.Context(), "select current_database()").Scan(&name); err != nil {
			t.Fatal(err)
		}
	})
	if conn, err := pgx.Connect(context.Background(), dsn); err == nil {
		conn.Close(context.Background())
		t.Errorf("database %s is still there", name)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		b.StartTimer()
		storetest.DSN(b)
	}
}
