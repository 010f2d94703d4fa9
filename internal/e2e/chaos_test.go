package e2e_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"pawl/connections"
	"pawl/internal/e2e/lab"
)

// writes is an automation of n unsafe writes, each with another body for each run.
func writes(n int) string {
	steps := make([]string, n)
	for i := range steps {
		steps[i] = action(fmt.Sprintf("s%d", i), "create_order", fmt.Sprintf(`{"title":"{{ inputs.run }} step %d"}`, i), "")
	}
	return document("Writes", strings.Join(steps, ","), "")
}

// each over 20,000 items with outputs of 1 KiB ends with histories, tasks and memory in bounds.
func TestALongLoopStaysSmall(t *testing.T) {
	t.Parallel()
	l := startedLab(t)
	doc := document("Long", `{"id":"range","type":"set","value":"{{ inputs.items }}"},{"id":"each","type":"each","items":"{{ steps.range.output }}","as":"it","concurrency":16,"steps":[`+
		action("pad", "pad", `{"bytes":"1000"}`, "")+`]}`, `,"output":{"done":true}`)
	items := strings.TrimSuffix(strings.Repeat("0,", loopItems), ",")
	run := startRun(t, l, "long", doc, `{"items":[`+items+`]}`)
	l.WaitFor(t, run, 10*time.Minute, "succeeded")
	if n := l.Target.Count("GET", "/pad"); n != loopItems {
		t.Errorf("%d requests, want %d", n, loopItems)
	}
	longest := l.LongestHistory(t, run)
	t.Logf("%d walks, the longest history has %d events and %d bytes", longest.Walks, longest.Events, longest.Bytes)
	if longest.Events > 20_000 || longest.Bytes > 16<<20 {
		t.Errorf("a history has %d events and %d bytes", longest.Events, longest.Bytes)
	}
	if loopItems > 8000 && longest.Walks < 3 {
		t.Errorf("%d walks: the loop did not continue as new", longest.Walks)
	}
}

// cutter is a proxy that can stop passing bytes on while both ends stay open.
type cutter struct {
	listener net.Listener
	mu       sync.Mutex
	cut      bool
	conns    []net.Conn
}

func newCutter(t *testing.T, to string) *cutter {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	c := &cutter{listener: ln}
	t.Cleanup(func() { ln.Close(); c.each(func(n net.Conn) { n.Close() }) })
	go func() {
		for {
			in, err := ln.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			c.mu.Lock()
			c.conns = append(c.conns, in, out)
			c.mu.Unlock()
			go c.pipe(in, out)
			go c.pipe(out, in)
		}
	}()
	return c
}

func (c *cutter) each(f func(net.Conn)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.conns {
		f(n)
	}
}

func (c *cutter) pipe(from, to net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		c.mu.Lock()
		cut := c.cut
		c.mu.Unlock()
		if err != nil {
			to.Close()
			return
		}
		if cut {
			continue // swallowed: a partition, not a reset
		}
		if _, err := to.Write(buf[:n]); err != nil {
			from.Close()
			return
		}
	}
}

// A worker that is cut off from Temporal while the target stays reachable, and another worker that takes over: nothing is
// sent twice.
func TestAPartitionDoublesNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLab(t)
	proxy := newCutter(t, l.Temporal())
	first, err := l.NewEngine(ctx, "first", false, func(o *client.Options) { o.HostPort = proxy.listener.Addr().String() })
	must(t, err)
	must(t, first.Start())
	a, err := l.Publish(ctx, "slow", document("Slow", action("one", "slow_post", `{"ms":"300","title":"{{ inputs.run }}"}`, "")+","+action("two", "create_order", `{"title":"{{ inputs.run }}"}`, "")+","+action("three", "slow_post", `{"ms":"1500","title":"{{ inputs.run }} three"}`, ""), ""))
	must(t, err)
	var runs []uuid.UUID
	for i := range 10 {
		run, err := l.Run(ctx, a, fmt.Sprintf(`{"run":"r%d"}`, i))
		must(t, err)
		runs = append(runs, run)
	}
	eventually(t, func() bool { return l.Target.Count("POST", "/orders") >= 3 })
	proxy.mu.Lock()
	proxy.cut = true
	proxy.mu.Unlock()
	second, err := l.NewEngine(ctx, "second", false, nil)
	must(t, err)
	must(t, second.Start())
	for _, run := range runs {
		l.WaitFor(t, run, 3*time.Minute, "succeeded", "needs_attention")
	}
	if d := l.Target.Doubled(); d != nil {
		t.Errorf("doubled: %v", d)
	}
	must(t, second.Stop(ctx))
	proxy.each(func(n net.Conn) { n.Close() })
	stopCtx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = first.Stop(stopCtx) // it is cut off and can't say goodbye
}

// Withdrawals in a tight loop under load: no request starts later than the send window after its withdrawal returned.
func TestWithdrawalsUnderLoad(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := startedLab(t)
	a, err := l.Publish(ctx, "load", document("Load", action("a", "create_order", `{"title":"{{ inputs.run }} a"}`, "")+","+action("b", "get_item", `{"id":"1"}`, ""), ""))
	must(t, err)
	type window struct{ from, to time.Time }
	var withdrawn []window
	stop := make(chan struct{})
	var load sync.WaitGroup
	load.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := l.Run(ctx, a, fmt.Sprintf(`{"run":"r%d"}`, i)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range withdrawals {
		_, err := l.Stages.Disable(ctx, "shop", "ana")
		must(t, err)
		w := window{from: time.Now().Add(2 * time.Second)}
		<-time.After(2500 * time.Millisecond)
		w.to = time.Now()
		withdrawn = append(withdrawn, w)
		_, err = l.Stages.Enable(ctx, "shop", "ana")
		must(t, err)
		<-time.After(300 * time.Millisecond)
	}
	close(stop)
	load.Wait()
	hits := l.Target.Hits()
	for _, h := range hits {
		for _, w := range withdrawn {
			if h.At.After(w.from) && h.At.Before(w.to) {
				t.Errorf("%s %s started %v after the send window of a withdrawal", h.Method, h.Path, h.At.Sub(w.from))
			}
		}
	}
	if len(hits) == 0 {
		t.Error("the load sent nothing")
	}
	t.Logf("%d requests, %d withdrawals", len(hits), len(withdrawn))
}

// Stopping a worker under load, as SIGTERM does, makes no unknowns.
func TestStoppingUnderLoadMakesNoUnknowns(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLab(t)
	first, err := l.NewEngine(ctx, "first", false, nil)
	must(t, err)
	must(t, first.Start())
	a, err := l.Publish(ctx, "w", writes(10))
	must(t, err)
	var runs []uuid.UUID
	for i := range 50 {
		run, err := l.Run(ctx, a, fmt.Sprintf(`{"run":"r%d"}`, i))
		must(t, err)
		runs = append(runs, run)
	}
	eventually(t, func() bool { return l.Target.Count("POST", "/orders") > 30 })
	must(t, first.Stop(ctx))
	second, err := l.NewEngine(ctx, "second", false, nil)
	must(t, err)
	must(t, second.Start())
	defer func() { must(t, second.Stop(ctx)) }()
	for _, run := range runs {
		l.WaitFor(t, run, 2*time.Minute, "succeeded")
	}
	if d := l.Target.Doubled(); d != nil {
		t.Errorf("doubled: %v", d)
	}
	if n := l.Target.Count("POST", "/orders"); n != 500 {
		t.Errorf("%d orders, want 500", n)
	}
}

// A rollback in between must not re-point steps (C102).
func TestC102RollbackPointsNothingElsewhere(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := startedLab(t)
	const next = "developer.shop.v1-1-0"
	old, err := l.Publish(ctx, "old", document("Old", action("get", "get_item", `{"id":"old"}`, ""), ""))
	must(t, err)
	must(t, l.Release(ctx, lab.ShopPlugin("1.1.0")))
	must(t, l.Account(ctx, next))
	fresh, err := l.Publish(ctx, "fresh", strings.ReplaceAll(document("New", action("get", "get_item", `{"id":"new"}`, ""), ""), lab.Shop, next))
	must(t, err)
	run, err := l.Run(ctx, fresh, `{}`)
	must(t, err)
	l.WaitFor(t, run, soon, "succeeded")
	_, err = l.Stages.Rollback(ctx, "shop", connections.Version{Major: 1}, "ana")
	must(t, err)
	run, err = l.Run(ctx, old, `{}`)
	must(t, err)
	l.WaitFor(t, run, soon, "succeeded")
	run, err = l.Run(ctx, fresh, `{}`)
	must(t, err)
	if problem := l.WaitFor(t, run, soon, "failed"); !strings.Contains(problem, "unavailable") {
		t.Errorf("the error is %s", problem)
	}
}
