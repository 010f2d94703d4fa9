package ledger_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pawl/actions"
	"pawl/internal/fault"
	"pawl/internal/ledger"
)

func TestClaimChecksEverythingAtThatMoment(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change string
		want   bool
	}{
		{name: "nothing changed", change: `select 1`, want: true},
		{name: "binding withdrawn", change: `update binding set state = 'withdrawn', gen = gen + 1`, want: false},
		{name: "kept until a past instant", change: `update binding set kept_until = clock_timestamp() - interval '1 second'`, want: false},
		{name: "kept until a future instant", change: `update binding set kept_until = clock_timestamp() + interval '1 hour'`, want: true},
		{name: "run cancelled", change: `update run set cancel_requested_at = now()`, want: false},
		{name: "run ended", change: `update run set state = 'failed', finished_at = now()`, want: false},
		{name: "account removed", change: `update account set removed_at = now()`, want: false},
		{name: "account of another identity", change: `update account set identity = 'developer.shop.v2-0-0'`, want: false},
		{name: "grant revoked", change: `update standing_grant set revoked_at = now()`, want: false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			exec(t, w.pool, tt.change)
			_, got, err := w.ledger.Claim(context.Background(), w.claim(w.runs[0], "s", 1))
			if err != nil || got != tt.want {
				t.Errorf("got %v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

func TestAPositionHasOneClaimant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	var wg sync.WaitGroup
	won := make(chan bool, 100)
	for range 100 {
		wg.Go(func() {
			_, ok, err := w.ledger.Claim(context.Background(), w.claim(w.runs[0], "s", 1))
			if err != nil {
				t.Error(err)
			}
			won <- ok
		})
	}
	wg.Wait()
	close(won)
	n := 0
	for ok := range won {
		if ok {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d of 100 claims of one attempt were won, want 1", n)
	}
}

func TestSecondAttemptNeedsAnOpenFirst(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		first ledger.Answer
		want  bool
	}{
		{name: "answered for good", first: ledger.Answer{State: ledger.Answered, Status: 200, Output: []byte(`{}`)}, want: false},
		{name: "not sent, may go again", first: ledger.Answer{State: ledger.NotSent, Again: true, Error: fault.New(fault.Network, "dns", "no such host")}, want: true},
		{name: "unknown", first: ledger.Answer{State: ledger.Unknown, Error: fault.New(fault.OutcomeUnknown, "", "no answer")}, want: false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			w := newWorld(t, 1)
			c := w.claim(w.runs[0], "s", 1)
			if _, ok, err := w.ledger.Claim(ctx, c); !ok || err != nil {
				t.Fatal(ok, err)
			}
			a := tt.first
			a.Run, a.Path, a.N, a.Owner = c.Run, c.Path, c.N, c.Owner
			if closed, err := w.ledger.Answer(ctx, &a); !closed.Won || err != nil {
				t.Fatal(closed, err)
			}
			_, got, err := w.ledger.Claim(ctx, w.claim(w.runs[0], "s", 2))
			if err != nil || got != tt.want {
				t.Errorf("got %v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

func TestReadsFirstAnswerWins(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, 1)
	record := func(out string) bool {
		written, err := w.ledger.Record(ctx, &ledger.Record{Run: w.runs[0], Path: "r", N: 1, Action: action, Effect: actions.Read, State: ledger.Answered, Owner: uuid.New(), Status: 200, Output: []byte(out)})
		if err != nil {
			t.Fatal(err)
		}
		return written.Won
	}
	if first, second := record(`{"id":7615917337495251231}`), record(`{"id":2}`); !first || second {
		t.Fatalf("first %v, second %v", first, second)
	}
	got, err := w.ledger.Outputs(ctx, w.runs[0], []string{"r", "absent"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]byte{"r": []byte(`{"id":7615917337495251231}`)}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLargeOutputsAreStoredByDigest(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, 1)
	large := []byte(`"` + strings.Repeat("x", 3*ledger.InlineMax) + `"`)
	blob, ok := ledger.OutputBlob(large)
	if !ok {
		t.Fatal("a large output needs a blob")
	}
	c := w.claim(w.runs[0], "s", 1)
	if _, ok, err := w.ledger.Claim(ctx, c); !ok || err != nil {
		t.Fatal(ok, err)
	}
	a := &ledger.Answer{Run: c.Run, Path: c.Path, N: 1, Owner: c.Owner, State: ledger.Answered, Status: 200, Output: large, Blobs: []ledger.Blob{blob}}
	if closed, err := w.ledger.Answer(ctx, a); !closed.Won || err != nil {
		t.Fatal(closed, err)
	}
	got, err := w.ledger.Outputs(ctx, c.Run, []string{"s"})
	if err != nil || string(got["s"]) != string(large) {
		t.Errorf("got %d bytes, %v", len(got["s"]), err)
	}
}

func TestExpiredLeaseDecidesByEffect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		effect    actions.Effect
		wantState ledger.State
		wantAgain bool
	}{
		{name: "unsafe", effect: actions.Unsafe, wantState: ledger.Unknown, wantAgain: false},
		{name: "safe", effect: actions.Safe, wantState: ledger.Lost, wantAgain: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			w := newWorld(t, 1)
			c := w.claim(w.runs[0], "s", 1)
			c.Effect, c.Lease = tt.effect, -time.Second
			if _, ok, err := w.ledger.Claim(ctx, c); !ok || err != nil {
				t.Fatal(ok, err)
			}
			last, err := w.ledger.Last(ctx, c.Run, c.Path)
			if err != nil {
				t.Fatal(err)
			}
			if closed, err := w.ledger.Expire(ctx, last, ledger.OwnerMayLive); !closed || err != nil {
				t.Fatal(closed, err)
			}
			last, err = w.ledger.Last(ctx, c.Run, c.Path)
			if err != nil || last.State != tt.wantState || last.Again != tt.wantAgain {
				t.Errorf("got %s, %v, %v; want %s, %v", last.State, last.Again, err, tt.wantState, tt.wantAgain)
			}
		})
	}
}

func TestALiveLeaseIsNotExpired(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, 1)
	c := w.claim(w.runs[0], "s", 1)
	c.Lease = time.Hour
	if _, ok, err := w.ledger.Claim(ctx, c); !ok || err != nil {
		t.Fatal(ok, err)
	}
	last, _ := w.ledger.Last(ctx, c.Run, c.Path)
	if closed, err := w.ledger.Expire(ctx, last, ledger.OwnerMayLive); closed || err != nil {
		t.Errorf("closed %v, %v", closed, err)
	}
	if closed, err := w.ledger.Expire(ctx, last, ledger.OwnerDead); !closed || err != nil {
		t.Errorf("of a dead owner: closed %v, %v", closed, err)
	}
}

func TestSettleDecidesOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, 1)
	c := w.claim(w.runs[0], "s", 1)
	if _, ok, err := w.ledger.Claim(ctx, c); !ok || err != nil {
		t.Fatal(ok, err)
	}
	a := &ledger.Answer{Run: c.Run, Path: c.Path, N: 1, Owner: c.Owner, State: ledger.Unknown, Error: fault.New(fault.OutcomeUnknown, "", "no answer")}
	if _, err := w.ledger.Answer(ctx, a); err != nil {
		t.Fatal(err)
	}
	s := &ledger.Settle{Run: c.Run, Path: c.Path, As: "succeeded", Output: []byte(`{"status":201}`), By: "ana", Fits: func(string, []byte) error { return nil }}
	if err := ledger.SettleUnknown(ctx, w.pool, s); err != nil {
		t.Fatal(err)
	}
	err := ledger.SettleUnknown(ctx, w.pool, s)
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "ana") {
		t.Errorf("the second decision: %v", err)
	}
	late := &ledger.Answer{Run: c.Run, Path: c.Path, N: 1, Owner: c.Owner, State: ledger.Answered, Status: 500, Output: []byte(`{"status":500}`)}
	if closed, err := w.ledger.Answer(ctx, late); err != nil {
		t.Fatal(closed, err)
	}
	var output, evidence string
	if err := w.pool.QueryRow(ctx, `select output, late_answer from attempt where run_id = $1`, c.Run).Scan(&output, &evidence); err != nil {
		t.Fatal(err)
	}
	if output != `{"status":201}` || evidence != `{"status":500}` {
		t.Errorf("output %s, evidence %s", output, evidence)
	}
}

func TestDecisionsAreFrozen(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, 1)
	in := 5 * time.Second
	first, err := w.ledger.Decide(ctx, &ledger.Decision{Run: w.runs[0], Path: "b", Kind: "wait", Label: "x", In: &in, Value: json.RawMessage(`0.10`)})
	if err != nil {
		t.Fatal(err)
	}
	other := time.Hour
	second, err := w.ledger.Decide(ctx, &ledger.Decision{Run: w.runs[0], Path: "b", Kind: "wait", Label: "y", In: &other, Value: json.RawMessage(`2`)})
	if err != nil {
		t.Fatal(err)
	}
	if second.Label != first.Label || string(second.Value) != "0.10" || *second.In > in {
		t.Errorf("got %+v, want %+v", second, first)
	}
}

func TestItemsKeepTheirDigits(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, 1)
	items := make([]json.RawMessage, ledger.LoopChunk+1)
	for i := range items {
		items[i] = json.RawMessage(`{"id":7615917337495251231,"t":"<&>"}`)
	}
	n := len(items)
	d, err := w.ledger.DecideEach(ctx, &ledger.Decision{Run: w.runs[0], Path: "e", Kind: "each", Count: &n}, items)
	if err != nil || *d.Count != n {
		t.Fatal(d, err)
	}
	got, err := w.ledger.Items(ctx, w.runs[0], "e", 1)
	if err != nil || len(got) != 1 || string(got[0]) != string(items[0]) {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestFrontierWindows(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, 1)
	run := w.runs[0]
	for _, p := range []string{"a", "each.0.x", "each.1.x", "each.10.x", "each.2.in.0.y", "again~2.z", "each.2.in"} {
		if _, err := w.ledger.Record(ctx, &ledger.Record{Run: run, Path: p, N: 1, Action: action, Effect: actions.Read, State: ledger.Answered, Owner: uuid.New(), Output: []byte(`1`)}); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name      string
		prefix    string
		low, high int
		list      []int
		want      []string
	}{
		{name: "root", prefix: "", want: []string{"a", "again~2.z"}},
		{name: "window", prefix: "each.", low: 0, high: 3, want: []string{"each.0.x", "each.1.x", "each.2.in"}},
		{name: "list", prefix: "each.", list: []int{10}, want: []string{"each.10.x"}},
		{name: "nested", prefix: "each.2.in.", low: 0, high: 5, want: []string{"each.2.in.0.y"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			known, _, err := w.ledger.Frontier(ctx, run, tt.prefix, tt.low, tt.high, tt.list)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, k := range known {
				got = append(got, k.Path)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
