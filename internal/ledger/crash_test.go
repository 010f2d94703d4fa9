package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"pawl/actions"
	"pawl/internal/fault"
	"pawl/internal/ledger"
)

// The crash test of docs/runtime.md: several walkers a run that stop for longer than their lease and crash at every
// point, against a real PostgreSQL, while the binding is withdrawn and restored all the time. No unsafe step may be
// sent twice, and no claim may stand under a generation whose withdrawal had returned.

const (
	crashLease  = 250 * time.Millisecond
	crashWindow = 40 * time.Millisecond
)

var errCrash = errors.New("crash")

type crashWorld struct {
	*world
	sends     sync.Map // "run path" -> *atomic.Int64
	total     atomic.Int64
	crashes   atomic.Int64
	withdrawn sync.Map // generation -> when its withdrawal returned
}

func TestCrashesAndStopsNeverDoubleAnUnsafeStep(t *testing.T) {
	t.Parallel()
	cw := &crashWorld{world: newWorld(t, crashRuns)}
	stop := make(chan struct{})
	var flapping, walking sync.WaitGroup
	flapping.Go(func() { cw.flap(t, stop) })
	slots := make(chan struct{}, 30)
	for i, run := range cw.runs {
		effect := actions.Unsafe
		if i%2 == 0 {
			effect = actions.Safe
		}
		for range 3 {
			walking.Go(func() {
				slots <- struct{}{}
				cw.walk(t, run, effect)
				<-slots
			})
		}
	}
	walking.Wait()
	close(stop)
	flapping.Wait()
	cw.verify(t)
}

// flap withdraws and restores the binding as connections/release does.
func (cw *crashWorld) flap(t *testing.T, stop <-chan struct{}) {
	ctx := context.Background()
	for tick := time.NewTicker(15 * time.Millisecond); ; {
		select {
		case <-stop:
			tick.Stop()
			return
		case <-tick.C:
		}
		tx, err := cw.pool.Begin(ctx)
		if err != nil {
			t.Error(err)
			return
		}
		var gen int64
		_, err = tx.Exec(ctx, `select pg_advisory_xact_lock(`+fmt.Sprintf(ledger.LockKey, "$1::text", "$2::uuid")+`)`, identity, uuid.Nil)
		if err == nil {
			err = tx.QueryRow(ctx, `update binding set state = 'withdrawn', gen = gen + 1 returning gen - 1`).Scan(&gen)
		}
		if err = errors.Join(err, tx.Commit(ctx)); err != nil {
			t.Error(err)
			return
		}
		var now time.Time
		if err := cw.pool.QueryRow(ctx, `select clock_timestamp()`).Scan(&now); err != nil {
			t.Error(err)
			return
		}
		cw.withdrawn.Store(gen, now)
		exec(t, cw.pool, `update binding set state = 'active', gen = gen + 1`)
	}
}

// walk takes three steps, until it crashes.
func (cw *crashWorld) walk(t *testing.T, run uuid.UUID, effect actions.Effect) {
	for s := range 3 {
		path := fmt.Sprintf("s%d", s)
		for n := 1; ; {
			out, err := cw.execute(run, path, n, effect)
			if errors.Is(err, errCrash) {
				cw.crashes.Add(1)
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			if out == "done" {
				break
			}
			if out == "again" {
				n++
				continue
			}
			pause(100, 15*time.Millisecond)
		}
	}
}

// pause stops p times of 100, up to most: walkers are meant to stop.
func pause(p int, most time.Duration) {
	if rand.IntN(100) < p {
		<-time.After(rand.N(most))
	}
}

func crash(p int) bool { return rand.IntN(1000) < p }

// execute is the protocol of activities, cut down to what the ledger sees.
func (cw *crashWorld) execute(run uuid.UUID, path string, n int, effect actions.Effect) (string, error) {
	ctx := context.Background()
	last, err := cw.ledger.Last(ctx, run, path)
	if err != nil {
		return "", err
	}
	if last != nil && last.N >= n {
		return cw.recorded(ctx, last, n)
	}
	pause(20, 60*time.Millisecond)
	began := time.Now()
	c := cw.claim(run, path, n)
	c.Effect, c.Lease = effect, crashLease
	_, won, err := cw.ledger.Claim(ctx, c)
	if err != nil || !won {
		return "busy", err
	}
	if crash(30) {
		return "", errCrash // after the claim, before the send
	}
	pause(15, 3*crashLease)
	if time.Since(began) > crashWindow {
		_, err := cw.ledger.Answer(ctx, &ledger.Answer{Run: run, Path: path, N: n, Owner: c.Owner, State: ledger.NotSent, Again: true, Error: fault.New(fault.Limit, "not_in_time", "late")})
		return "again", err
	}
	cw.send(run, path)
	if crash(60) {
		return "", errCrash // with the answer in hand
	}
	pause(5, 2*crashLease)
	_, err = cw.ledger.Answer(ctx, &ledger.Answer{Run: run, Path: path, N: n, Owner: c.Owner, State: ledger.Answered, Status: 200, Output: []byte(`{}`)})
	return "done", err
}

func (cw *crashWorld) recorded(ctx context.Context, last *ledger.Attempt, n int) (string, error) {
	switch {
	case last.N > n || last.Again:
		return "again", nil
	case last.State == ledger.Sending:
		_, err := cw.ledger.Expire(ctx, last, ledger.OwnerMayLive)
		return "busy", err
	default:
		return "done", nil
	}
}

func (cw *crashWorld) send(run uuid.UUID, path string) {
	n, _ := cw.sends.LoadOrStore(run.String()+path, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
	cw.total.Add(1)
	pause(100, 20*time.Millisecond)
}

func (cw *crashWorld) verify(t *testing.T) {
	doubled := 0
	for i, run := range cw.runs {
		for s := range 3 {
			n, ok := cw.sends.Load(fmt.Sprintf("%ss%d", run, s))
			if ok && n.(*atomic.Int64).Load() > 1 && i%2 == 1 {
				doubled++
			}
		}
	}
	if doubled > 0 {
		t.Errorf("%d unsafe steps were sent more than once", doubled)
	}
	rows, err := cw.pool.Query(context.Background(), `select gen, claimed_at from attempt`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	late := 0
	for rows.Next() {
		var gen int64
		var at time.Time
		if err := rows.Scan(&gen, &at); err != nil {
			t.Fatal(err)
		}
		if returned, ok := cw.withdrawn.Load(gen); ok && at.After(returned.(time.Time)) {
			late++
		}
	}
	if late > 0 {
		t.Errorf("%d claims stand under a generation whose withdrawal had returned", late)
	}
	if cw.crashes.Load() == 0 || cw.total.Load() < int64(len(cw.runs)) {
		t.Errorf("the test did not try enough: %d sends, %d crashes", cw.total.Load(), cw.crashes.Load())
	}
	t.Logf("%d sends, %d crashes", cw.total.Load(), cw.crashes.Load())
}
