package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/connections/release"
	"pawl/internal/fault"
	"pawl/internal/store"
	"pawl/internal/store/storetest"
)

// stage drives the stages of plugins in a test; each of its methods fails the test on an error.
type stage struct {
	t     testing.TB
	pool  *pgxpool.Pool
	store *store.Store
}

func newStage(t testing.TB) stage {
	t.Helper()
	pool := storetest.New(t)
	return stage{t, pool, store.New(pool)}
}

func (s stage) do(id string, move release.Move) release.Done {
	s.t.Helper()
	done, err := s.store.ChangePlugin(s.t.Context(), id, "ana@example.org", move)
	if err != nil {
		s.t.Fatal(err)
	}
	return done
}

// pluginFile is a plugin with one action, or without an app for an empty path.
func pluginFile(id, version, path string) []byte {
	app := ""
	if path != "" {
		app = fmt.Sprintf(`,"app":{"baseUrl":"https://api.example.com","auth":"bearer","actions":[
			{"id":"list_items","name":"List items","description":"Lists.","method":"GET","path":%q,"inputs":[]}]}`, path)
	}
	return fmt.Appendf(nil, `{"format":"genisys-plugin@1","manifest":{"id":%q,"name":"App","version":%q,"description":"For tests.",
		"tools":[],"skills":[],"permissions":{"hosts":[]}%s},"code":"export default {};"}`, id, version, app)
}

func decoded(t testing.TB, file []byte) *genisys.Plugin {
	t.Helper()
	p, problems := genisys.Decode(file)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (s stage) push(id, version string) {
	s.t.Helper()
	s.do(id, release.Push(decoded(s.t, pluginFile(id, version, "/items")), nil))
}

// preview pushes a version with an app and freezes it.
func (s stage) preview(id, version string) {
	s.t.Helper()
	s.push(id, version)
	s.do(id, toPreview())
}

func toPreview() release.Move { return release.ToPreview(nil, uuid.New) }

// release pushes a version with an app, freezes it and brings it into production.
func (s stage) release(id, version string) release.Done {
	s.t.Helper()
	s.preview(id, version)
	return s.do(id, release.ToProduction(nil))
}

// bindings gives "state reason gen" by identity.
func (s stage) bindings() map[string]string {
	s.t.Helper()
	rows, err := s.pool.Query(s.t.Context(), `select identity, state || ' ' || reason || ' ' || gen from binding`)
	if err != nil {
		s.t.Fatal(err)
	}
	m := map[string]string{}
	var identity, fact string
	for rows.Next() {
		if err := rows.Scan(&identity, &fact); err != nil {
			s.t.Fatal(err)
		}
		m[identity] = fact
	}
	return m
}

func v(text string) connections.Version {
	version, err := connections.ParseVersion(text)
	if err != nil {
		panic(err)
	}
	return version
}

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

// TestC102RollbackRestoresTheBinding is case C102: rollback restores the earlier version's binding, withdraws the
// newer one without pointing it elsewhere, and touches no draft.
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
	if _, err := s.pool.Exec(t.Context(), `update binding set kept_until = now() - interval '1 second' where kept_until is not null`); err != nil {
		t.Fatal(err)
	}
	ids, err := s.store.ExpiredPlugins(t.Context(), 10)
	if err != nil || !slices.Equal(ids, []string{"shop"}) {
		t.Fatalf("expired plugins %v, %v, want shop", ids, err)
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

// TestLimitHoldsAtOnce lets 20 plugins compete for the last places.
func TestLimitHoldsAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	const free = 5
	for i := range release.MaxProductionApps - free {
		s.release(fmt.Sprintf("app-%03d", i), "1.0.0")
	}
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		id := fmt.Sprintf("new-%03d", i)
		s.preview(id, "1.0.0")
		wg.Go(func() {
			_, errs[i] = s.store.ChangePlugin(context.WithoutCancel(t.Context()), id, "ana", release.ToProduction(nil))
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !fault.Is(err, fault.Limit) {
			t.Error(err)
		}
	}
	if won != free {
		t.Errorf("%d promotions were accepted, want %d", won, free)
	}
}

// snapshot is every row that a move may touch, as text.
func (s stage) snapshot() []string {
	s.t.Helper()
	var all []string
	for _, table := range []string{"plugin", "release", "binding", "preview_project", "audit"} {
		rows, err := s.pool.Query(s.t.Context(), `select t::text from `+table+` t order by 1`)
		if err != nil {
			s.t.Fatal(err)
		}
		var line string
		for rows.Next() {
			if err := rows.Scan(&line); err != nil {
				s.t.Fatal(err)
			}
			all = append(all, table+" "+line)
		}
	}
	return all
}

// TestMovesAtOnce runs every kind of move from 20 goroutines and checks what must hold at any time.
func TestMovesAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, version := range []string{"1.0.0", "1.1.0", "1.2.0"} {
		s.release("shop", version)
	}
	s.preview("shop", "1.3.0")
	moves := []release.Move{
		release.ToProduction(nil), release.Rollback(v("1.0.0")), release.Rollback(v("1.1.0")), release.Rollback(v("1.2.0")),
		release.Disable(), release.Enable(),
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(i), 1))
			for range 15 {
				_, err := s.store.ChangePlugin(context.WithoutCancel(t.Context()), "shop", fmt.Sprintf("person-%d", i), moves[rnd.IntN(len(moves))])
				if err != nil {
					t.Errorf("a move failed: %v", err)
				}
				s.oneIsServed()
			}
		})
	}
	wg.Wait()
	s.do("shop", release.Enable())
	s.oneIsServed()
	s.auditIsComplete()
}

// oneIsServed checks, in one snapshot, that the production version of an enabled plugin and no other is routed.
func (s stage) oneIsServed() {
	s.t.Helper()
	var wrong int
	err := s.pool.QueryRow(context.Background(), `select count(*) from plugin p where
		(select count(*) from binding b where b.state = 'active') <> (case when p.enabled then 1 else 0 end)
		or (select count(*) from binding b where b.state = 'active' or b.reason = 'disabled') <> 1
		or not exists (select 1 from binding b where (b.state = 'active' or b.reason = 'disabled')
			and b.identity = 'developer.shop.v' || replace(p.production_version, '.', '-'))`).Scan(&wrong)
	if err != nil {
		s.t.Error(err)
	}
	if wrong != 0 {
		s.t.Error("what is routed is not the production version alone")
	}
}

// auditIsComplete checks that the audit log tells every generation of every binding, each once, in order, with its
// last state as it is.
func (s stage) auditIsComplete() {
	s.t.Helper()
	var wrong []string
	err := s.pool.QueryRow(s.t.Context(), `with told as (
			select substr(object, 9) as identity, (detail::json->>'gen')::bigint as gen, detail::json->>'state' as state,
				row_number() over (partition by object order by id) as nth
			from audit where verb = 'binding.change')
		select coalesce(array_agg(b.identity), '{}') from binding b where
			b.gen <> (select count(*) from told where told.identity = b.identity)
			or exists (select 1 from told where told.identity = b.identity and told.gen <> told.nth)
			or b.state <> (select state from told where told.identity = b.identity order by gen desc limit 1)`).Scan(&wrong)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(wrong) != 0 {
		s.t.Errorf("the audit log does not tell all of %v", wrong)
	}
}

// TestFirstPushesAtOnce lets several people push an id that was never there.
func TestFirstPushesAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var wg sync.WaitGroup
	for i := range 12 {
		move := release.Push(decoded(t, pluginFile("shop", fmt.Sprintf("1.0.%d", i), "/items")), nil)
		wg.Go(func() {
			if _, err := s.store.ChangePlugin(context.WithoutCancel(t.Context()), "shop", "ana", move); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	state, err := s.store.PluginState(t.Context(), "shop")
	if err != nil || state.Draft.Rev != 12 {
		t.Errorf("revision %d, %v, want 12", state.Draft.Rev, err)
	}
}

// TestDraftsAtOnce lets two people push with the revision that both saw: one is told.
func TestDraftsAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.preview("shop", "1.0.0")
	rev := int64(1)
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		move := release.Push(decoded(t, pluginFile("shop", fmt.Sprintf("1.1.%d", i), "/items")), &rev)
		wg.Go(func() {
			_, errs[i] = s.store.ChangePlugin(context.WithoutCancel(t.Context()), "shop", "ana", move)
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !fault.Is(err, fault.Conflict) {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d pushes with the same revision were accepted, want 1", won)
	}
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
