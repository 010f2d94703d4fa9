// Package pgserver runs a private PostgreSQL server on a folder: no TCP port, no password, one unix socket that
// only this process can reach. Production uses a PostgreSQL of its own; this one serves the laptop and the tests.
//
// The server stops with the process, even after kill -9, and a next Start on the same folder recovers everything
// that was committed. PostgreSQL refuses to run as root, so root runs it as another user (account.go).
package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Mode says what the server promises about committed data. The zero value is Durable.
type Mode int

const (
	// Durable keeps fsync, full_page_writes and synchronous_commit on: what is committed survives a power cut.
	Durable Mode = iota
	// Throwaway trades that for speed. For tests only: a crash of the machine may leave a folder that no
	// longer starts. A crash of the process loses nothing.
	Throwaway
)

// Config says where the server lives.
type Config struct {
	// Dir is the server's folder; it is made when missing. It holds the cluster, its log and the lock.
	Dir string
	// BinDir is the folder of initdb and postgres (PAWL_POSTGRES_BIN). Empty: PATH, then the places of Debian,
	// Red Hat and Homebrew, then the npm package in DownloadDir.
	BinDir string
	// DownloadDir is where binaries are brought to when the machine has none. Empty: the folder binaries in Dir.
	DownloadDir string
	// Mode is Durable unless set.
	Mode Mode
}

// Server is a running PostgreSQL. Its methods may be called from several goroutines.
type Server struct {
	layout  layout
	bin     binaries
	account account
	mode    Mode
	socket  string
	temp    string // folder to remove at the end, or empty
	lock    *os.File
	process *process
	stop    sync.Once
	stopErr error
}

// Start makes the cluster when the folder is empty, starts the server and returns once it answers. Errors that a
// user can mend are *fault.Error: NotFound postgres_missing, Conflict data_in_use, InvalidInput postgres_version.
func Start(ctx context.Context, c Config) (*Server, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("find the folder of PostgreSQL: %w", err)
	}
	s := &Server{layout: layout{dir}, mode: c.Mode}
	if s.lock, err = takeFolder(s.layout); err != nil {
		return nil, err
	}
	if err := s.open(ctx, c); err != nil {
		s.abandon()
		return nil, err
	}
	return s, nil
}

// open does what follows taking the folder, in order; Start undoes it when it fails.
func (s *Server) open(ctx context.Context, c Config) error {
	var err error
	if s.account, err = chooseAccount(s.layout); err != nil {
		return err
	}
	if s.bin, err = findBinaries(ctx, c, s.layout, s.account); err != nil {
		return err
	}
	if err := endSurvivor(ctx, s.layout); err != nil {
		return err
	}
	if err := createCluster(ctx, s.layout, s.bin, s.account, s.mode); err != nil {
		return err
	}
	if s.socket, s.temp, err = socketFolder(s.layout, s.account); err != nil {
		return err
	}
	if err := s.launch(ctx); err != nil {
		return err
	}
	return s.createDatabase(ctx)
}

// launch starts postgres and waits until it answers; a start that fails because backends of a killed server still
// hold the folder is tried again.
func (s *Server) launch(ctx context.Context) error {
	orphans := time.Now().Add(orphanWait)
	for {
		p, err := s.spawn()
		if err != nil {
			return err
		}
		s.process = p
		err = s.awaitReady(ctx)
		if err == nil {
			return nil
		}
		if !errors.Is(err, errEnded) {
			return err
		}
		end := tail(s.layout.log())
		if !strings.Contains(end, "pre-existing shared memory block") || time.Now().After(orphans) {
			return fmt.Errorf("start PostgreSQL in %s: %w; its log ends:\n%s", s.layout.dir, err, end)
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// spawn starts the postgres process with its log and, for another user, open folders instead of paths.
func (s *Server) spawn() (*process, error) {
	log, err := openLog(s.layout.log())
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := command(context.Background(), s.account, s.bin.path("postgres"))
	paths, release, err := reach(cmd, s.account, s.layout.data(), s.socket)
	if err != nil {
		return nil, err
	}
	defer release()
	cmd.Args = append(cmd.Args, arguments(paths[0], paths[1], s.mode)...)
	cmd.Stdout, cmd.Stderr = log, log
	return startProcess(cmd)
}

// Done is closed when the server has ended, whoever ended it.
func (s *Server) Done() <-chan struct{} { return s.process.done }

// PID is the process id of the server.
func (s *Server) PID() int { return s.process.pid() }

// Stop shuts the server down and releases the folder. Open transactions are rolled back. When ctx ends first, or
// after 20 s, the shutdown becomes an immediate one, which loses nothing either. Further calls return the first's
// result.
func (s *Server) Stop(ctx context.Context) error {
	s.stop.Do(func() {
		s.stopErr = s.process.end(ctx)
		s.abandon()
	})
	return s.stopErr
}

// abandon ends what is still running and releases the folder.
func (s *Server) abandon() {
	if s.process != nil {
		s.process.kill(syscall.SIGQUIT)
		<-s.process.done
	}
	if s.temp != "" {
		os.RemoveAll(s.temp)
	}
	s.lock.Close()
}

func pause(ctx context.Context) error {
	t := time.NewTimer(askPause)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
