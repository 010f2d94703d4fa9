package launch_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/connections"
	"pawl/connections/vault"
	"pawl/internal/automation"
	"pawl/internal/fault"
	"pawl/internal/launch"
	"pawl/internal/store"
	"pawl/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// world is a database with one project, and a starter of which everything it tells is noted.
type world struct {
	t       testing.TB
	pool    *pgxpool.Pool
	store   *store.Store
	project uuid.UUID
	starter *launch.Starter
	queued  int
	changed []uuid.UUID
}

func newWorld(t testing.TB) *world {
	t.Helper()
	pool := storetest.New(t)
	w := &world{t: t, pool: pool, store: store.New(pool)}
	p, err := w.store.CreateProject(t.Context(), "shop", "Shop", "test")
	w.must(err)
	w.project = p.ID
	w.starter = launch.NewStarter(w.store, func() { w.queued++ }, func(run uuid.UUID) { w.changed = append(w.changed, run) })
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	_, err := w.pool.Exec(w.t.Context(), sql, args...)
	w.must(err)
}

// text gives what a statement selects, as one text.
func (w *world) text(sql string, args ...any) string {
	w.t.Helper()
	var s string
	w.must(w.pool.QueryRow(w.t.Context(), sql, args...).Scan(&s))
	return s
}

func document(steps string) string {
	return fmt.Sprintf(`{"format":"pawl-automation@1","name":"Orders","inputs":{"type":"object","properties":{"n":{"type":"integer"}},
		"required":["n"],"additionalProperties":false},"steps":[%s]}`, steps)
}

// action is a step that calls the shop.
func action(id, identity, account string) string {
	named := ""
	if account != "" {
		named = fmt.Sprintf(`"account":%q,`, account)
	}
	return fmt.Sprintf(`{"id":%q,"type":"action","action":%q,%s"input":{}}`, id, identity+".create_order", named)
}

// draft makes an automation with a draft.
func (w *world) draft(name, body string) uuid.UUID {
	w.t.Helper()
	_, err := w.store.PutDrafts(w.t.Context(), w.project, []store.AutomationDraft{{Name: name, Body: []byte(body)}}, "ana")
	w.must(err)
	a, err := w.store.AutomationByName(w.t.Context(), w.project, name)
	w.must(err)
	return a.ID
}

// published makes an automation with a live version.
func (w *world) published(name, body string) uuid.UUID {
	w.t.Helper()
	id := w.draft(name, body)
	w.publish(name, body)
	return id
}

// publish makes a document the live version of an automation.
func (w *world) publish(name, body string) {
	w.t.Helper()
	doc, problems := automation.Decode([]byte(body))
	w.must(problems.Err())
	a, err := w.store.AutomationByName(w.t.Context(), w.project, name)
	w.must(err)
	_, _, err = w.store.PublishAutomation(w.t.Context(), w.project, store.Publication{
		Name: name, Rev: a.DraftRev, Digest: doc.Digest(), Body: doc.Canonical(), Actor: "ana",
	})
	w.must(err)
}

// account saves a key for an identity.
func (w *world) account(identity, name string) uuid.UUID {
	w.t.Helper()
	key := connections.AccountKey{Project: w.project, Identity: connections.ConnectionIdentity(identity), Name: name}
	a, err := w.store.SetAccount(w.t.Context(), key, "ana", func(vault.Row) ([]byte, error) { return []byte("sealed"), nil })
	w.must(err)
	return a.ID
}

// request asks for a run of an automation with the input {"n":1}.
func (w *world) request(automation uuid.UUID) launch.StartRequest {
	return launch.StartRequest{Project: w.project, Automation: automation, Input: []byte(`{"n":1}`), Trigger: "api", Actor: "ana"}
}

func (w *world) start(q launch.StartRequest) uuid.UUID {
	w.t.Helper()
	id, existing, err := w.starter.Start(w.t.Context(), q)
	w.must(err)
	if existing {
		w.t.Fatalf("run %s was there before", id)
	}
	return id
}

// kind is the kind and reason of a fault, of a list's first; empty for no error.
func kind(err error) string {
	if err == nil {
		return ""
	}
	f := fault.From(err)
	var list fault.List
	if errors.As(err, &list) {
		f = list[0]
	}
	return strings.TrimSpace(string(f.Kind) + " " + f.Reason)
}

func testLog(t testing.TB) *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }
