package pgserver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"pawl/internal/fault"
)

// layout names what lies in the server's folder.
type layout struct{ dir string }

func (l layout) data() string       { return filepath.Join(l.dir, "data") }
func (l layout) unfinished() string { return filepath.Join(l.dir, "data.unfinished") }
func (l layout) log() string        { return filepath.Join(l.dir, "postgres.log") }
func (l layout) lock() string       { return filepath.Join(l.dir, "lock") }
func (l layout) run() string        { return filepath.Join(l.dir, "run") }
func (l layout) binaries() string   { return filepath.Join(l.dir, "binaries") }

// major is the major version of PostgreSQL that made the cluster, or empty when there is none yet.
func (l layout) major() (string, error) {
	b, err := os.ReadFile(filepath.Join(l.data(), "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(l.data()); err == nil {
			return "", fault.New(fault.InvalidInput, "postgres_damaged",
				"The folder %s exists but holds no PostgreSQL database (PG_VERSION is missing). Restore it from a "+
					"backup, or move it away to begin with an empty one.", l.data())
		}
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the version of the database: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}

// takeFolder makes the folder and locks it for this process. The lock ends with the process, however it ends.
func takeFolder(l layout) (*os.File, error) {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of PostgreSQL: %w", err)
	}
	f, err := os.OpenFile(l.lock(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of PostgreSQL's folder (was it made by another user?): %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, inUse(l, f)
		}
		return nil, fmt.Errorf("lock the folder %s: %w", l.dir, err)
	}
	if err := writeHolder(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func inUse(l layout, f *os.File) error {
	b := make([]byte, 20)
	n, _ := f.ReadAt(b, 0) // an empty or unreadable file only makes the sentence shorter
	who := "another process"
	if pid := strings.TrimSpace(string(b[:n])); pid != "" {
		who = "process " + pid
	}
	return fault.New(fault.Conflict, "data_in_use",
		"The folder %s is in use by %s. Stop that one first, or choose another data folder.", l.dir, who)
}

func writeHolder(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return fmt.Errorf("write the lock: %w", err)
	}
	if _, err := f.WriteAt([]byte(fmt.Sprintln(os.Getpid())), 0); err != nil {
		return fmt.Errorf("write the lock: %w", err)
	}
	return nil
}

// openLog opens the server's log for appending; one that has grown large moves aside once.
func openLog(path string) (*os.File, error) {
	if st, err := os.Stat(path); err == nil && st.Size() > logKept {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, fmt.Errorf("move the old log of PostgreSQL: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of PostgreSQL: %w", err)
	}
	return f, nil
}

// tail is the end of a log, for an error text.
func tail(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "(no log)"
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return "(no log)"
	}
	b := make([]byte, min(st.Size(), logQuoted))
	n, _ := f.ReadAt(b, st.Size()-int64(len(b)))
	return strings.TrimSpace(string(b[:n]))
}
