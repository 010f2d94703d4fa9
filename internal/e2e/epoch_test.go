package e2e_test

import (
	"context"
	"strings"
	"testing"

	"pawl/internal/launch"
)

// After a restore of the database "no row" does not prove "not sent": the first unsafe write of a run that lived before
// is unknown until a person decides. Reads go on.
func TestRestoredDatabaseMakesTheFirstUnsafeWriteUnknown(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLab(t)
	a, err := l.Publish(ctx, "old", document("Old", action("r", "get_item", `{"id":"1"}`, "")+","+action("w1", "create_order", `{"title":"w1"}`, "")+","+action("w2", "create_order", `{"title":"w2"}`, ""), ""))
	must(t, err)
	run, err := l.Run(ctx, a, `{}`)
	must(t, err)
	_, err = l.Pool.Exec(ctx, `with e as (insert into epoch (system_identifier, timeline) values ('before the restore', 1) returning id) update run set epoch = e.id from e`)
	must(t, err)
	must(t, l.Start(ctx))
	l.WaitFor(t, run, soon, "needs_attention")
	if l.Target.Count("GET", "/item") != 1 || l.Target.Count("POST", "/orders") != 0 {
		t.Fatalf("the target saw %d reads and %d writes", l.Target.Count("GET", "/item"), l.Target.Count("POST", "/orders"))
	}
	var problem string
	must(t, l.Pool.QueryRow(ctx, `select error from attempt where run_id = $1 and path = 'w1'`, run).Scan(&problem))
	if !strings.Contains(problem, "database_restored") {
		t.Errorf("the error is %s", problem)
	}
	must(t, l.Starter.Settle(ctx, launch.SettleRequest{Run: run, Path: "w1", As: "retry", Actor: "ana"}))
	l.WaitFor(t, run, soon, "succeeded")
	if n := l.Target.Count("POST", "/orders"); n != 2 {
		t.Errorf("%d writes, want 2", n)
	}
}
