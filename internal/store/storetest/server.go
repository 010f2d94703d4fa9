package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/internal/local/pgserver"
	"pawl/migrations"
)

const (
	// URL is the environment variable that names a PostgreSQL to use: any database of a server on which the user may
	// create databases.
	URL = "PAWL_TEST_DATABASE_URL"
	// folderPrefix begins the names of the folders of throw-away servers.
	folderPrefix = "pawl-storetest-"
	// forgotten is the age at which a folder without a holder is taken for one that a killed test left behind.
	forgotten = time.Minute
	// templateLock is the advisory lock under which a template is made, on the server's own database.
	templateLock = 0x5061776c7465
)

// server is where the databases of the tests are made.
type server struct {
	config   *pgx.ConnConfig // of a database that is only used to make others
	template string
	private  *pgserver.Server // nil for a named server
	dir      string
}

func open() (*server, error) {
	ctx := context.Background() // it serves all tests, so it is bound to none
	s := &server{}
	dsn := os.Getenv(URL)
	if dsn == "" {
		var err error
		if dsn, err = s.start(ctx); err != nil {
			return nil, err
		}
	}
	var err error
	if s.config, err = pgx.ParseConfig(dsn); err != nil {
		return nil, fmt.Errorf("read %s: %w", URL, err)
	}
	if s.template, err = templateName(); err == nil {
		err = s.makeTemplate(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// start runs a throw-away server in a new folder.
func (s *server) start(ctx context.Context) (dsn string, err error) {
	sweep()
	if s.dir, err = os.MkdirTemp("", folderPrefix); err != nil {
		return "", err
	}
	c := pgserver.Config{
		Dir: s.dir, BinDir: os.Getenv("PAWL_POSTGRES_BIN"), DownloadDir: DownloadDir(), Mode: pgserver.Throwaway,
	}
	if s.private, err = pgserver.Start(ctx, c); err != nil {
		return "", errors.Join(err, os.RemoveAll(s.dir))
	}
	return s.private.DatabaseDSN("postgres"), nil
}

// DownloadDir is where tests keep the PostgreSQL that is brought to a machine without one: it outlives the test.
// Empty when the user has no folder for such things.
func DownloadDir() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "pawl", "postgres")
}

func (s *server) close() error {
	if s.private == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), cleanLimit)
	defer cancel()
	return errors.Join(s.private.Stop(ctx), os.RemoveAll(s.dir))
}

// dsn is the connection string of another database of the server.
func (s *server) dsn(name string) string {
	if s.private != nil {
		return s.private.DatabaseDSN(name)
	}
	return withDatabase(s.config.ConnString(), name)
}

// templateName changes with the migrations, so that a server that is kept between runs never serves an old schema.
func templateName() (string, error) {
	h := sha256.New()
	err := fs.WalkDir(migrations.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(migrations.Files(), path)
		fmt.Fprintf(h, "%s %d\n%s", path, len(b), b)
		return err
	})
	return "pawl_template_" + hex.EncodeToString(h.Sum(nil)[:6]), err
}

// makeTemplate migrates a database unless a whole one is there; other test processes wait meanwhile.
func (s *server) makeTemplate(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, s.config.Copy())
	if err != nil {
		return fmt.Errorf("connect to the PostgreSQL of the tests: %w", err)
	}
	defer conn.Close(ctx) // releases the lock too
	if _, err := conn.Exec(ctx, "select pg_advisory_lock($1)", int64(templateLock)); err != nil {
		return err
	}
	var whole bool
	err = conn.QueryRow(ctx, "select datistemplate from pg_database where datname = $1", s.template).Scan(&whole)
	if whole || (err != nil && !errors.Is(err, pgx.ErrNoRows)) {
		return err
	}
	name := pgx.Identifier{s.template}.Sanitize()
	for _, sql := range []string{"drop database if exists " + name + " with (force)", "create database " + name} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	if err := s.migrate(ctx); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "alter database "+name+" with is_template true")
	return err
}

func (s *server) migrate(ctx context.Context) error {
	pool, err := pgxpool.New(ctx, s.dsn(s.template))
	if err != nil {
		return err
	}
	defer pool.Close() // PostgreSQL copies no database that somebody is connected to
	_, err = migrations.Up(ctx, pool)
	return err
}

// sweep removes the folders of throw-away servers whose test process was killed. What can't be removed (another
// user's) stays.
func sweep() {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		st, err := os.Stat(dir)
		if err == nil && time.Since(st.ModTime()) > forgotten && free(filepath.Join(dir, "lock")) {
			_ = os.RemoveAll(dir)
		}
	}
}

func free(lock string) bool {
	f, err := os.Open(lock)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
