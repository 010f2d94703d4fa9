package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"pawl/connections/release"
	"pawl/internal/fault"
)

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
