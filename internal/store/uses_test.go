package store_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"pawl/connections"
	"pawl/connections/release"
	"pawl/connections/vault"
	"pawl/internal/fault"
	"pawl/internal/store"
)

// automationNaming is a document with one step, and a schedule.
func automationNaming(action string) []byte {
	return fmt.Appendf(nil, `{"steps":[{"action":%q,"id":"one","type":"action"}],"triggers":[{"id":"nightly","type":"schedule"},{"id":"hook","type":"webhook"}]}`, action)
}

func (s stage) draft(project uuid.UUID, name string, rev int64, body []byte) int64 {
	s.t.Helper()
	w, err := s.store.PutDrafts(s.t.Context(), project, []store.AutomationDraft{{Name: name, Body: body, Rev: rev}}, "ana")
	if err != nil {
		s.t.Fatal(err)
	}
	return w[0].Rev
}

func (s stage) publish(project uuid.UUID, name string, rev int64, body []byte) {
	s.t.Helper()
	p := store.Publication{Name: name, Rev: rev, Digest: sha256.Sum256(body), Body: body, Actor: "ana"}
	if _, _, err := s.store.PublishAutomation(s.t.Context(), project, p); err != nil {
		s.t.Fatal(err)
	}
}

// run inserts a run of a document in a state.
func (s stage) run(project uuid.UUID, automation, state string, body []byte) uuid.UUID {
	s.t.Helper()
	a, err := s.store.AutomationByName(s.t.Context(), project, automation)
	if err != nil {
		s.t.Fatal(err)
	}
	digest := sha256.Sum256(body)
	id := uuid.Must(uuid.NewV7())
	_, err = s.pool.Exec(s.t.Context(), `with e as (insert into epoch (system_identifier, timeline) values ($1, 1) returning id)
		insert into run (id, project_id, automation_id, digest, state, start_key, trigger, epoch, created_by, finished_at)
		select $2, $3, $4, $5, $6, $1, 'manual', e.id, 'ana', case when $6 = 'succeeded' then now() end from e`,
		id.String(), id, project, a.ID, digest[:], state)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

func TestImpact(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	s.preview("shop", "1.1.0")
	p := s.project("p1")
	named, other := automationNaming("developer.shop.v1-0-0.list_items"), automationNaming("developer.shop.v1-1-0.list_items")
	escaped := []byte(`{"steps":[{"id":"esc","action":"developer.sho\u0070.v1-0-0.list_items"}]}`)

	rev := s.draft(p, "live", 0, named)
	s.publish(p, "live", rev, named)
	s.draft(p, "live", rev, other) // the draft has moved on already
	rev = s.draft(p, "moved", 0, named)
	s.publish(p, "moved", rev, named)
	rev = s.draft(p, "moved", rev, other)
	s.publish(p, "moved", rev, other) // only an old version names it, and a run of that
	s.draft(p, "unsaved", 0, escaped)
	running := s.run(p, "moved", "running", named)
	s.run(p, "moved", "succeeded", named)
	s.run(p, "moved", "running", other)
	k := connections.AccountKey{Project: p, Identity: "developer.shop.v1-0-0", Name: "main"}
	if _, err := s.accounts().Set(t.Context(), k, vault.NewSecret(canary), "ana"); err != nil {
		t.Fatal(err)
	}

	before := s.snapshot()
	got, err := release.Stages{Store: s.store}.Impact(t.Context(), s.store, "shop", release.ToProduction(nil))
	if err != nil {
		t.Fatal(err)
	}
	step := func(id string) []release.Step {
		return []release.Step{{ID: id, Action: "developer.shop.v1-0-0.list_items"}}
	}
	want := release.Impact{
		Published: []connections.ConnectionIdentity{"developer.shop.v1-1-0"},
		Withdrawn: []connections.ConnectionIdentity{"developer.shop.v1-0-0"},
		Uses: release.Uses{
			Automations: []release.AffectedAutomation{
				{ProjectID: p, Project: "p1", Name: "live", Version: 1, Steps: step("one"), Schedules: []string{"nightly"}},
				{ProjectID: p, Project: "p1", Name: "unsaved", Steps: step("esc")},
			},
			Accounts: []release.AffectedAccount{{ProjectID: p, Project: "p1", Identity: "developer.shop.v1-0-0", Name: "main"}}, AccountCount: 1,
			Runs: []release.AffectedRun{{ID: running, ProjectID: p, Automation: "moved", State: "running"}}, RunCount: 1,
		},
	}
	ignore := []cmp.Option{
		cmpopts.IgnoreFields(release.AffectedAutomation{}, "ID"), cmpopts.IgnoreFields(release.AffectedAccount{}, "ID"),
		cmpopts.IgnoreFields(release.AffectedRun{}, "AutomationID"), cmpopts.EquateEmpty(),
	}
	if diff := cmp.Diff(want, got, ignore...); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, s.snapshot()); diff != "" {
		t.Errorf("looking at the impact changed something: %s", diff)
	}
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, id := range []string{"desk", "shop", "store"} {
		s.release(id, "1.0.0")
	}
	s.preview("shop", "1.1.0")
	s.release("gone", "1.0.0")
	s.do("gone", release.Disable())
	c := &release.Catalog{Store: s.store}
	tests := []struct {
		name     string
		query    release.Query
		want     []connections.ConnectionIdentity
		wantMore bool
	}{
		{"all", release.Query{Limit: 10}, []connections.ConnectionIdentity{"developer.desk.v1-0-0", "developer.shop.v1-0-0", "developer.store.v1-0-0"}, false},
		{"first page", release.Query{Limit: 2}, []connections.ConnectionIdentity{"developer.desk.v1-0-0", "developer.shop.v1-0-0"}, true},
		{"second page", release.Query{Limit: 2, After: "developer.shop.v1-0-0"}, []connections.ConnectionIdentity{"developer.store.v1-0-0"}, false},
		{"words in any case", release.Query{Limit: 10, Text: "LIST sho"}, []connections.ConnectionIdentity{"developer.shop.v1-0-0"}, false},
		{"nothing", release.Query{Limit: 10, Text: "nowhere"}, nil, false},
	}
	for _, tt := range tests {
		entries, more, err := c.List(t.Context(), tt.query)
		if err != nil {
			t.Fatal(err)
		}
		var got []connections.ConnectionIdentity
		for _, e := range entries {
			got = append(got, e.Identity)
			if len(e.Actions) != 1 || e.Actions[0].Risk != release.RiskRead || e.Actions[0].Identity.Connection() != e.Identity {
				t.Errorf("%s: actions %+v", tt.name, e.Actions)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || more != tt.wantMore {
			t.Errorf("%s: more %v, %s", tt.name, more, diff)
		}
	}
}

func TestPushExportAndList(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	stages := release.Stages{Store: s.store}
	file := pluginFile("shop", "1.0.0", "/items")
	if _, err := stages.Push(t.Context(), "other", file, nil, "ana"); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("a file of another plugin is taken: %v", err)
	}
	if _, err := stages.Push(t.Context(), "", []byte(`{`), nil, "ana"); err == nil {
		t.Error("a broken file is taken")
	}
	done, err := stages.Push(t.Context(), "shop", file, nil, "ana")
	if err != nil || !done.Changed || done.Plugin.Draft.Rev != 1 {
		t.Fatalf("push gives %+v, %v", done, err)
	}
	if _, err := stages.ToPreview(t.Context(), "shop", []uuid.UUID{uuid.New()}, "ana"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a preview for a project that there is not gives %v", err)
	}
	p := s.project("p1")
	if _, err := stages.ToPreview(t.Context(), "shop", []uuid.UUID{p}, "ana"); err != nil {
		t.Fatal(err)
	}
	for _, which := range []string{"", "draft", "preview", "1.0.0"} {
		exported, err := stages.Export(t.Context(), "shop", which)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := stages.Push(t.Context(), "shop", exported, nil, "ana"); err != nil || again.Changed {
			t.Errorf("pushing the export of %q changes something (%v)", which, err)
		}
	}
	for _, which := range []string{"production", "2.0.0", "x"} {
		if _, err := stages.Export(t.Context(), "shop", which); err == nil {
			t.Errorf("%q is exported", which)
		}
	}
	list, err := stages.List(t.Context(), "", 10)
	if err != nil || len(list) != 1 || list[0].Name != "App" || !list[0].App {
		t.Errorf("list %+v, %v", list, err)
	}
	shown, err := stages.Show(t.Context(), "shop")
	if err != nil || !cmp.Equal(shown.PreviewProjects, []uuid.UUID{p}) || len(shown.Releases) != 1 {
		t.Errorf("show %+v, %v", shown, err)
	}
	if _, err := stages.Show(t.Context(), "none"); !fault.Is(err, fault.NotFound) {
		t.Errorf("showing what there is not gives %v", err)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	stages := release.Stages{Store: s.store}
	s.release("shop", "1.0.0")
	s.release("shop", "1.1.0")
	s.do("shop", release.Rollback(v("1.0.0")))
	s.release("shopping", "1.0.0")
	var verbs []string
	var before int64
	for {
		events, err := stages.History(t.Context(), s.store, "shop", before, 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			verbs = append(verbs, e.Verb)
			before = e.ID
		}
	}
	want := []string{"plugin.rollback", "plugin.promote", "plugin.preview", "plugin.push", "plugin.promote", "plugin.preview", "plugin.push"}
	if diff := cmp.Diff(want, verbs); diff != "" {
		t.Error(diff)
	}
	if _, err := stages.History(t.Context(), s.store, "none", 0, 3); !fault.Is(err, fault.NotFound) {
		t.Errorf("the history of nothing gives %v", err)
	}
}
