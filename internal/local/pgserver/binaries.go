package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pawl/internal/fault"
)

// binaries is a folder that holds initdb and postgres of one version.
type binaries struct {
	dir   string
	major string
}

func (b binaries) path(name string) string { return filepath.Join(b.dir, name) }

// findBinaries gives the first binaries that fit the cluster: the named folder only, when one is named; else those
// of the machine; else the downloaded ones.
func findBinaries(ctx context.Context, c Config, l layout, a account) (binaries, error) {
	want, err := l.major()
	if err != nil {
		return binaries{}, err
	}
	if c.BinDir != "" {
		return named(ctx, c.BinDir, want, l, a)
	}
	var seen []string
	for _, dir := range places() {
		b, err := inspect(ctx, dir, a)
		if err == nil && (want == "" || b.major == want) {
			return b, nil
		}
		if err == nil {
			seen = append(seen, b.major+" in "+b.dir)
		}
	}
	if want != "" && want != downloadMajor {
		return binaries{}, wrongVersion(l, want, seen...)
	}
	return download(ctx, downloadPlace(c, l), a)
}

func named(ctx context.Context, dir, want string, l layout, a account) (binaries, error) {
	b, err := inspect(ctx, dir, a)
	if err != nil {
		return b, fault.New(fault.NotFound, "postgres_missing",
			"PAWL_POSTGRES_BIN names %s, but PostgreSQL can't be run from there: it must hold initdb and postgres. %s",
			dir, howToInstall).Because(err)
	}
	if want != "" && b.major != want {
		return b, wrongVersion(l, want, b.major+" in "+b.dir)
	}
	return b, nil
}

func wrongVersion(l layout, want string, seen ...string) error {
	have := "no version of it"
	if len(seen) > 0 {
		have = strings.Join(seen, ", ")
	}
	return fault.New(fault.InvalidInput, "postgres_version",
		"The database in %s was made by PostgreSQL %s, but what is installed is %s. Install PostgreSQL %s beside it "+
			"(or name its folder in PAWL_POSTGRES_BIN), or bring the database over with pg_upgrade, or with pg_dump into a "+
			"new data folder.", l.data(), want, have, want)
}

// howToInstall is the sentence for a machine without PostgreSQL.
const howToInstall = "Install it with \"apt-get install postgresql\" (Debian, Ubuntu), \"dnf install postgresql-server\" " +
	"(Fedora) or \"brew install postgresql@17\" (macOS), or set PAWL_POSTGRES_BIN to the folder of initdb and postgres."

// places lists the folders to look in, best first: PATH, then what packages install, newest version first.
func places() []string {
	var dirs []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if found, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres")); err == nil {
			dirs = append(dirs, filepath.Dir(found))
		}
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
		"/usr/pgsql-*/bin",                   // Red Hat, from postgresql.org
		"/opt/homebrew/opt/postgresql@*/bin", // Homebrew on Apple silicon
		"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel
		"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
		"/usr/local/pgsql/bin", // from source
	} {
		found, _ := filepath.Glob(pattern) // the patterns are well-formed
		slices.SortFunc(found, newerFirst)
		dirs = append(dirs, found...)
	}
	return dirs
}

var number = regexp.MustCompile(`[0-9]+`)

func newerFirst(a, b string) int {
	x, _ := strconv.Atoi(number.FindString(a)) // no number: sorts last
	y, _ := strconv.Atoi(number.FindString(b))
	return y - x
}

var versionLine = regexp.MustCompile(`\(PostgreSQL\) ([0-9]+)`)

// inspect runs postgres as the account, so that what it finds is also what will run.
func inspect(ctx context.Context, dir string, a account) (binaries, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return binaries{}, err
	}
	b := binaries{dir: dir}
	if _, err := exec.LookPath(b.path("initdb")); err != nil {
		return b, err
	}
	out, err := command(ctx, a, b.path("postgres"), "--version").Output()
	if err != nil {
		return b, fmt.Errorf("run %s --version: %w", b.path("postgres"), err)
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return b, errors.New("postgres --version prints no version")
	}
	b.major = string(m[1])
	return b, nil
}
