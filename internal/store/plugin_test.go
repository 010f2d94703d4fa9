package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/connections"
	"pawl/connections/release"
	"pawl/internal/fault"
	"pawl/internal/store"
)

func TestPromotionPublishesAndSupersedes(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.preview("shop", "1.0.0")
	if got := s.bindings(); len(got) != 0 {
		t.Fatalf("a preview publishes %v", got)
	}
	done := s.do("shop", release.ToProduction(nil))
	if want := []connections.ConnectionIdentity{"developer.shop.v1-0-0"}; !slices.Equal(done.Published, want) {
		t.Errorf("published %v, want %v", done.Published, want)
	}
	done = s.release("shop", "1.1.0")
	if want := []connections.ConnectionIdentity{"developer.shop.v1-0-0"}; !slices.Equal(done.Withdrawn, want) {
		t.Errorf("withdrawn %v, want %v", done.Withdrawn, want)
	}
	want := map[string]string{"developer.shop.v1-0-0": "withdrawn superseded 2", "developer.shop.v1-1-0": "active promoted 1"}
	if diff := cmp.Diff(want, s.bindings()); diff != "" {
		t.Error(diff)
	}
	if again := s.do("shop", release.ToProduction(nil)); again.Changed {
		t.Error("promoting the version that is in production changes something")
	}
	s.auditIsComplete()
}

func TestC102RollbackRestoresTheBinding(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("crm", "1.0.0")
	before := s.release("crm", "1.1.0").Plugin.Draft
	done := s.do("crm", release.Rollback(v("1.0.0")))
	want := map[string]string{"developer.crm.v1-0-0": "active promoted 3", "developer.crm.v1-1-0": "withdrawn rolled_back 2"}
	if diff := cmp.Diff(want, s.bindings()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, done.Plugin.Draft); diff != "" {
		t.Errorf("the draft changed: %s", diff)
	}
	s.do("crm", release.ToProduction(nil)) // the preview is 1.1.0 still
	want = map[string]string{"developer.crm.v1-0-0": "withdrawn superseded 4", "developer.crm.v1-1-0": "active promoted 3"}
	if diff := cmp.Diff(want, s.bindings()); diff != "" {
		t.Error(diff)
	}
	s.auditIsComplete()
}

func TestEnableRestoresWhatDisableWithdrew(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	s.release("shop", "1.1.0")
	s.preview("shop", "1.2.0")
	keep := time.Now().Add(time.Hour)
	s.do("shop", release.ToProduction(&keep))
	s.do("shop", release.Disable())
	want := map[string]string{"developer.shop.v1-0-0": "withdrawn superseded 2", "developer.shop.v1-1-0": "withdrawn disabled 3", "developer.shop.v1-2-0": "withdrawn disabled 2"}
	if diff := cmp.Diff(want, s.bindings()); diff != "" {
		t.Error(diff)
	}
	s.do("shop", release.Enable())
	want = map[string]string{"developer.shop.v1-0-0": "withdrawn superseded 2", "developer.shop.v1-1-0": "active enabled 4", "developer.shop.v1-2-0": "active enabled 3"}
	if diff := cmp.Diff(want, s.bindings()); diff != "" {
		t.Error(diff)
	}
	s.auditIsComplete()
}

func TestRollbackWhileDisabledIsServedWhenEnabled(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	s.release("shop", "1.1.0")
	s.do("shop", release.Disable())
	s.do("shop", release.Rollback(v("1.0.0")))
	want := map[string]string{"developer.shop.v1-0-0": "withdrawn disabled 3", "developer.shop.v1-1-0": "withdrawn rolled_back 3"}
	if diff := cmp.Diff(want, s.bindings()); diff != "" {
		t.Error(diff)
	}
	s.do("shop", release.Enable())
	want = map[string]string{"developer.shop.v1-0-0": "active enabled 4", "developer.shop.v1-1-0": "withdrawn rolled_back 3"}
	if diff := cmp.Diff(want, s.bindings()); diff != "" {
		t.Error(diff)
	}
}

func TestRemovedIdMustGoHigher(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	if done := s.do("shop", release.Remove()); len(done.Withdrawn) != 1 {
		t.Errorf("remove withdraws %v", done.Withdrawn)
	}
	if _, err := s.store.ChangePlugin(t.Context(), "shop", "ana", release.Rollback(v("1.0.0"))); !fault.Is(err, fault.Conflict) {
		t.Errorf("a removed plugin rolls back: %v", err)
	}
	s.push("shop", "1.0.0")
	if _, err := s.store.ChangePlugin(t.Context(), "shop", "ana", toPreview()); !fault.Is(err, fault.Conflict) {
		t.Errorf("a version that was frozen before the removal is frozen again: %v", err)
	}
	s.do("shop", release.Rollback(v("1.0.0"))) // pushed again, so what was there can be restored
	s.do("shop", release.Remove())
	s.release("shop", "1.0.1")
	want := map[string]string{"developer.shop.v1-0-0": "withdrawn removed 4", "developer.shop.v1-0-1": "active promoted 1"}
	if diff := cmp.Diff(want, s.bindings()); diff != "" {
		t.Error(diff)
	}
}

func TestKeptVersionExpires(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	s.preview("shop", "1.1.0")
	keep := time.Now().Add(time.Hour)
	if done := s.do("shop", release.ToProduction(&keep)); len(done.Withdrawn) != 0 {
		t.Errorf("the kept version is withdrawn: %v", done.Withdrawn)
	}
	if done := s.do("shop", release.Expire()); done.Changed {
		t.Error("a version whose date has not passed expires")
	}
	if got := s.kept("shop"); !slices.Equal(got, []string{"1.0.0"}) {
		t.Errorf("kept versions %v, want 1.0.0", got)
	}
	if _, err := s.pool.Exec(t.Context(), `update binding set kept_until = now() - interval '1 second' where kept_until is not null`); err != nil {
		t.Fatal(err)
	}
	ids, err := s.store.ExpiredPlugins(t.Context(), 10)
	if err != nil || !slices.Equal(ids, []string{"shop"}) {
		t.Fatalf("expired plugins %v, %v, want shop", ids, err)
	}
	if got := s.kept("shop"); len(got) > 0 {
		t.Errorf("kept versions %v after their date", got)
	}
	s.do("shop", release.Expire())
	want := map[string]string{"developer.shop.v1-0-0": "withdrawn kept_until_passed 3", "developer.shop.v1-1-0": "active promoted 1"}
	if diff := cmp.Diff(want, s.bindings()); diff != "" {
		t.Error(diff)
	}
}

func TestProductionAppsAreLimited(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for i := range release.MaxProductionApps {
		s.release(fmt.Sprintf("app-%03d", i), "1.0.0")
	}
	s.do("app-000", release.Disable()) // still counts: enable must always be able to restore it
	s.preview("one-more", "1.0.0")
	before := s.snapshot()
	_, err := s.store.ChangePlugin(t.Context(), "one-more", "ana", release.ToProduction(nil))
	if !fault.Is(err, fault.Limit) {
		t.Fatalf("the connection over the limit gives %v", err)
	}
	if diff := cmp.Diff(before, s.snapshot()); diff != "" {
		t.Errorf("a refused promotion changed something: %s", diff)
	}
	s.preview("app-001", "1.1.0")
	keep := time.Now().Add(time.Hour)
	if _, err := s.store.ChangePlugin(t.Context(), "app-001", "ana", release.ToProduction(&keep)); !fault.Is(err, fault.Limit) {
		t.Errorf("keeping the previous version over the limit gives %v", err)
	}
	s.do("app-001", release.ToProduction(nil)) // replaces its own
	s.do("bare", release.Push(decoded(t, pluginFile("bare", "1.0.0", "")), nil))
	s.do("bare", toPreview())
	s.do("bare", release.ToProduction(nil)) // has no app
}

func TestReleaseRowsNeverChange(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	for _, sql := range []string{`update release set document = 'x'`, `delete from release`, `update audit set actor = 'x'`} {
		_, err := s.pool.Exec(t.Context(), sql)
		var f *fault.Error
		if !errors.As(store.Explain(err), &f) || f.Reason != "immutable" {
			t.Errorf("%s gives %v", sql, err)
		}
	}
}
