package e2e_test

import (
	"context"
	"fmt"
	"math/rand/v2"
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

// loopItems is how many iterations the long loop has.
const loopItems = 20_000

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
	if longest.Walks < 3 {
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

// sever stops passing bytes on.
func (c *cutter) sever() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = true
}

// heal ends the partition; connections that lost bytes in it are reset.
func (c *cutter) heal() {
	c.mu.Lock()
	c.cut = false
	c.mu.Unlock()
	c.each(func(n net.Conn) { n.Close() })
}

// A worker that is cut off from Temporal while the target stays reachable, and another worker that takes over: nothing is
// sent twice.
func TestAPartitionDoublesNothing(t *testing.T) {
	t.Parallel()
	requests := 0
	r := newRounds(t)
	for r.next() {
		t.Run(fmt.Sprint("round ", r.n), func(t *testing.T) { requests += partition(t, r.n) })
	}
	shows(t, "%d partitions under %d runs each, %d requests, none doubled", r.n-1, partitionRuns, requests)
}

// partitionRuns is how many runs a partition falls into.
const partitionRuns = 10

// partition cuts one worker off under runs, at an instant of chance after the first round, and every second time for a
// while only: then the worker comes back to runs that another one has taken over.
func partition(t *testing.T, round int) (requests int) {
	ctx := context.Background()
	l := newLab(t)
	proxy := newCutter(t, l.Temporal())
	first, err := l.NewEngine(ctx, "first", false, func(o *client.Options) { o.HostPort = proxy.listener.Addr().String() })
	must(t, err)
	must(t, first.Start())
	a, err := l.Publish(ctx, "slow", document("Slow", action("one", "slow_post", `{"ms":"300","title":"{{ inputs.run }}"}`, "")+","+action("two", "create_order", `{"title":"{{ inputs.run }}"}`, "")+","+action("three", "slow_post", `{"ms":"1500","title":"{{ inputs.run }} three"}`, ""), ""))
	must(t, err)
	runs := startMany(t, l, a, partitionRuns)
	after, heals := 3, round%2 == 0
	if round > 1 {
		after = rand.IntN(partitionRuns)
	}
	eventually(t, func() bool { return l.Target.Count("POST", "/orders") >= after })
	proxy.sever()
	second, err := l.NewEngine(ctx, "second", false, nil)
	must(t, err)
	must(t, second.Start())
	if heals {
		<-time.After(rand.N(8 * time.Second))
		proxy.heal()
	}
	for _, run := range runs {
		l.WaitFor(t, run, 3*time.Minute, "succeeded", "needs_attention")
	}
	if d := l.Target.Doubled(); d != nil {
		t.Errorf("doubled: %v", d)
	}
	must(t, second.Stop(ctx))
	if !heals {
		proxy.each(func(n net.Conn) { n.Close() })
	}
	stopCtx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = first.Stop(stopCtx) // it may be cut off and unable to say goodbye
	return len(l.Target.Hits())
}

// startMany starts runs with inputs of their own.
func startMany(t *testing.T, l *lab.Lab, automation uuid.UUID, n int) []uuid.UUID {
	t.Helper()
	runs := make([]uuid.UUID, n)
	for i := range runs {
		var err error
		runs[i], err = l.Run(context.Background(), automation, fmt.Sprintf(`{"run":"r%d"}`, i))
		must(t, err)
	}
	return runs
}

// Withdrawals in a tight loop under load: no request starts later than the send window after its withdrawal returned.
func TestWithdrawalsUnderLoad(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLab(t)
	ended := make(chan struct{}, loadWidth)
	l.Ended = func(uuid.UUID, string) { ended <- struct{}{} }
	must(t, l.Start(ctx))
	a, err := l.Publish(ctx, "load", document("Load", action("a", "create_order", `{"title":"{{ inputs.run }} a"}`, "")+","+action("b", "get_item", `{"id":"1"}`, ""), ""))
	must(t, err)
	stop := make(chan struct{})
	var load sync.WaitGroup
	load.Go(func() { keepBusy(t, l, a, ended, stop) })
	var withdrawn []window
	for r := newRounds(t); r.next() || len(withdrawn) < withdrawals; {
		withdrawn = append(withdrawn, withdraw(t, l))
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
	shows(t, "%d withdrawals under %d requests, none of which began later than 2 s after one returned", len(withdrawn), len(hits))
}

// loadWidth is how many runs the load has under way.
const loadWidth = 100

// keepBusy starts runs, loadWidth at a time, until it is stopped, and waits for them.
func keepBusy(t *testing.T, l *lab.Lab, a uuid.UUID, ended <-chan struct{}, stop <-chan struct{}) {
	alive := 0
	for i := 0; ; i++ {
		if _, err := l.Run(context.Background(), a, fmt.Sprintf(`{"run":"r%d"}`, i)); err != nil {
			t.Error(err)
			return
		}
		for alive++; alive >= loadWidth; alive-- {
			<-ended
		}
		select {
		case <-stop:
			for ; alive > 0; alive-- {
				<-ended
			}
			return
		default:
		}
	}
}

// window is when no request of a withdrawn binding may start.
type window struct{ from, to time.Time }

// withdraw withdraws the shop, gives the time behind its send window, and enables it again.
func withdraw(t *testing.T, l *lab.Lab) window {
	t.Helper()
	ctx := context.Background()
	_, err := l.Stages.Disable(ctx, "shop", "ana")
	must(t, err)
	w := window{from: time.Now().Add(2 * time.Second)}
	<-time.After(2500 * time.Millisecond)
	w.to = time.Now()
	_, err = l.Stages.Enable(ctx, "shop", "ana")
	must(t, err)
	<-time.After(300 * time.Millisecond)
	return w
}

// Stopping a worker under load, as SIGTERM does, makes no unknowns.
func TestStoppingUnderLoadMakesNoUnknowns(t *testing.T) {
	t.Parallel()
	r := newRounds(t)
	for r.next() {
		t.Run(fmt.Sprint("round ", r.n), stopUnderLoad)
	}
	shows(t, "%d stops under %d runs of ten writes each: all succeeded, none doubled, none unknown", r.n-1, stopRuns)
}

// stopRuns is how many runs a stop falls into.
const stopRuns = 50

func stopUnderLoad(t *testing.T) {
	ctx := context.Background()
	l := newLab(t)
	first, err := l.NewEngine(ctx, "first", false, nil)
	must(t, err)
	must(t, first.Start())
	a, err := l.Publish(ctx, "w", writes(10))
	must(t, err)
	runs := startMany(t, l, a, stopRuns)
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
	if n := l.Target.Count("POST", "/orders"); n != 10*stopRuns {
		t.Errorf("%d orders, want %d", n, 10*stopRuns)
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
