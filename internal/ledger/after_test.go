package ledger_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"pawl/internal/ledger"
)

func TestAClaimAfterAnAnswer(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tests := []struct {
		name   string
		answer *ledger.Answer // of the step before; nil for none
		other  bool           // the claim follows somebody else's attempt
		want   bool
	}{
		{name: "answered", answer: &ledger.Answer{State: ledger.Answered, Status: 200}, want: true},
		{name: "not answered yet", want: false},
		{name: "not sent", answer: &ledger.Answer{State: ledger.NotSent, Again: true}, want: false},
		{name: "unknown", answer: &ledger.Answer{State: ledger.Unknown}, want: false},
		{name: "of another owner", answer: &ledger.Answer{State: ledger.Answered, Status: 200}, other: true, want: false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			before := w.claim(w.runs[0], "a", 1)
			if _, won, err := w.ledger.Claim(ctx, before); !won || err != nil {
				t.Fatal(won, err)
			}
			if tt.answer != nil {
				a := *tt.answer
				a.Run, a.Path, a.N, a.Owner = before.Run, before.Path, before.N, before.Owner
				if _, err := w.ledger.Answer(ctx, &a); err != nil {
					t.Fatal(err)
				}
			}
			c := w.claim(w.runs[0], "b", 1)
			c.After = &ledger.After{Path: "a", N: 1, Owner: before.Owner}
			if tt.other {
				c.After.Owner = uuid.New()
			}
			if _, won, err := w.ledger.Claim(ctx, c); won != tt.want || err != nil {
				t.Errorf("won %v, %v; want %v", won, err, tt.want)
			}
		})
	}
}

// An answer that a person's decision was faster than is no answer for the step after.
func TestAClaimAfterASettledStepIsRefused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, 1)
	before := w.claim(w.runs[0], "a", 1)
	if _, won, err := w.ledger.Claim(ctx, before); !won || err != nil {
		t.Fatal(won, err)
	}
	exec(t, w.pool, `update attempt set state = 'answered', settled_as = 'succeeded', settled_by = 'ana', settled_at = now() where run_id = $1`, before.Run)
	c := w.claim(w.runs[0], "b", 1)
	c.After = &ledger.After{Path: "a", N: 1, Owner: before.Owner}
	if _, won, err := w.ledger.Claim(ctx, c); won || err != nil {
		t.Errorf("won %v, %v", won, err)
	}
}

// While answers and the claims after them are on their way together, a claim that came too early is won when it is asked for
// again after its answer, in every one of many runs at once.
func TestAClaimThatWasEarlyIsWonAfterItsAnswer(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, 16)
	var wg sync.WaitGroup
	for _, run := range w.runs {
		wg.Go(func() {
			before := w.claim(run, "s0", 1)
			if _, won, err := w.ledger.Claim(ctx, before); !won || err != nil {
				t.Error(won, err)
				return
			}
			for i := 1; i < 20; i++ {
				answered := make(chan error, 1)
				go func(c *ledger.Claim) {
					_, err := w.ledger.Answer(ctx, &ledger.Answer{Run: run, Path: c.Path, N: 1, Owner: c.Owner, State: ledger.Answered, Status: 200, Output: []byte(`1`)})
					answered <- err
				}(before)
				c := w.claim(run, fmt.Sprintf("s%d", i), 1)
				c.After = &ledger.After{Path: before.Path, N: 1, Owner: before.Owner}
				_, won, err := w.ledger.Claim(ctx, c)
				if e := <-answered; e != nil || err != nil {
					t.Error(e, err)
					return
				}
				if !won {
					if _, won, err = w.ledger.Claim(ctx, c); !won || err != nil {
						t.Error("a claim after a recorded answer is refused", err)
						return
					}
				}
				before = c
			}
		})
	}
	wg.Wait()
}
