package workflows

import (
	"fmt"
	"sort"

	"go.temporal.io/sdk/workflow"
)

// loop is the state of one each while it is walked.
type loop struct {
	path   string
	count  int
	next   int          // the lowest index that has not begun
	open   []int        // begun in an earlier walk and not done
	within map[int]bool // begun and not done in this walk
	whole  int          // a resumed walk knows the frontier below this index
	asks   bool         // a resumed walk has to ask for the frontier
	failed bool         // an iteration had failed in an earlier walk
	fails  map[int]flow
	mutex  workflow.Mutex
}

// walkEach walks its body for each item, up to Concurrency at the same time. After a failure nothing more begins;
// the failure of the lowest index stands.
func walkEach(ctx workflow.Context, w *walk, sc *scope, n *Node, path string) flow {
	d, fresh := decide(ctx, w, sc, path, DecideIn{Path: path, Step: n.ID, What: "each"})
	if d.Failed {
		return decisionFlow(path, d)
	}
	l := &loop{path: path, count: d.Count, within: map[int]bool{}, fails: map[int]flow{}, asks: w.resumed && !fresh, mutex: workflow.NewMutex(ctx)}
	if c, ok := w.cursors[path]; ok {
		delete(w.cursors, path)
		l.next, l.open, l.asks, l.whole, l.failed = c.Next, c.Open, false, c.Next, c.Stop
		learnOpen(ctx, w, l)
	}
	inner := below(sc, path, "")
	inner.stop = l.failed
	inner.shared = inner.shared || n.Concurrency > 1
	wg := workflow.NewWaitGroup(ctx)
	for range min(max(1, n.Concurrency), l.count) {
		wg.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer wg.Done()
			walkLane(ctx, w, inner, n, l)
		})
	}
	wg.Wait(ctx)
	return endLoop(w, sc, l)
}

func learnOpen(ctx workflow.Context, w *walk, l *loop) {
	if len(l.open) > 0 {
		learn(w, call[FrontierOut](ctx, w, ActivityFrontier, FrontierIn{Run: w.run, Prefix: l.path + ".", List: l.open}).Known)
	}
}

// walkLane takes one iteration after another; a resumed walk that is barred takes those that had begun.
func walkLane(ctx workflow.Context, w *walk, inner *scope, n *Node, l *loop) {
	for {
		f, no := barred(w, inner)
		if no && (f.how == paused || !w.resumed) {
			return
		}
		i, ok := take(ctx, w, l, no)
		if !ok {
			return
		}
		sc := below(inner, l.path, fmt.Sprintf("%s.%d.", l.path, i))
		f = walkSteps(ctx, w, sc, n.Steps)
		if f.how != paused {
			delete(l.within, i)
		}
		if f.how != done && f.how != paused && f.how != halted {
			l.fails[i] = f
			inner.stop = true
		}
	}
}

// take gives the next iteration: those that an earlier walk left open come first. When the walk is barred there are no
// others than those that had begun.
func take(ctx workflow.Context, w *walk, l *loop, barred bool) (int, bool) {
	if l.asks {
		if l.mutex.Lock(ctx) != nil {
			return 0, false
		}
		defer l.mutex.Unlock()
		askFrontier(ctx, w, l)
	}
	var i int
	switch {
	case len(l.open) > 0:
		i, l.open = l.open[0], l.open[1:]
	case l.next < l.count && (!barred || l.asks):
		i = l.next
		l.next++
	default:
		return 0, false
	}
	l.within[i] = true
	return i, true
}

// askFrontier learns what is known of the next iterations, until nothing is.
func askFrontier(ctx workflow.Context, w *walk, l *loop) {
	if l.next < l.whole || l.next >= l.count {
		return
	}
	high := min(l.count, l.next+frontierWindow)
	out := call[FrontierOut](ctx, w, ActivityFrontier, FrontierIn{Run: w.run, Prefix: l.path + ".", Low: l.next, High: high})
	learn(w, out.Known)
	l.whole = out.Complete
	l.asks = len(out.Known) > 0
}

func endLoop(w *walk, sc *scope, l *loop) flow {
	var ends []flow
	for _, i := range workflow.DeterministicKeys(l.fails) {
		ends = append(ends, l.fails[i])
	}
	if w.pausing && (len(l.within) > 0 || len(l.open) > 0 || l.next < l.count && len(ends) == 0) {
		w.left = append(w.left, Cursor{Path: l.path, Next: l.next, Open: openOf(l), Stop: len(ends) > 0 || l.failed})
		return flow{how: paused}
	}
	if f, no := barred(w, sc); no && len(ends) == 0 && l.next < l.count {
		return f
	}
	return worst(ends)
}

func openOf(l *loop) []int {
	open := append(workflow.DeterministicKeys(l.within), l.open...)
	open = append(open, workflow.DeterministicKeys(l.fails)...)
	sort.Ints(open)
	return open
}
