package launch

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"pawl/internal/store"
)

// Announcer tells the processes that listen on a channel; store.Store implements it.
type Announcer interface {
	Notify(ctx context.Context, channel, payload string) error
}

// Notifier tells the other processes of changed runs and of work, at most once in notifyEvery: a notification takes a
// lock of the whole database at commit, so it never is part of a transaction that does something else.
type Notifier struct {
	to   Announcer
	log  *slog.Logger
	wake chan struct{}

	mu   sync.Mutex
	runs map[uuid.UUID]bool
	work bool
}

// NewNotifier makes a notifier; Run sends.
func NewNotifier(to Announcer, log *slog.Logger) *Notifier {
	return &Notifier{to: to, log: log, wake: make(chan struct{}, 1), runs: map[uuid.UUID]bool{}}
}

// Changed tells that a run's rows changed. It never blocks.
func (n *Notifier) Changed(run uuid.UUID) {
	n.mu.Lock()
	n.runs[run] = true
	n.mu.Unlock()
	poke(n.wake)
}

// Work tells that a run was queued or is to be nudged. It never blocks.
func (n *Notifier) Work() {
	n.mu.Lock()
	n.work = true
	n.mu.Unlock()
	poke(n.wake)
}

// Run sends until ctx ends.
func (n *Notifier) Run(ctx context.Context) {
	for wait(ctx, n.wake, time.Hour) {
		if err := n.flush(ctx); err != nil && ctx.Err() == nil {
			n.log.Warn("notify of changes; others poll", "error", err)
		}
		wait(ctx, nil, notifyEvery)
	}
}

func (n *Notifier) flush(ctx context.Context) error {
	n.mu.Lock()
	runs, work := n.runs, n.work
	n.runs, n.work = map[uuid.UUID]bool{}, false
	n.mu.Unlock()
	if work {
		if err := n.to.Notify(ctx, store.WorkChannel, ""); err != nil {
			return err
		}
	}
	if len(runs) == 0 {
		return nil
	}
	return n.to.Notify(ctx, store.RunsChannel, payload(runs))
}

func payload(runs map[uuid.UUID]bool) string {
	if len(runs) > idsMax {
		return "*"
	}
	ids := make([]string, 0, len(runs))
	for id := range runs {
		ids = append(ids, id.String())
	}
	return strings.Join(ids, ",")
}
