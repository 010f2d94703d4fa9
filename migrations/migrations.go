// Package migrations carries the database schema of Pawl as goose migrations, one file each, named
// NNNN_verb_object.sql. Each runs in one transaction; none drops data that a user trusted us with.
package migrations

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed *.sql
var files embed.FS

// Files is the embedded folder of migrations.
func Files() fs.FS { return files }

// Up brings the database to the newest schema and returns the version it is at then. It is safe to call from
// several processes at once: a session lock of PostgreSQL lets one work and the others wait. A migration that
// fails leaves the schema at the version before it.
func Up(ctx context.Context, pool *pgxpool.Pool) (int64, error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return 0, fmt.Errorf("prepare the migration lock: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return 0, fmt.Errorf("migrate the database: %w", err)
	}
	return p.GetDBVersion(ctx)
}
