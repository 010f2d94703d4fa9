package e2e_test

import (
	"fmt"
	"testing"
	"time"
)

// rounds repeats a disturbance: once in the ordinary suite, and until CHAOSTIME is over in make chaos.
type rounds struct {
	n     int // of the current round, from 1
	until time.Time
}

func newRounds(t *testing.T) *rounds {
	t.Helper()
	return &rounds{until: time.Now().Add(chaosTime(t))}
}

// next begins a round, and says whether there is one.
func (r *rounds) next() bool {
	r.n++
	return r.n == 1 || time.Now().Before(r.until)
}

// shows hands what a long test saw to the table of its suite (docs/testing.md).
func shows(t *testing.T, format string, args ...any) {
	t.Helper()
	text := fmt.Sprintf(format, args...)
	t.Attr("shows", text)
	t.Log(text)
}

// loss is what the rounds of a test cost.
type loss struct{ rounds, runs, kills, unknown int }

func (l *loss) String() string {
	return fmt.Sprintf("%d rounds, %d runs, %d kills, %d unknown steps settled", l.rounds, l.runs, l.kills, l.unknown)
}
