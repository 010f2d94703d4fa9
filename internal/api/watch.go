package api

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"pawl/internal/store"
)

// Watch hears of changed runs through one database connection for all event streams of a process. A
// notification is a hint: streams look by themselves too.
type Watch struct {
	from Listener
	log  *slog.Logger
	over chan struct{} // closed when Run returns: the streams end

	mu   sync.Mutex
	subs map[chan struct{}]uuid.UUID
}

// Listener hears what other processes say through the database.
type Listener interface {
	// Listen calls heard with every notification on the channels until ctx ends or the connection breaks.
	Listen(ctx context.Context, channels []string, heard func(channel, payload string)) error
}

// NewWatch makes a watch; Run makes it hear.
func NewWatch(from Listener, log *slog.Logger) *Watch {
	return &Watch{from: from, log: log, over: make(chan struct{}), subs: make(map[chan struct{}]uuid.UUID)}
}

// Run listens until ctx ends, and connects again when the connection breaks. When it returns all event streams end,
// so that a server can stop. It is called once.
func (w *Watch) Run(ctx context.Context) {
	defer close(w.over)
	for ctx.Err() == nil {
		if err := w.from.Listen(ctx, []string{store.RunsChannel}, w.wake); err != nil && ctx.Err() == nil {
			w.log.WarnContext(ctx, "lost the connection that hears of changed runs", "error", err)
			pause(ctx, listenRetry)
		}
	}
}

// wake tells the streams of the runs in a payload: ids with commas between them, anything else means all.
func (w *Watch) wake(_, payload string) {
	named := make(map[uuid.UUID]bool)
	for _, text := range strings.Split(payload, ",") {
		if id, err := uuid.Parse(text); err == nil {
			named[id] = true
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for c, id := range w.subs {
		if len(named) > 0 && !named[id] {
			continue
		}
		select {
		case c <- struct{}{}:
		default: // it was told already
		}
	}
}

// Subscribe gives a channel that says when a run may have changed, until stop is called.
func (w *Watch) Subscribe(run uuid.UUID) (changed <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	w.mu.Lock()
	w.subs[c] = run
	w.mu.Unlock()
	return c, func() {
		w.mu.Lock()
		delete(w.subs, c)
		w.mu.Unlock()
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
