package httpcall_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pawl/actions"
	"pawl/actions/httpcall"
	"pawl/internal/fault"
)

func TestPermitComesOnceBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	for _, effect := range []actions.Effect{actions.Read, actions.Unsafe} {
		for _, payload := range []string{"", "{}"} {
			t.Run(fmt.Sprintf("%s body=%t", effect, payload != ""), func(t *testing.T) {
				t.Parallel()
				c, w := serveWire(t, ok)
				for n := range 3 { // the later ones may take a kept connection
					x := post(payload)
					x.Effect = effect
					calls := 0
					x.Permit = func(context.Context) (time.Time, error) {
						calls++
						if len(w.seen()) != n {
							t.Errorf("%d requests were there before the permit", len(w.seen()))
						}
						return time.Now().Add(time.Minute), nil
					}
					a, f := do(t, c, x)
					check(t, a, f, "", "", true)
					if calls != 1 {
						t.Errorf("Permit was called %d times", calls)
					}
				}
			})
		}
	}
}

var errNoClaim = errors.New("no claim")

func TestRefusedPermitSendsNothing(t *testing.T) {
	t.Parallel()
	refusal := fault.New(fault.Unavailable, "withdrawn", "The binding is gone.")
	tests := []struct {
		name string
		err  error
		want fault.Kind
	}{
		{name: "fault", err: refusal, want: fault.Unavailable},
		{name: "wrapped fault", err: fmt.Errorf("claim: %w", refusal), want: fault.Unavailable},
		{name: "plain error", err: errNoClaim, want: fault.Internal},
	}
	for _, tt := range tests {
		for _, effect := range []actions.Effect{actions.Read, actions.Unsafe} {
			for _, payload := range []string{"", "{}"} {
				t.Run(fmt.Sprintf("%s %s body=%t", tt.name, effect, payload != ""), func(t *testing.T) {
					t.Parallel()
					c, w := serveWire(t, ok)
					x := post(payload)
					x.Effect = effect
					warm := *x
					for range 2 { // the second refusal meets a kept connection
						calls := 0
						x.Permit = func(context.Context) (time.Time, error) { calls++; return time.Time{}, tt.err }
						answer, err := c.Do(context.Background(), x)
						if !fault.Is(err, tt.want) || answer.Sent || calls != 1 {
							t.Errorf("got %v, sent %t, %d calls", err, answer.Sent, calls)
						}
						if tt.want == fault.Internal && !errors.Is(err, errNoClaim) {
							t.Errorf("%v has lost its cause", err)
						}
						a, f := do(t, c, &warm)
						check(t, a, f, "", "", true)
					}
					if n := len(w.seen()); n != 2 {
						t.Errorf("the server saw %d requests, want the 2 permitted ones", n)
					}
				})
			}
		}
	}
}

func TestLatePermitSendsNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		sendBy func() time.Time
		reason string
	}{
		{name: "passed", sendBy: func() time.Time { return time.Now().Add(-time.Millisecond) }, reason: "late"},
		{name: "passed on the wall clock only", sendBy: func() time.Time { return time.Now().Round(0).Add(-time.Millisecond) }, reason: "late"},
	}
	for _, tt := range tests {
		for _, effect := range []actions.Effect{actions.Read, actions.Unsafe} {
			t.Run(tt.name+" "+string(effect), func(t *testing.T) {
				t.Parallel()
				c, w := serveWire(t, ok)
				x := post("{}")
				x.Effect = effect
				a, f := do(t, c, x)
				check(t, a, f, "", "", true)
				x.Permit = func(context.Context) (time.Time, error) { return tt.sendBy(), nil }
				a, f = do(t, c, x)
				check(t, a, f, fault.Network, tt.reason, false)
				if n := len(w.seen()); n != 1 {
					t.Errorf("the server saw %d requests, want 1", n)
				}
			})
		}
	}
}

func TestTimeThatRunsOutInThePermitSendsNothing(t *testing.T) {
	t.Parallel()
	for _, give := range []string{"error", "permit"} {
		t.Run(give, func(t *testing.T) {
			t.Parallel()
			c, w := serveWire(t, ok)
			x := post("{}")
			x.Timeout = 150 * time.Millisecond
			x.Permit = func(ctx context.Context) (time.Time, error) {
				<-ctx.Done()
				if give == "error" {
					return time.Time{}, fault.New(fault.Internal, "claim", "The claim is unsure.")
				}
				return time.Now().Add(time.Minute), nil
			}
			a, f := do(t, c, x)
			if a.Sent || len(w.seen()) != 0 {
				t.Errorf("sent %t, %d requests", a.Sent, len(w.seen()))
			}
			if give == "permit" {
				check(t, a, f, fault.Network, "connect_timeout", false)
			} else {
				check(t, a, f, fault.Internal, "claim", false)
			}
		})
	}
}

// Cancelling at any moment: what Sent says and what the server has seen agree, or the request was on its way.
func TestSentIsNeverFalseForARequestThatArrives(t *testing.T) {
	t.Parallel()
	c, w := serveWire(t, ok)
	var sent atomic.Int64
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			x := post(fmt.Sprintf(`{"n":%d}`, i))
			x.Permit = func(context.Context) (time.Time, error) {
				go cancel() // races with the first write
				return time.Time{}, nil
			}
			answer, _ := c.Do(ctx, x)
			if answer.Sent {
				sent.Add(1)
			}
		})
	}
	all.Wait()
	if arrived := int64(len(w.seen())); arrived > sent.Load() {
		t.Errorf("%d requests arrived, only %d were reported as sent", arrived, sent.Load())
	}
}

// Many at once on the same client: each permit and each request stay together.
func TestConcurrentExchangesDoNotMix(t *testing.T) {
	t.Parallel()
	c, w := serveWire(t, ok)
	var all sync.WaitGroup
	for i := range 300 {
		all.Go(func() {
			x := post(fmt.Sprintf(`{"n":%d}`, i))
			refused := i%3 == 0
			var calls atomic.Int64
			x.Permit = func(context.Context) (time.Time, error) {
				calls.Add(1)
				if refused {
					return time.Time{}, errNoClaim
				}
				return time.Now().Add(time.Minute), nil
			}
			answer, err := c.Do(context.Background(), x)
			if answer.Sent == refused || (err == nil) == refused || calls.Load() != 1 {
				t.Errorf("%d: sent %t, %v, %d permits", i, answer.Sent, err, calls.Load())
			}
		})
	}
	all.Wait()
	if n := len(w.seen()); n != 200 {
		t.Errorf("the server saw %d requests, want 200", n)
	}
}

func TestTheDefaultIsPermitted(t *testing.T) {
	t.Parallel()
	c, _ := serveWire(t, ok)
	a, f := do(t, c, &httpcall.Exchange{Request: &httpcall.Request{Method: "GET", URL: "https://" + host}, Effect: actions.Read})
	check(t, a, f, "", "", true)
}

func TestSecondConnectionIsStopped(t *testing.T) {
	t.Parallel()
	for effect, kind := range map[actions.Effect]fault.Kind{actions.Read: fault.Network, actions.Safe: fault.Internal, actions.Unsafe: fault.Internal} {
		first, second, err := httpcall.OfferTwice(effect)
		if first == 0 || second != 0 || !fault.Is(err, kind) {
			t.Errorf("%s: wrote %d and %d bytes, %v", effect, first, second, err)
		}
	}
}

func TestSettledLeaseTakesNothing(t *testing.T) {
	t.Parallel()
	if sent, written := httpcall.SettleThenWrite(); sent || written != 0 {
		t.Errorf("sent %t, wrote %d bytes", sent, written)
	}
}
