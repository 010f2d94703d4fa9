// Package temporalserver runs Temporal inside this process, on one SQLite file. It is the official server as a
// library; production uses a Temporal cluster instead, so nothing but pawl-local and tests imports this.
//
// The file holds the progress of runs, PostgreSQL their facts: a file that is missing, damaged or of another
// version is set aside, and the runs are walked again from PostgreSQL. That is also why a file that is written
// ahead and synchronised at checkpoints only is durable enough.
package temporalserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.temporal.io/server/temporal"

	"pawl/internal/local/temporalserver/parts"
)

// Namespace is the one namespace of the server.
const Namespace = parts.Namespace

// Tuning says how the server is set up. The zero value is Tuned.
type Tuning int

const (
	// Tuned writes ahead, keeps no visibility store (nothing in Pawl lists workflows through Temporal) and runs only
	// the services that workflows need.
	Tuned Tuning = iota
	// Defaults is the server as Temporal's own one-file set-up has it: the yardstick of the benchmarks.
	Defaults
)

// Config says where the server keeps its file and writes its log.
type Config struct {
	// File is the SQLite file. Its folder must exist; the file is made when missing.
	File string
	// Logger gets the server's errors as warnings, and its faults. Nil discards them.
	Logger *slog.Logger
	// Tuning is Tuned unless set.
	Tuning Tuning
}

// Server is a running Temporal.
type Server struct {
	// SetAside is the name that an unusable file was given, or empty. Why says what was wrong with it, as half a
	// sentence. Runs that were under way must then be walked again.
	SetAside string
	Why      string

	address string
	server  temporal.Server
	log     *parts.Logger
	stop    sync.Once
	stopErr error
}

// Start returns when workflows can be started. The address is on the loopback interface, with ports chosen at each
// start, so several servers can run on one machine.
func Start(ctx context.Context, c Config) (*Server, error) {
	file, err := filepath.Abs(c.File)
	if err != nil {
		return nil, fmt.Errorf("find the file of Temporal: %w", err)
	}
	c.File = file
	s := &Server{}
	wrong, err := examine(ctx, c)
	if err != nil {
		return nil, err
	}
	if wrong != "" {
		if err := s.replace(c.File, wrong); err != nil {
			return nil, err
		}
	}
	_, missing := os.Stat(c.File)
	err = s.tryPorts(ctx, c)
	if err != nil && missing == nil && ctx.Err() == nil {
		if aside := s.replace(c.File, "the server does not start with it ("+err.Error()+")"); aside != nil {
			return nil, errors.Join(err, aside)
		}
		err = s.tryPorts(ctx, c)
	}
	if err != nil {
		return nil, fmt.Errorf("start Temporal: %w", err)
	}
	return s, nil
}

// replace sets the file aside and says so.
func (s *Server) replace(file, why string) (err error) {
	s.Why = why
	s.SetAside, err = setAside(file, time.Now())
	return err
}

// tryPorts starts the server, with other ports when one was taken between its choice and its use.
func (s *Server) tryPorts(ctx context.Context, c Config) error {
	for try := 1; ; try++ {
		err := s.start(ctx, c)
		if err == nil || try == startTries || !strings.Contains(err.Error(), "address already in use") {
			return err
		}
	}
}

// start makes and starts the server once, with new ports.
func (s *Server) start(ctx context.Context, c Config) error {
	sql := connection(c)
	if err := prepare(ctx, c, sql); err != nil {
		return err
	}
	p, err := parts.ChoosePorts(ctx)
	if err != nil {
		return err
	}
	s.log = parts.NewLogger(c.Logger)
	if s.server, err = temporal.NewServer(options(c, sql, p, s.log)...); err != nil {
		return err
	}
	s.address = p.Address()
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	if err := parts.Launch(ctx, s.server, s.address, func() error { return nil }, s.log); err != nil {
		return errors.Join(err, parts.End(s.server, s.log, stopLimit))
	}
	return nil
}

// HostPort is the address for clients (gRPC, no TLS).
func (s *Server) HostPort() string { return s.address }

// Stop ends the server; connected workers should have stopped before. Further calls return the first's result.
func (s *Server) Stop() error {
	s.stop.Do(func() { s.stopErr = parts.End(s.server, s.log, stopLimit) })
	return s.stopErr
}
