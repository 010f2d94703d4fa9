package launch_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"pawl/internal/launch"
)

func TestCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	of := w.request(w.published("orders", document(action("a", shop, ""))))
	const facts = `select concat_ws(' ', cancel_requested_by, cancel_force, nudge_at is not null) from run where id = $1`
	tests := []struct {
		name  string
		state string
		want  string // the refusal, or what the run says then
	}{
		{"queued", "queued", "ana f t"},
		{"running", "running", "ana f t"},
		{"waiting", "waiting", "ana f t"},
		{"needs attention", "needs_attention", "ana f t"},
		{"succeeded", "succeeded", "conflict run_ended"},
		{"failed", "failed", "conflict run_ended"},
		{"cancelled", "cancelled", "conflict run_ended"},
	}
	for _, tt := range tests {
		id := w.start(of)
		w.exec(`update run set state = $2, finished_at = case when $2 in ('succeeded', 'failed', 'cancelled') then now() end where id = $1`, id, tt.state)
		w.queued, w.changed = 0, nil
		got := kind(w.starter.Cancel(t.Context(), id, "ana", false))
		if got == "" {
			got = w.text(facts, id)
			if w.queued != 1 || !slices.Equal(w.changed, []uuid.UUID{id}) {
				t.Errorf("%s: told of %d queued and of %v", tt.name, w.queued, w.changed)
			}
		} else if w.queued != 0 || w.changed != nil {
			t.Errorf("%s: told of a refusal", tt.name)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	if err := w.starter.Cancel(t.Context(), uuid.New(), "ana", false); kind(err) != "not_found run" {
		t.Errorf("a run that is not there: %v", err)
	}
}

func TestCancellingAgainOnlyAddsForce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.start(w.request(w.published("orders", document(action("a", shop, "")))))
	tests := []struct {
		name  string
		by    string
		force bool
		want  string
	}{
		{"first", "ana", false, "ana f"},
		{"by somebody else", "ben", false, "ana f"},
		{"by force", "cem", true, "ana t"},
		{"without force again", "ana", false, "ana t"},
	}
	for _, tt := range tests {
		w.must(w.starter.Cancel(t.Context(), id, tt.by, tt.force))
		if got := w.text(`select concat_ws(' ', cancel_requested_by, cancel_force) from run where id = $1`, id); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestSettlingIsValidated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	run := w.start(w.request(w.published("orders", document(action("a", shop, "")))))
	w.unknown(run, "a", shop+".create_order")
	w.unknown(run, "tool", "plugin.tools.v1-0-0.order")
	w.changed = nil
	tests := []struct {
		name   string
		path   string
		as     string
		output string // empty for none
		want   string
	}{
		{"no way to settle", "a", "done", "a", "invalid_input as"},
		{"succeeded without an output", "a", "succeeded", "a", "invalid_input output"},
		{"succeeded with no object", "a", "succeeded", `[]`, "invalid_input output"},
		{"succeeded without a status", "a", "succeeded", `{"body":1}`, "invalid_input output"},
		{"succeeded with an unknown member", "a", "succeeded", `{"status":201,"code":1}`, "invalid_input output"},
		{"succeeded with a status that failed", "a", "succeeded", `{"status":404}`, "invalid_input output"},
		{"succeeded with a status that is no number", "a", "succeeded", `{"status":"x"}`, "invalid_input output"},
		{"failed with an output", "a", "failed", `{"status":201}`, "invalid_input output"},
		{"retry with an output", "a", "retry", `{"status":201}`, "invalid_input output"},
		{"valid, for a step that there is not", "b", "succeeded", `{"status":201,"headers":{"etag":"1"},"body":{"n":7615917337495251231}}`, "not_found step"},
	}
	for _, tt := range tests {
		q := launch.SettleRequest{Run: run, Path: tt.path, As: tt.as, Actor: "ana"}
		if tt.output != "" {
			q.Output = []byte(tt.output)
		}
		if err := w.starter.Settle(t.Context(), q); kind(err) != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	if w.changed != nil {
		t.Errorf("told of changes to %v after refusals alone", w.changed)
	}
	if err := w.starter.Settle(t.Context(), launch.SettleRequest{Run: run, Path: "tool", As: "succeeded", Output: []byte(`["any"]`), Actor: "ana"}); err != nil {
		t.Errorf("the output of a tool has no form of its own: %v", err)
	}
}

func TestSettlingNudgesTheRun(t *testing.T) {
	t.Parallel()
	for _, as := range []string{"succeeded", "failed", "retry"} {
		t.Run(as, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			run := w.start(w.request(w.published("orders", document(action("a", shop, "")))))
			w.exec(`update run set state = 'needs_attention' where id = $1`, run)
			w.unknown(run, "a", shop+".create_order")
			w.changed = nil
			q := launch.SettleRequest{Run: run, Path: "a", As: as, Actor: "ana"}
			if as == "succeeded" {
				q.Output = []byte(`{"status":201}`)
			}
			w.must(w.starter.Settle(t.Context(), q))
			got := w.text(`select concat_ws(' ', a.settled_as, a.settled_by, r.nudge_at is not null) from run r join attempt a on a.run_id = r.id where r.id = $1`, run)
			if want := as + " ana t"; got != want {
				t.Errorf("%s, want %s", got, want)
			}
			if !slices.Equal(w.changed, []uuid.UUID{run}) {
				t.Errorf("told of changes to %v, want %s", w.changed, run)
			}
			if err := w.starter.Settle(t.Context(), q); kind(err) != "conflict settled" {
				t.Errorf("a second decision gives %v", err)
			}
		})
	}
}

func TestReplayIsANewRunOfTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account := w.account(shop, "eu")
	q := w.request(w.published("orders", document(action("a", shop, "eu"))))
	q.StartKey, q.TriggerData, q.LocalOnly = "k", []byte(`{"from":1.10}`), true
	old := w.start(q)
	w.exec(`update run set state = 'failed', finished_at = now() where id = $1`, old)
	w.exec(`update account set removed_at = now() where id = $1`, account)
	w.queued, w.changed = 0, nil
	id, err := w.starter.Replay(t.Context(), old, "ben")
	w.must(err)
	same := `select concat_ws(' ', project_id, automation_id, version, digest, trigger_data, input, accounts, stage, local_only, epoch) from run where id = $1`
	if diff := cmp.Diff(w.text(same, old), w.text(same, id)); diff != "" {
		t.Error(diff)
	}
	got := w.text(`select concat_ws(' ', state, trigger, start_key = id::text, replay_of, created_by) from run where id = $1`, id)
	if want := "queued replay t " + old.String() + " ben"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if w.queued != 1 || !slices.Equal(w.changed, []uuid.UUID{id}) {
		t.Errorf("told of %d queued and of %v", w.queued, w.changed)
	}
	if _, err := w.starter.Replay(t.Context(), uuid.New(), "ben"); kind(err) != "not_found run" {
		t.Errorf("a run that is not there: %v", err)
	}
}

// unknown gives a run an attempt whose outcome nobody knows.
func (w *world) unknown(run uuid.UUID, path, action string) {
	w.t.Helper()
	w.exec(`insert into attempt (run_id, path, n, action, effect, state, owner, gen, epoch, finished_at)
		select id, $2, 1, $3, 'unsafe', 'unknown', $4, 1, epoch, clock_timestamp() from run where id = $1`, run, path, action, uuid.New())
}
