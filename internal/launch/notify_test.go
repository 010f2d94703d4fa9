package launch_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"pawl/internal/launch"
	"pawl/internal/store"
)

// told passes notifications on to the database, and to the test.
type told struct {
	store *store.Store
	each  chan note
}

type note struct {
	channel, payload string
	err              error
}

func (a told) Notify(ctx context.Context, channel, payload string) error {
	err := a.store.Notify(ctx, channel, payload)
	a.each <- note{channel, payload, err}
	return err
}

func newNotifier(t *testing.T) (*launch.Notifier, told) {
	t.Helper()
	w := newWorld(t)
	a := told{w.store, make(chan note, 10)}
	return launch.NewNotifier(a, testLog(t)), a
}

// run runs something until the test ends.
func run(t *testing.T, f func(context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); f(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
}

func TestNotificationsFitPostgreSQL(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		runs int
		want int // ids in the payload; 0 = all are meant
	}{
		{name: "one", runs: 1, want: 1},
		{name: "as many as fit", runs: 200, want: 200},
		{name: "more than fit", runs: 201, want: 0},
		{name: "many more", runs: 5000, want: 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n, a := newNotifier(t)
			var ids []string
			for range tt.runs {
				id := uuid.New()
				ids = append(ids, id.String())
				n.Changed(id)
				n.Changed(id)
			}
			run(t, n.Run)
			got := <-a.each
			if got.channel != store.RunsChannel || got.err != nil {
				t.Errorf("told %s: %v", got.channel, got.err)
			}
			if tt.want == 0 {
				if got.payload != "*" {
					t.Errorf("payload %.80q, want *", got.payload)
				}
				return
			}
			list := strings.Split(got.payload, ",")
			slices.Sort(list)
			slices.Sort(ids)
			if !slices.Equal(list, ids) {
				t.Errorf("%d ids, want the %d that changed", len(list), tt.want)
			}
		})
	}
}

func TestWorkIsTold(t *testing.T) {
	t.Parallel()
	n, a := newNotifier(t)
	run(t, n.Run)
	n.Work()
	if got := <-a.each; got != (note{store.WorkChannel, "", nil}) {
		t.Errorf("told %+v", got)
	}
	id := uuid.New()
	n.Changed(id)
	if got := <-a.each; got != (note{store.RunsChannel, id.String(), nil}) {
		t.Errorf("told %+v", got)
	}
}

// TestNotificationsArrive tells until it is heard: nobody says when a listener has begun.
func TestNotificationsArrive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	heard := make(chan note, 1000)
	run(t, func(ctx context.Context) {
		_ = w.store.Listen(ctx, []string{store.WorkChannel, store.BindingsChannel}, func(channel, payload string) {
			select {
			case heard <- note{channel, payload, nil}:
			default:
			}
		})
	})
	missing := map[note]bool{{store.WorkChannel, "", nil}: true, {store.BindingsChannel, shop, nil}: true}
	for len(missing) > 0 {
		w.must(w.store.Notify(t.Context(), store.RunsChannel, "not listened to"))
		w.must(w.store.Notify(t.Context(), store.WorkChannel, ""))
		w.must(w.store.Notify(t.Context(), store.BindingsChannel, shop))
		select {
		case n := <-heard:
			if n.channel == store.RunsChannel {
				t.Fatal("heard a channel that was not asked for")
			}
			delete(missing, n)
		default:
		}
	}
}
