package ledger_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"pawl/actions"
	"pawl/internal/ledger"
)

// Each benchmark serves groups of 32, as many as benchmarks at concurrency 32 make; ns/op is of one operation.
const together = 32

func inGroups(b *testing.B, w *world, f func(run uuid.UUID, path string) error) {
	b.Helper()
	b.ResetTimer()
	for n := 0; n < b.N; n += together {
		var wg sync.WaitGroup
		for i := range together {
			wg.Go(func() {
				if err := f(w.runs[i], fmt.Sprintf("s%d", n/together)); err != nil {
					b.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

func BenchmarkFacts(b *testing.B) {
	w := newWorld(b, together)
	inGroups(b, w, func(run uuid.UUID, path string) error {
		_, err := w.ledger.Facts(context.Background(), ledger.Ask{Run: run, Path: path, Identity: identity, Action: action, Account: w.account})
		return err
	})
}

func BenchmarkRecord(b *testing.B) {
	w := newWorld(b, together)
	out := []byte(`{"status":200,"headers":{"content-type":"application/json"},"body":{"id":"1","ok":true}}`)
	inGroups(b, w, func(run uuid.UUID, path string) error {
		_, err := w.ledger.Record(context.Background(), &ledger.Record{
			Run: run, Path: path, N: 1, Action: action, Effect: actions.Read, State: ledger.Answered,
			Owner: uuid.New(), Account: w.account, Input: []byte(`{"id":"1"}`), Request: []byte(`{"method":"GET"}`), Status: 200, Output: out,
		})
		return err
	})
}

func BenchmarkClaimAndAnswer(b *testing.B) {
	w := newWorld(b, together)
	out := []byte(`{"status":200,"headers":{"content-type":"application/json"},"body":{"id":"1","ok":true}}`)
	inGroups(b, w, func(run uuid.UUID, path string) error {
		c := w.claim(run, path, 1)
		if _, _, err := w.ledger.Claim(context.Background(), c); err != nil {
			return err
		}
		_, err := w.ledger.Answer(context.Background(), &ledger.Answer{Run: run, Path: path, N: 1, Owner: c.Owner, State: ledger.Answered, Status: 200, Output: out})
		return err
	})
}
