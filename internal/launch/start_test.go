package launch_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"pawl/internal/launch"
)

const shop, wiki = "developer.shop.v1-0-0", "developer.wiki.v2-1-0"

func TestStartQueuesARun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.request(w.published("orders", document(action("a", shop, ""))))
	q.Input, q.TriggerData, q.StartKey = []byte(`{"n":7615917337495251231}`), []byte(`{"from":1.10}`), "k"
	id := w.start(q)
	got := w.text(`select concat_ws(' ', state, version, start_key, trigger, trigger_data, input, accounts, stage, local_only, created_by) from run where id = $1`, id)
	if want := `queued 1 k api {"from":1.10} {"n":7615917337495251231} {} production f ana`; got != want {
		t.Errorf("queued\n%s, want\n%s", got, want)
	}
	if w.queued != 1 || !slices.Equal(w.changed, []uuid.UUID{id}) {
		t.Errorf("told of %d queued runs and of %v, want 1 and %s", w.queued, w.changed, id)
	}
}

func TestStartIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	live := w.published("live", document(action("a", shop, "")))
	only := w.draft("only-a-draft", document(action("a", shop, "")))
	gone := w.published("gone", document(action("a", shop, "")))
	w.must(w.store.RemoveAutomation(t.Context(), w.project, "gone", "ana"))
	emptied := w.published("emptied", document(action("a", shop, "")))
	w.exec(`update automation set draft = null where id = $1`, emptied)
	other, err := w.store.CreateProject(t.Context(), "other", "Other", "test")
	w.must(err)
	seven := 7
	tests := []struct {
		name   string
		of     uuid.UUID
		change func(*launch.StartRequest)
		want   string
	}{
		{"an input of another type", live, func(q *launch.StartRequest) { q.Input = []byte(`{"n":"one"}`) }, "invalid_input input"},
		{"an input that is missing", live, func(q *launch.StartRequest) { q.Input = nil }, "invalid_input input"},
		{"an input that there is not", live, func(q *launch.StartRequest) { q.Input = []byte(`{"n":1,"m":1}`) }, "invalid_input input"},
		{"no JSON", live, func(q *launch.StartRequest) { q.Input = []byte(`{`) }, "invalid_input truncated"},
		{"an input of a draft", only, func(q *launch.StartRequest) { q.Draft, q.Input = true, []byte(`{"n":null}`) }, "invalid_input input"},
		{"not published", only, func(*launch.StartRequest) {}, "conflict not_published"},
		{"no such version", live, func(q *launch.StartRequest) { q.Version = &seven }, "not_found version"},
		{"no draft", emptied, func(q *launch.StartRequest) { q.Draft = true }, "conflict no_draft"},
		{"removed", gone, func(*launch.StartRequest) {}, "not_found automation"},
		{"none", uuid.New(), func(*launch.StartRequest) {}, "not_found automation"},
		{"of another project", live, func(q *launch.StartRequest) { q.Project = other.ID }, "not_found automation"},
	}
	for _, tt := range tests {
		q := w.request(tt.of)
		tt.change(&q)
		if _, _, err := w.starter.Start(t.Context(), q); kind(err) != tt.want {
			t.Errorf("%s: %s (%v), want %s", tt.name, kind(err), err, tt.want)
		}
	}
	if got := w.text(`select count(*)::text from run`); got != "0" || w.queued != 0 {
		t.Errorf("%s runs and %d queued after refusals alone", got, w.queued)
	}
}

func TestOneStartKeyIsOneRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.request(w.published("orders", document(action("a", shop, ""))))
	q.StartKey = "order 1"
	first := w.start(q)
	again, existing, err := w.starter.Start(t.Context(), q)
	if err != nil || !existing || again != first || w.queued != 1 {
		t.Errorf("the same start again gives %s, existing %t, %v, queued %d; want %s and nothing new", again, existing, err, w.queued, first)
	}
	q.Input = []byte(` { "n" : 1.0 } `)
	if again, _, err := w.starter.Start(t.Context(), q); err != nil || again != first {
		t.Errorf("the same input, written otherwise, gives %s, %v", again, err)
	}
	elsewhere := w.request(w.published("more", document(action("a", shop, ""))))
	elsewhere.StartKey = q.StartKey
	if id := w.start(elsewhere); id == first {
		t.Error("a key of one automation is taken for another's")
	}
	q.StartKey = ""
	if one, two := w.start(q), w.start(q); one == two {
		t.Error("two starts without a key are one run")
	}
}

func TestAnotherStartUnderTheSameKeyIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.request(w.published("orders", document(action("a", shop, ""))))
	w.exec(`insert into automation_version (automation_id, version, digest, author) select automation_id, 2, digest, author from automation_version`)
	q.StartKey, q.GivenKey = "key:order 1", "order 1"
	id := w.start(q)
	draft := q
	draft.Draft, draft.StartKey = true, "key:order 2"
	ofDraft := w.start(draft)
	one, two := 1, 2
	tests := []struct {
		name   string
		change func(*launch.StartRequest)
		want   string // the run, or what differs
	}{
		{"the same", func(*launch.StartRequest) {}, id.String()},
		{"the version that was live", func(q *launch.StartRequest) { q.Version = &one }, id.String()},
		{"another version", func(q *launch.StartRequest) { q.Version = &two }, "with version 1"},
		{"another input", func(q *launch.StartRequest) { q.Input = []byte(`{"n":2}`) }, "with another input"},
		{"the draft", func(q *launch.StartRequest) { q.Draft = true }, "with version 1 instead of the draft"},
		{"local only", func(q *launch.StartRequest) { q.LocalOnly = true }, "with leave to call external actions"},
		{"the draft again", func(q *launch.StartRequest) { q.StartKey, q.Draft = "key:order 2", true }, ofDraft.String()},
		{"a version instead of the draft", func(q *launch.StartRequest) { q.StartKey = "key:order 2" }, "with the draft instead of a version"},
		{"version 2 instead of the draft", func(q *launch.StartRequest) { q.StartKey, q.Version = "key:order 2", &two }, "with the draft instead of a version"},
	}
	for _, tt := range tests {
		again := q
		tt.change(&again)
		got, existing, err := w.starter.Start(t.Context(), again)
		switch {
		case err == nil && (!existing || got.String() != tt.want):
			t.Errorf("%s: %s, existing %t, want %s", tt.name, got, existing, tt.want)
		case err != nil && (kind(err) != "conflict idempotency_key" || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), `"order 1"`)):
			t.Errorf("%s: %v, want a conflict %q that quotes the key as it was given", tt.name, err, tt.want)
		}
	}
}

func TestOneStartKeyIsOneRunForManyAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.request(w.published("orders", document(action("a", shop, ""))))
	q.StartKey = "k"
	starter := launch.NewStarter(w.store, func() {}, func(uuid.UUID) {})
	ids := make([]uuid.UUID, 20)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			var err error
			if ids[i], _, err = starter.Start(t.Context(), q); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(slices.Compact(ids)) != 1 {
		t.Errorf("one key gave the runs %v", ids)
	}
}

func TestDraftIsRunAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.published("orders", document(action("live", shop, "")))
	changed := document(action("changed", shop, ""))
	w.exec(`update automation set draft = $2 where id = $1`, id, []byte(changed))
	q := w.request(id)
	q.Draft = true
	run := w.start(q)
	w.exec(`update automation set draft = '{}' where id = $1`, id)
	got := w.text(`select concat_ws(' ', r.stage, coalesce(r.version, 0), convert_from(d.body, 'UTF8')) from run r join document d on d.digest = r.digest where r.id = $1`, run)
	if want := "test 0 " + changed; got != want {
		t.Errorf("the run follows\n%s, want\n%s", got, want)
	}
}

func TestVersionsAreRunAsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.published("orders", document(action("first", shop, "")))
	w.publish("orders", document(action("second", shop, "")))
	one := 1
	tests := []struct {
		name string
		ask  *int
		want string
	}{{"the live one", nil, "2"}, {"an earlier one", &one, "1"}}
	for _, tt := range tests {
		q := w.request(id)
		q.Version = tt.ask
		if got := w.text(`select version::text from run where id = $1`, w.start(q)); got != tt.want {
			t.Errorf("%s: version %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestLocalOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.published("orders", document(action("a", shop, "")))
	tests := []struct {
		project, asked bool
		want           string
	}{{false, false, "false"}, {false, true, "true"}, {true, false, "true"}, {true, true, "true"}}
	for _, tt := range tests {
		w.exec(`update project set local_only = $2 where id = $1`, w.project, tt.project)
		q := w.request(id)
		q.LocalOnly = tt.asked
		if got := w.text(`select local_only::text from run where id = $1`, w.start(q)); got != tt.want {
			t.Errorf("project %t, asked %t: %s, want %s", tt.project, tt.asked, got, tt.want)
		}
	}
}

func TestAccountsAreFrozen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := map[string]string{}
	for _, a := range [][2]string{{shop, "eu"}, {shop, "us"}, {wiki, "main"}} {
		ids[a[0]+" "+a[1]] = w.account(a[0], a[1]).String()
	}
	removed := w.account(shop, "old")
	w.exec(`update account set removed_at = clock_timestamp() where id = $1`, removed)
	other, err := w.store.CreateProject(t.Context(), "other", "Other", "test")
	w.must(err)
	w.exec(`update account set project_id = $2 where id = $1`, w.account(wiki, "theirs"), other.ID)
	tests := []struct {
		name  string
		steps string
		want  map[string]string
	}{
		{"by name", action("a", shop, "eu"), map[string]string{shop + " eu": ids[shop+" eu"]}},
		{"each once", action("a", shop, "eu") + "," + action("b", shop, "us") + "," + action("c", shop, "eu"), map[string]string{shop + " eu": ids[shop+" eu"], shop + " us": ids[shop+" us"]}},
		{"the only one there is", action("a", wiki, ""), map[string]string{wiki + " ": ids[wiki+" main"]}},
		{"none where there are two", action("a", shop, ""), map[string]string{}},
		{"none that was removed", action("a", shop, "old"), map[string]string{}},
		{"none of another project", action("a", wiki, "theirs"), map[string]string{}},
		{"inside of containers", fmt.Sprintf(`{"id":"e","type":"each","items":[1],"as":"item","steps":[%s]}`, action("a", wiki, "main")), map[string]string{wiki + " main": ids[wiki+" main"]}},
	}
	for i, tt := range tests {
		run := w.start(w.request(w.published(fmt.Sprintf("a%d", i), document(tt.steps))))
		var got map[string]string
		w.must(json.Unmarshal([]byte(w.text(`select accounts from run where id = $1`, run)), &got))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
