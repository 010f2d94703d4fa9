// Package storetest gives each test a real PostgreSQL database with Pawl's schema, for tests only.
//
// The server is the one that PAWL_TEST_DATABASE_URL names, else a throw-away one, started by the first test of the
// process that asks. The schema is migrated once into a template, and each test gets a copy of it: databases, not
// schemas, because the advisory locks that Pawl uses are per database. A machine without PostgreSQL fails the test
// with the sentence that says how to install it; nothing is skipped.
package storetest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sync"
	"testing"
	"time"

	"pawl/internal/store"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// connections is how many a test's pool may open; the server has 100, and go test runs as many tests at once as
	// the machine has cores.
	connections = 10
	// closeLimit is how long connections may stay in use after their test before that counts as a leak.
	closeLimit = 10 * time.Second
	// cleanLimit bounds dropping a database and stopping the server.
	cleanLimit = 30 * time.Second
)

// shared is the server of this test process: made once, by the first test that needs it, whichever that is. Tests
// have no constructor that could hand it around.
var shared lazy //nolint:gochecknoglobals // see above

type lazy struct {
	once sync.Once
	s    *server
	err  error
}

// get opens the server the first time.
func (l *lazy) get() (*server, error) {
	l.once.Do(func() { l.s, l.err = open() })
	return l.s, l.err
}

// close stops the server if there is one, and lets none be opened after that.
func (l *lazy) close() error {
	l.once.Do(func() {})
	if l.s == nil {
		return nil
	}
	return l.s.close()
}

// New gives the test an empty, migrated database of its own, and drops it when the test ends. Connections that the
// test still holds then are an error of the test.
func New(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool, err := store.Open(t.Context(), DSN(t), connections)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closePool(t, pool) })
	return pool
}

// DSN makes a database as New does and gives its connection string, for tests that start processes or need a pool
// of another shape. Whatever is still connected when the test ends is cut off.
func DSN(t testing.TB) string {
	t.Helper()
	s, err := shared.get()
	if err != nil {
		t.Fatalf("no PostgreSQL for the test: %v", err)
	}
	name, err := s.create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.drop(name); err != nil {
			t.Error(err)
		}
	})
	return s.dsn(name)
}

// Main runs the tests of a package and stops the server: func TestMain(m *testing.M) { storetest.Main(m) }.
// Without it the server ends with the process just the same, and the next test process clears its folder.
func Main(m *testing.M) {
	m.Run()
	if err := shared.close(); err != nil {
		panic(fmt.Sprintf("stop the PostgreSQL of the tests: %v", err))
	}
}

func closePool(t testing.TB, pool *pgxpool.Pool) {
	closed := make(chan struct{})
	go func() { pool.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(closeLimit):
		t.Errorf("%d connections of the database are still in use after the test", pool.Stat().AcquiredConns())
	}
}

// create copies the template.
func (s *server) create(ctx context.Context) (name string, err error) {
	b := make([]byte, 8)
	if _, err := rand.Read(b); err != nil {
		return "", err
	}
	name = "pawl_test_" + hex.EncodeToString(b)
	sql := "create database " + pgx.Identifier{name}.Sanitize() + " template " + pgx.Identifier{s.template}.Sanitize()
	return name, s.admin(ctx, sql)
}

func (s *server) drop(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), cleanLimit) // the test's own context has ended
	defer cancel()
	return s.admin(ctx, "drop database "+pgx.Identifier{name}.Sanitize()+" with (force)")
}

// admin runs a statement that belongs to no database.
func (s *server) admin(ctx context.Context, sql string) error {
	conn, err := pgx.ConnectConfig(ctx, s.config.Copy())
	if err != nil {
		return fmt.Errorf("connect to the PostgreSQL of the tests: %w", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}
