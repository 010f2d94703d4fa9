package pgserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// DSN is the connection string of the database pawl, in the keyword form that pgx and psql read. Pool options of
// pgx can be appended ("… pool_max_conns=20").
func (s *Server) DSN() string { return s.DatabaseDSN(database) }

// DatabaseDSN is DSN for another database of the same server.
func (s *Server) DatabaseDSN(name string) string {
	return fmt.Sprintf("host=%s port=%s user=%s dbname=%s sslmode=disable", quote(s.socket), port, owner, quote(name))
}

// SocketDir is the folder of the unix socket; User and Port are what goes with it.
func (s *Server) SocketDir() string { return s.socket }

// User is the superuser of the server; it has no password.
func (s *Server) User() string { return owner }

// Port is the number in the socket's name.
func (s *Server) Port() string { return port }

func quote(v string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(v) + "'"
}

// errEnded says that the server ended before it answered.
var errEnded = errors.New("the server ended before it was ready")

// awaitReady returns when a connection can be made.
func (s *Server) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		conn, err := s.connect(ctx, "postgres")
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-s.process.done:
			return fmt.Errorf("%w (%w)", errEnded, s.process.exit)
		case <-ctx.Done():
			return fmt.Errorf("wait for PostgreSQL: %w (last answer: %w)", ctx.Err(), err)
		case <-time.After(askPause):
		}
	}
}

// createDatabase makes the database pawl when it is missing, so after a first start that was cut short too.
func (s *Server) createDatabase(ctx context.Context) error {
	conn, err := s.connect(ctx, "postgres")
	if err != nil {
		return fmt.Errorf("open the private database: %w", err)
	}
	defer conn.Close(ctx)
	var there bool
	if err := conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", database).Scan(&there); err != nil {
		return fmt.Errorf("look for the database: %w", err)
	}
	if there {
		return nil
	}
	if _, err := conn.Exec(ctx, "create database "+pgx.Identifier{database}.Sanitize()); err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	return nil
}

func (s *Server) connect(ctx context.Context, name string) (*pgx.Conn, error) {
	return pgx.Connect(ctx, s.DatabaseDSN(name))
}
