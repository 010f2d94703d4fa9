package temporalserver

import (
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"

	"go.temporal.io/server/common/log/tag"
)

// logger gives the errors of Temporal to Pawl's log as warnings: it is quiet about its own life, and most of its
// errors it repairs itself. What it calls fatal ends the start while it starts, and the process later on, rather
// than leaving half a server.
type logger struct {
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

func newLogger(to *slog.Logger) *logger {
	if to == nil {
		to = slog.New(slog.DiscardHandler)
	}
	return &logger{to: to.With("part", "temporal"), fatal: make(chan error, 1)}
}

func (l *logger) enter(phase int32) { l.phase.Store(phase) }

func (l *logger) Debug(string, ...tag.Tag) {}
func (l *logger) Info(string, ...tag.Tag)  {}
func (l *logger) Warn(string, ...tag.Tag)  {}

// Error is quiet while the services start or stop and do not see each other.
func (l *logger) Error(msg string, tags ...tag.Tag) {
	if l.phase.Load() == running {
		l.to.Warn(msg, attributes(tags)...)
	}
}

func (l *logger) DPanic(msg string, tags ...tag.Tag) { l.to.Error(msg, attributes(tags)...) }

func (l *logger) Panic(msg string, tags ...tag.Tag) {
	l.to.Error(msg, attributes(tags)...)
	panic(describe(msg, tags))
}

func (l *logger) Fatal(msg string, tags ...tag.Tag) {
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
