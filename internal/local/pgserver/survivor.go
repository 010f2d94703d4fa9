package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// endSurvivor stops a server that outlived the process that had started it, and clears the pid file of one that
// did not, which PostgreSQL itself can't do when the number has been given to another program. We hold the
// folder's lock, so no other Pawl is concerned.
func endSurvivor(ctx context.Context, l layout) error {
	file := filepath.Join(l.data(), "postmaster.pid")
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for a server that is still running: %w", err)
	}
	first, _, _ := strings.Cut(string(b), "\n")
	if pid, err := strconv.Atoi(strings.TrimSpace(first)); err == nil && pid > 1 {
		if err := stopSurvivor(ctx, pid, l); err != nil {
			return err
		}
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clear the pid file of an ended server: %w", err)
	}
	return nil
}

func stopSurvivor(ctx context.Context, pid int, l layout) error {
	p, err := os.FindProcess(pid) // holds on to the process on Linux, so that the number can't change hands
	if err != nil {
		return nil
	}
	defer func() { _ = p.Release() }() // nothing to do about it
	for _, step := range []struct {
		signal syscall.Signal
		limit  time.Duration
	}{{syscall.SIGINT, fastStop}, {syscall.SIGQUIT, immediateStop}} {
		if !livesIn(pid, l.data()) {
			return nil
		}
		if err := p.Signal(step.signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("stop the PostgreSQL server %d that still runs in %s: %w", pid, l.dir, err)
		}
		for end := time.Now().Add(step.limit); livesIn(pid, l.data()) && time.Now().Before(end); {
			if err := pause(ctx); err != nil {
				return err
			}
		}
	}
	if livesIn(pid, l.data()) {
		return fmt.Errorf("the PostgreSQL server %d in %s does not stop; end it by hand", pid, l.dir)
	}
	return nil
}
