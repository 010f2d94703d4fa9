package launch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"pawl/connections/genisys"
	"pawl/connections/release"
	"pawl/internal/launch"
)

// temporal stands for the Temporal service: it says what it is asked for. internal/e2e has the real one.
type temporal struct {
	client.Client
	calls chan string

	mu   sync.Mutex
	lost map[string]bool // the workflows that it does not know
}

func (c *temporal) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, _ any, _ ...any) (client.WorkflowRun, error) {
	c.calls <- "start " + o.ID
	return nil, nil
}

func (c *temporal) SignalWorkflow(_ context.Context, id, _, name string, _ any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost[id] {
		return serviceerror.NewNotFound("no workflow " + id)
	}
	c.calls <- name + " " + id
	return nil
}

// reads is a process in which one run has a request under way.
type reads struct {
	run     uuid.UUID
	aborted chan string
}

func (r reads) OnTheWire(time.Duration) []uuid.UUID { return []uuid.UUID{r.run} }
func (r reads) Abort(run uuid.UUID)                 { r.tell("abort " + run.String()) }
func (r reads) AbortAll(run uuid.UUID)              { r.tell("abort all of " + run.String()) }

func (r reads) tell(what string) {
	select {
	case r.aborted <- what:
	default: // it is told every time
	}
}

// versions says when the history was looked after.
type versions struct {
	release.Stages
	done chan int
}

func (v versions) ExpireKept(ctx context.Context, limit int, by string) (int, error) {
	n, err := v.Stages.ExpireKept(ctx, limit, by)
	v.done <- n
	return n, err
}

func (w *world) config(process string, c *temporal) launch.Config {
	return launch.Config{
		Store: w.store, Versions: versions{release.Stages{Store: w.store}, make(chan int, 100)}, Temporal: c,
		Reads: reads{uuid.New(), make(chan string, 1)}, Log: testLog(w.t), TaskQueue: "test", Process: process,
	}
}

func newTemporal(lost ...uuid.UUID) *temporal {
	c := &temporal{calls: make(chan string, 1000), lost: map[string]bool{}}
	for _, id := range lost {
		c.lost[id.String()] = true
	}
	return c
}

// next takes n calls, in the order of their text.
func (c *temporal) next(n int) []string {
	var all []string
	for range n {
		all = append(all, <-c.calls)
	}
	slices.Sort(all)
	return all
}

func TestQueuedRunsAreStartedOnceByAnyNumberOfProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.request(w.published("orders", document(action("a", shop, ""))))
	var want []string
	for range 100 {
		want = append(want, "start "+w.start(q).String())
	}
	slices.Sort(want)
	c := newTemporal()
	for i := range 3 {
		run(t, launch.New(w.config(fmt.Sprintf("worker %d", i), c)).Run)
	}
	if diff := cmp.Diff(want, c.next(len(want))); diff != "" {
		t.Error(diff)
	}
	if got := w.text(`select count(*)::text from run where claimed_by like 'worker _' and claimed_until > clock_timestamp()`); got != "100" {
		t.Errorf("%s runs are claimed, want 100", got)
	}
}

func TestClaimsOfAnotherProcessLastUntilTheirEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.request(w.published("orders", document(action("a", shop, ""))))
	held, over, free := w.start(q), w.start(q), w.start(q)
	w.exec(`update run set claimed_by = 'gone', claimed_until = clock_timestamp() + interval '1 hour' where id = $1`, held)
	w.exec(`update run set claimed_by = 'gone', claimed_until = clock_timestamp() - interval '1 second' where id = $1`, over)
	got, err := w.store.ClaimQueued(t.Context(), "me", time.Minute, 10)
	w.must(err)
	if want := []uuid.UUID{over, free}; !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("claimed %v, want %v", got, want)
	}
	w.must(w.store.FreeClaims(t.Context()))
	if got, err = w.store.ClaimQueued(t.Context(), "me", time.Minute, 2); err != nil || len(got) != 2 {
		t.Errorf("after the claims were freed: %v, %v, want 2 of 3", got, err)
	}
}

func sorted(ids []uuid.UUID) []uuid.UUID {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return ids
}

func TestNudgesReachTheRunsAlive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.request(w.published("orders", document(action("a", shop, ""))))
	lives, lost, ended := w.start(q), w.start(q), w.start(q)
	w.exec(`update run set state = 'waiting'`)
	w.exec(`update run set state = 'failed', finished_at = now() where id = $1`, ended)
	for _, id := range []uuid.UUID{lives, lost, ended} {
		w.must(w.store.PutNudge(t.Context(), id))
	}
	c := newTemporal(lost)
	run(t, launch.New(w.config("worker", c)).Run)
	want := []string{"nudge " + lives.String(), "start " + lost.String()}
	if diff := cmp.Diff(want, c.next(2)); diff != "" {
		t.Error(diff)
	}
	if got := w.text(`select count(*)::text from run where nudge_at is not null`); got != "0" {
		t.Errorf("%s nudges are left", got)
	}
}

func TestOneAloneTakesUpWhatIsAlive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.request(w.published("orders", document(action("a", shop, ""))))
	running, claimed, ended := w.start(q), w.start(q), w.start(q)
	w.exec(`update run set state = 'running' where id = $1`, running)
	w.exec(`update run set claimed_by = 'killed', claimed_until = clock_timestamp() + interval '1 hour' where id = $1`, claimed)
	w.exec(`update run set state = 'succeeded', finished_at = now() where id = $1`, ended)
	c := newTemporal()
	cfg := w.config("worker", c)
	cfg.Alone = true
	run(t, launch.New(cfg).Run)
	want := []string{"start " + running.String(), "start " + claimed.String()}
	slices.Sort(want)
	if diff := cmp.Diff(want, c.next(2)); diff != "" {
		t.Error(diff)
	}
}

func TestReadsOfCancelledRunsAreAborted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		force bool
		want  string
	}{{"cancelled", false, "abort "}, {"by force", true, "abort all of "}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.start(w.request(w.published("orders", document(action("a", shop, "")))))
			w.must(w.starter.Cancel(t.Context(), id, "ana", tt.force))
			cfg := w.config("worker", newTemporal())
			r := reads{id, make(chan string, 1)}
			cfg.Reads = r
			run(t, launch.New(cfg).Run)
			if got := <-r.aborted; got != tt.want+id.String() {
				t.Errorf("%s, want %s", got, tt.want+id.String())
			}
		})
	}
}

func TestVersionsPastTheirDateAreWrittenDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stages := release.Stages{Store: w.store}
	promote := func(version string, keep *time.Time) {
		p, problems := genisys.Decode(plugin(version))
		w.must(problems.Err())
		for _, move := range []release.Move{release.Push(p, nil), release.ToPreview(nil, uuid.New), release.ToProduction(keep)} {
			_, err := w.store.ChangePlugin(t.Context(), "shop", "ana", move)
			w.must(err)
		}
	}
	promote("1.0.0", nil)
	later := time.Now().Add(time.Hour)
	promote("1.1.0", &later)
	w.exec(`update binding set kept_until = clock_timestamp() - interval '1 second' where kept_until is not null`)
	cfg := w.config("worker", newTemporal())
	done := make(chan int, 100)
	cfg.Versions = versions{stages, done}
	run(t, launch.New(cfg).Run)
	if n := <-done; n != 1 {
		t.Errorf("written down for %d plugins, want 1", n)
	}
	if got := w.text(`select concat_ws(' ', state, reason, changed_by) from binding where identity = $1`, shop); got != "withdrawn kept_until_passed pawl" {
		t.Errorf("the binding is %s", got)
	}
}

func plugin(version string) []byte {
	b, err := json.Marshal(map[string]any{"format": "genisys-plugin@1", "code": "export default {};", "manifest": map[string]any{
		"id": "shop", "name": "Shop", "version": version, "description": "For tests.", "tools": []any{}, "skills": []any{},
		"permissions": map[string]any{"hosts": []any{}},
		"app": map[string]any{"baseUrl": "https://api.example.com", "auth": "bearer", "actions": []any{map[string]any{
			"id": "create_order", "name": "Create order", "description": "Creates.", "method": "POST", "path": "/orders", "inputs": []any{},
		}}},
	}})
	if err != nil {
		panic(err)
	}
	return b
}
