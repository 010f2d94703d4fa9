package ledger_test

import (
	"context"
	"testing"

	"pawl/internal/ledger"
)

// A failover ends all connections, and the next ones live in another history: a process that goes on through it must not
// claim in the old one.
func TestAConnectionKnowsItsEpoch(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, 2)
	before, err := ledger.Epoch(ctx, w.pool)
	if err != nil {
		t.Fatal(err)
	}
	claims := func(run int, path string) bool {
		_, won, err := w.ledger.Claim(ctx, w.claim(w.runs[run], path, 1))
		if err != nil {
			t.Fatal(err)
		}
		return won
	}
	if !claims(0, "a") {
		t.Error("a claim in the run's own epoch is refused")
	}
	exec(t, w.pool, `update epoch set timeline = timeline + 1000 where id = $1`, before) // as if this server were another one
	w.pool.Reset()
	after, err := ledger.Epoch(ctx, w.pool)
	if err != nil || after == before {
		t.Fatalf("the epoch is %d after %d, %v", after, before, err)
	}
	if claims(1, "a") {
		t.Error("an unsafe claim of a run of an earlier epoch counts")
	}
}
