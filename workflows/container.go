package workflows

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/workflow"
)

func walkBranch(ctx workflow.Context, w *walk, sc *scope, n *Node, path string) flow {
	d, _ := decide(ctx, w, sc, path, DecideIn{Path: path, Step: n.ID, What: "branch"})
	if d.Failed || d.Count >= len(n.Arms) {
		return decisionFlow(path, d)
	}
	return walkSteps(ctx, w, sc, n.Arms[d.Count])
}

// walkParallel walks branches side by side. The outcome does not depend on which came first: the failure of the
// lowest branch stands.
func walkParallel(ctx workflow.Context, w *walk, sc *scope, n *Node, path string) flow {
	inner := below(sc, path, sc.prefix)
	inner.shared = true
	ends := make([]flow, len(n.Arms))
	wg := workflow.NewWaitGroup(ctx)
	for i := range n.Arms {
		wg.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer wg.Done()
			ends[i] = walkSteps(ctx, w, inner, n.Arms[i])
			if ends[i].how == failed && !n.Finish || ends[i].how == stopped {
				inner.stop = true
			}
		})
	}
	wg.Wait(ctx)
	return worst(ends)
}

// worst picks the end that stands for all: a pause first, then a stop, a failure, a cancellation; among equals
// the lowest index.
func worst(ends []flow) flow {
	for _, h := range []how{paused, stopped, failed, cancelled, halted} {
		for _, f := range ends {
			if f.how == h {
				return f
			}
		}
	}
	return flow{}
}

// walkRetry walks its body in rounds. Steps that succeeded keep their outcome; the failed one gets another attempt.
func walkRetry(ctx workflow.Context, w *walk, sc *scope, n *Node, path string) flow {
	inner := below(sc, path, sc.prefix)
	inner.retried = true
	for round := 1; ; round++ {
		if n.Restart && round > 1 {
			inner.prefix = fmt.Sprintf("%s~%d.", path, round)
		}
		f := walkSteps(ctx, w, inner, n.Steps)
		if f.how == failed && f.again && round < n.Attempts {
			key := fmt.Sprintf("%s#%d", path, round)
			d, fresh := decide(ctx, w, inner, key, DecideIn{Path: path, Step: n.ID, What: "retry", Round: round, AfterMS: f.after, Of: f.of})
			if passed(w, sc, d, fresh) {
				continue
			}
			if f = waitUntil(ctx, w, sc, key, "retry", d); f.how == done {
				continue
			}
		}
		if !sc.retried && f.how != paused {
			forget(w, path, sc.prefix, n.Steps)
		}
		return f
	}
}

// forget drops what the walk remembers of a retry body that is over.
func forget(w *walk, path, prefix string, nodes []Node) {
	ids := map[string]bool{}
	collect(ids, nodes)
	mine := func(p string) bool {
		if strings.HasPrefix(p, path+"~") || strings.HasPrefix(p, path+"#") {
			return true
		}
		rest, ok := strings.CutPrefix(p, prefix)
		if !ok {
			return false
		}
		return ids[strings.TrimRight(firstSegment(rest), "?!^"+beganMark)]
	}
	for _, p := range append(workflow.DeterministicKeys(w.known), workflow.DeterministicKeys(w.tried)...) {
		if mine(p) {
			delete(w.known, p)
			delete(w.tried, p)
		}
	}
}

func firstSegment(p string) string {
	if i := strings.IndexAny(p, ".~#"); i >= 0 {
		return p[:i]
	}
	return p
}

func collect(ids map[string]bool, nodes []Node) {
	for i := range nodes {
		n := &nodes[i]
		ids[n.ID] = true
		for _, arm := range n.Arms {
			collect(ids, arm)
		}
		collect(ids, n.Steps)
		collect(ids, n.Catch)
		collect(ids, n.Finally)
	}
}

// outOfTime says whether the deadline of a container around is over: its end is not for a try inside to catch.
func outOfTime(w *walk, sc *scope) bool {
	f, no := barred(w, sc)
	return no && f.how == failed
}

// beganMark is behind the path of a try with a finally block, in the decision that it has begun: a walk that is resumed,
// and barred, has to know which finally blocks are due.
const beganMark = "&"

// walkTry walks a body, its catch when it failed, and its finally whatever happened.
func walkTry(ctx workflow.Context, w *walk, sc *scope, n *Node, path string) flow {
	if len(n.Finally) > 0 {
		decide(ctx, w, sc, path+beganMark, DecideIn{Path: path, Step: n.ID, What: "begin"})
	}
	f := walkSteps(ctx, w, sc, n.Steps)
	if f.how == failed && n.HasCatch && !outOfTime(w, sc) {
		d, _ := decide(ctx, w, sc, path+"^", DecideIn{Path: path, Step: n.ID, What: "catch", Of: f.of, Kind: f.kind})
		if !d.Failed {
			f = walkSteps(ctx, w, sc, n.Catch)
		}
	}
	if f.how == paused || len(n.Finally) == 0 {
		return f
	}
	last := below(sc, path, sc.prefix)
	last.finally = true
	if g := walkSteps(ctx, w, last, n.Finally); g.how != done {
		return g
	}
	return f
}
