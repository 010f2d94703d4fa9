package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pawl/internal/fault"
)

const (
	owner    = "pawl" // the superuser of the cluster
	database = "pawl" // the database that DSN names
	port     = "5432" // part of the socket's name; no TCP port is opened
)

// createCluster runs initdb unless there is a cluster. It works beside the final place, so that a cluster that is
// there is always a whole one.
func createCluster(ctx context.Context, l layout, b binaries, a account, m Mode) error {
	if have, err := l.major(); err != nil || have != "" {
		return err
	}
	if err := os.RemoveAll(l.unfinished()); err != nil {
		return fmt.Errorf("clear an interrupted set-up: %w", err)
	}
	if err := os.Mkdir(l.unfinished(), 0o700); err != nil {
		return fmt.Errorf("make the database's folder: %w", err)
	}
	if err := a.give(l.unfinished()); err != nil {
		return err
	}
	if err := initdb(ctx, l, b, a, m); err != nil {
		return err
	}
	if err := os.Rename(l.unfinished(), l.data()); err != nil {
		return fmt.Errorf("put the new database into its place: %w", err)
	}
	return nil
}

// initdb lets every local connection in as any user: what keeps others out is the mode of the socket's folder.
func initdb(ctx context.Context, l layout, b binaries, a account, m Mode) error {
	cmd := command(ctx, a, b.path("initdb"))
	paths, release, err := reach(cmd, a, l.unfinished())
	if err != nil {
		return err
	}
	defer release()
	cmd.Args = append(cmd.Args, "-D", paths[0], "--username="+owner, "--auth-local=trust", "--auth-host=reject",
		"--encoding=UTF8", "--lc-collate=C", "--data-checksums", "--no-instructions")
	if m == Throwaway {
		cmd.Args = append(cmd.Args, "--no-sync")
	}
	out := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = out, out
	p, err := startProcess(cmd)
	if err != nil {
		return err
	}
	if err := p.wait(ctx); err != nil {
		return fmt.Errorf("set up a database with initdb: %w: %s", err, out)
	}
	return nil
}

// socketFolder makes the folder of the socket. Only the user of this process can enter it, and for another user's
// server the way to it is closed to everybody but root: the server itself gets it as an open descriptor. A path
// that is too long for a socket is replaced by one in the folder of temporary files, which temp names.
func socketFolder(l layout, a account) (dir, temp string, err error) {
	if err := clearRun(l); err != nil {
		return "", "", err
	}
	parent := l.run()
	if len(filepath.Join(parent, "s", ".s.PGSQL."+port)) > socketPathMax {
		if temp, err = os.MkdirTemp("", tempPrefix); err != nil {
			return "", "", fmt.Errorf("make a folder for the socket of PostgreSQL: %w", err)
		}
		if err := os.Symlink(temp, parent); err != nil {
			return "", temp, fmt.Errorf("note the socket's folder: %w", err)
		}
		parent = temp
	} else if err := os.Mkdir(parent, 0o700); err != nil {
		return "", "", fmt.Errorf("make a folder for the socket of PostgreSQL: %w", err)
	}
	dir = filepath.Join(parent, "s")
	if len(filepath.Join(dir, ".s.PGSQL."+port)) > socketPathMax {
		return "", temp, fault.New(fault.InvalidInput, "socket_path",
			"The folder for temporary files (%s) has too long a path for a unix socket. Set TMPDIR to a shorter one.", os.TempDir())
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", temp, fmt.Errorf("make a folder for the socket of PostgreSQL: %w", err)
	}
	return dir, temp, a.give(dir)
}

const tempPrefix = "pawl-pg-"

// clearRun removes the socket's folder of an earlier server, which is known to have ended.
func clearRun(l layout) error {
	target, err := os.Readlink(l.run())
	if err == nil && strings.HasPrefix(filepath.Base(target), tempPrefix) {
		if err := os.RemoveAll(target); err != nil && !errors.Is(err, os.ErrPermission) {
			return fmt.Errorf("remove an old socket's folder: %w", err)
		}
	}
	if err := os.RemoveAll(l.run()); err != nil {
		return fmt.Errorf("remove an old socket's folder: %w", err)
	}
	return nil
}
