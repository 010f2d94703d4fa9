package temporalserver

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/headers"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	persistence "go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/common/primitives/timestamp"
	"go.temporal.io/server/common/resolver"
	schema "go.temporal.io/server/schema/sqlite"
	_ "modernc.org/sqlite" // the driver that Temporal's plugin uses too

	"pawl/internal/local/temporalserver/parts"
)

const (
	journalMode = "wal"
	synchronous = "normal"
	// stampTable says which server made the file. It is filled last, so a file without it was never finished.
	stampTable = "pawl_file"
)

// stamp names what a file must have been made by, since Temporal can't bring a SQLite file to a newer schema.
func stamp(c Config) string {
	kind := "tuned"
	if c.Tuning == Defaults {
		kind = "defaults"
	}
	return fmt.Sprintf("temporal %s, %d shards, %s", headers.ServerVersion, shards, kind)
}

func startMark() string { return strconv.FormatInt(time.Now().UnixNano(), 36) }

// escape keeps the characters of a path that mean something in SQLite's file: addresses.
func escape(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// open reads the file apart from the server, without making it.
func open(file, mode string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+escape(file)+"?mode="+mode+"&_pragma=busy_timeout="+strconv.Itoa(busyWait))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// examine says what is wrong with the file, as half a sentence; nothing for a good one and for none.
func examine(ctx context.Context, c Config) (wrong string, err error) {
	_, err = os.Stat(c.File)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look at the file of Temporal: %w", err)
	}
	db, err := open(c.File, "rw")
	if err != nil {
		return "", fmt.Errorf("open the file of Temporal: %w", err)
	}
	defer db.Close()
	var made string
	switch err := db.QueryRowContext(ctx, "select made_by from "+stampTable).Scan(&made); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "it can't be read as a finished file of Temporal (" + err.Error() + ")", nil
	case made != stamp(c):
		return fmt.Sprintf("it was made by %q and this is %q", made, stamp(c)), nil
	}
	return examinePages(ctx, db)
}

// examinePages finds truncated and overwritten files. (The header's size can't be compared with the file's: what is
// missing there may stand in the write-ahead log.) What is not found in time the server will meet, or never read.
func examinePages(ctx context.Context, db *sql.DB) (wrong string, err error) {
	bounded, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	var verdict string
	err = db.QueryRowContext(bounded, "pragma quick_check(1)").Scan(&verdict)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case bounded.Err() != nil:
		return "", nil
	case err != nil:
		return "its pages can't be read (" + err.Error() + ")", nil
	case verdict != "ok":
		return "it is damaged (" + verdict + ")", nil
	}
	return "", nil
}

// setAside renames the file and what SQLite keeps beside it, and returns the new name. Nothing is deleted.
func setAside(file string, now time.Time) (string, error) {
	name := file + ".aside-" + now.UTC().Format("20060102T150405.000000000Z")
	for _, tail := range []string{"-wal", "-shm", ""} { // the file last: as long as it is there, this can be repeated
		if err := os.Rename(file+tail, name+tail); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("set the unusable file of Temporal aside: %w", err)
		}
	}
	return name, nil
}

// prepare makes the schema of a new file, the namespace, and checks that the settings hold on the connection that
// the server will use.
func prepare(ctx context.Context, c Config, s *config.SQL) error {
	_, err := os.Stat(c.File)
	if errors.Is(err, fs.ErrNotExist) {
		if err := schema.SetupSchema(s); err != nil {
			return fmt.Errorf("make the file of Temporal: %w", err)
		}
	} else if err != nil {
		return fmt.Errorf("look at the file of Temporal: %w", err)
	}
	ns, err := schema.NewNamespaceConfig(parts.ClusterName, Namespace, false, nil)
	if err != nil {
		return fmt.Errorf("describe the namespace: %w", err)
	}
	ns.Detail.Config.Retention = timestamp.DurationFromHours(int64(retention / time.Hour))
	if err := schema.CreateNamespaces(s, ns); err != nil {
		return fmt.Errorf("make the namespace: %w", err)
	}
	return finish(ctx, c, s)
}

// finish stamps the file through the server's connection, with the settings as they are in force there.
func finish(ctx context.Context, c Config, s *config.SQL) error {
	db, err := persistence.NewSQLAdminDB(sqlplugin.DbKindUnknown, s, resolver.NewNoopResolver(), log.NewNoopLogger(), metrics.NoopMetricsHandler)
	if err != nil {
		return fmt.Errorf("open the file of Temporal: %w", err)
	}
	defer db.Close()
	for _, q := range []string{
		"create table if not exists " + stampTable + " (one integer primary key check (one = 1), made_by text not null, " +
			"journal_mode text not null, synchronous integer not null)",
		"insert or replace into " + stampTable + " select 1, " + literal(stamp(c)) + ", journal_mode, synchronous " +
			"from pragma_journal_mode, pragma_synchronous",
	} {
		if err := db.Exec(q); err != nil {
			return fmt.Errorf("stamp the file of Temporal: %w", err)
		}
	}
	if c.Tuning == Defaults {
		return nil
	}
	return checkSettings(ctx, c.File)
}

func checkSettings(ctx context.Context, file string) error {
	db, err := open(file, "ro")
	if err != nil {
		return err
	}
	defer db.Close()
	var journal string
	var sync int
	if err := db.QueryRowContext(ctx, "select journal_mode, synchronous from "+stampTable).Scan(&journal, &sync); err != nil {
		return fmt.Errorf("read the settings of Temporal's file back: %w", err)
	}
	if journal != journalMode || sync != 1 {
		return fmt.Errorf("the file of Temporal is open with journal_mode=%s and synchronous=%d, not %s and 1 (%s)",
			journal, sync, journalMode, synchronous)
	}
	return nil
}

func literal(v string) string { return "'" + strings.ReplaceAll(v, "'", "''") + "'" }
