package parts

import (
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"

	"go.temporal.io/server/common/log/tag"
)

// Logger gives the errors of Temporal to Pawl's log as warnings: it is quiet about its own life, and most of its
// errors it repairs itself. What it calls fatal ends the start while it starts, and the process later on, rather
// than leaving half a server.
type Logger struct {
	to    *slog.Logger
	fatal chan error
	phase atomic.Int32
}

// The phases of a server's life.
const (
	starting = iota
	running
	stopping
)

// NewLogger makes one that is quiet until the server has started. Nil discards everything.
func NewLogger(to *slog.Logger) *Logger {
	if to == nil {
		to = slog.New(slog.DiscardHandler)
	}
	return &Logger{to: to.With("part", "temporal"), fatal: make(chan error, 1)}
}

// Debug is quiet.
func (l *Logger) Debug(string, ...tag.Tag) {}

// Info is quiet.
func (l *Logger) Info(string, ...tag.Tag) {}

// Warn is quiet.
func (l *Logger) Warn(string, ...tag.Tag) {}

// Error logs a warning. It is quiet while the services start or stop and do not see each other.
func (l *Logger) Error(msg string, tags ...tag.Tag) {
	if l.phase.Load() == running {
		l.to.Warn(msg, attributes(tags)...)
	}
}

// DPanic logs an error; Temporal panics there in development only.
func (l *Logger) DPanic(msg string, tags ...tag.Tag) { l.to.Error(msg, attributes(tags)...) }

// Panic logs an error and panics.
func (l *Logger) Panic(msg string, tags ...tag.Tag) {
	l.to.Error(msg, attributes(tags)...)
	panic(describe(msg, tags))
}

// Fatal makes Launch fail while the server starts, and is Panic later.
func (l *Logger) Fatal(msg string, tags ...tag.Tag) {
	if l.phase.Load() == running {
		l.Panic(msg, tags...)
	}
	select {
	case l.fatal <- fmt.Errorf("%s", describe(msg, tags)):
	default:
	}
	runtime.Goexit() // as with os.Exit, the caller must not go on
}

func attributes(tags []tag.Tag) []any {
	all := make([]any, 0, len(tags))
	for _, t := range tags {
		all = append(all, slog.Any(t.Key(), t.Value()))
	}
	return all
}

func describe(msg string, tags []tag.Tag) string {
	var b strings.Builder
	b.WriteString(msg)
	for _, t := range tags {
		fmt.Fprintf(&b, " %s=%v", t.Key(), t.Value())
	}
	return b.String()
}
