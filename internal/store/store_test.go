package store_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pawl/internal/fault"
	"pawl/internal/store"
)

// TestDeadlockRunsAgain lets two transactions lock two rows in opposite order: PostgreSQL ends one, which runs
// again, and both go through.
func TestDeadlockRunsAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.push("aa", "1.0.0")
	s.push("bb", "1.0.0")
	var met sync.WaitGroup
	met.Add(2)
	lock := func(tx pgx.Tx, id string) error {
		_, err := tx.Exec(t.Context(), `select 1 from plugin where id = $1 for update`, id)
		return err
	}
	results := make(chan int, 2)
	for _, order := range [][2]string{{"aa", "bb"}, {"bb", "aa"}} {
		go func() {
			tries := 0
			err := s.store.InTx(t.Context(), "lock both", func(tx pgx.Tx) error {
				tries++
				if err := lock(tx, order[0]); err != nil {
					return err
				}
				if tries == 1 { // both hold their first row before either asks for its second
					met.Done()
					met.Wait()
				}
				return lock(tx, order[1])
			})
			if err != nil {
				t.Error(err)
			}
			results <- tries
		}()
	}
	if tries := <-results + <-results; tries < 3 {
		t.Errorf("%d tries in all, want at least one transaction to have run again", tries)
	}
}

func TestTransactionThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	before := s.snapshot()
	mine := errors.New("mine")
	err := s.store.InTx(t.Context(), "try", func(tx pgx.Tx) error {
		exec(t, tx, `insert into plugin (id) values ('left')`)
		return mine
	})
	if !errors.Is(err, mine) || len(s.snapshot()) != len(before) {
		t.Errorf("error %v, rows %v", err, s.snapshot())
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	own := fault.New(fault.NotFound, "x", "x")
	tests := []struct {
		name string
		err  error
		want fault.Kind // empty: as it is
	}{
		{"nothing", nil, ""},
		{"a fault", own, fault.NotFound},
		{"a lock", &pgconn.PgError{Code: "55P03"}, fault.Timeout},
		{"a deadlock", &pgconn.PgError{Code: "40P01"}, fault.Timeout},
		{"a named constraint", &pgconn.PgError{Code: "23514", ConstraintName: "account_name_form"}, fault.InvalidInput},
		{"another constraint", &pgconn.PgError{Code: "23514", ConstraintName: "other"}, ""},
		{"something else", errors.New("x"), ""},
	}
	for _, tt := range tests {
		got := store.Explain(tt.err)
		if tt.want != "" && !fault.Is(got, tt.want) || tt.want == "" && got != tt.err { //nolint:errorlint // it comes back as it is, not wrapped
			t.Errorf("%s: %v, want %s", tt.name, got, tt.want)
		}
		if tt.err != nil && !errors.Is(got, tt.err) {
			t.Errorf("%s: the cause is lost", tt.name)
		}
	}
}
