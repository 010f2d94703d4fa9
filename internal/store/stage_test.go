package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/connections/release"
	"pawl/internal/store"
	"pawl/internal/store/storetest"
)

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

func (s stage) preview(id, version string) {
	s.t.Helper()
	s.push(id, version)
	s.do(id, toPreview())
}

func toPreview() release.Move { return release.ToPreview(nil, uuid.New) }

func (s stage) release(id, version string) release.Done {
	s.t.Helper()
	s.preview(id, version)
	return s.do(id, release.ToProduction(nil))
}

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

// kept lists the versions of a plugin that are routed until a date.
func (s stage) kept(id string) []string {
	s.t.Helper()
	all, err := s.store.KeptVersions(s.t.Context(), []string{id, "no-such"})
	if err != nil {
		s.t.Fatal(err)
	}
	var list []string
	for _, k := range all[id] {
		list = append(list, k.Version.String())
	}
	return list
}

func v(text string) connections.Version {
	version, err := connections.ParseVersion(text)
	if err != nil {
		panic(err)
	}
	return version
}

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
