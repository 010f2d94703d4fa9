package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// walkSteps walks steps one after another.
func walkSteps(ctx workflow.Context, w *walk, sc *scope, nodes []Node) flow {
	for i := range nodes {
		stretch(ctx, w, sc, nodes[i:])
		if f := walkNode(ctx, w, sc, &nodes[i]); f.how != done {
			return f
		}
	}
	return flow{}
}

func walkNode(ctx workflow.Context, w *walk, sc *scope, n *Node) flow {
	if f, no := barred(w, sc); no && (f.how == paused || !begun(w, sc.prefix, n)) {
		return f
	}
	path := sc.prefix + n.ID
	if n.If && n.Kind != Action { // an action's own condition is evaluated with it
		if d, _ := decide(ctx, w, sc, path+"?", DecideIn{Path: path, Step: n.ID, What: "if"}); d.Failed || d.Label == "skipped" {
			return tolerate(n, decisionFlow(path, d))
		}
	}
	if n.TimeoutMS > 0 && n.Kind != Action {
		return tolerate(n, walkWithin(ctx, w, sc, n, path))
	}
	return tolerate(n, walkKind(ctx, w, sc, n, path))
}

// tolerate makes a failure of a step with on_error: continue a success; the ledger keeps what happened.
func tolerate(n *Node, f flow) flow {
	if f.how == failed && n.Continue {
		return flow{}
	}
	return f
}

func walkKind(ctx workflow.Context, w *walk, sc *scope, n *Node, path string) flow {
	switch n.Kind {
	case Action:
		return walkAction(ctx, w, sc, path)
	case Branch:
		return walkBranch(ctx, w, sc, n, path)
	case Each:
		return walkEach(ctx, w, sc, n, path)
	case Parallel:
		return walkParallel(ctx, w, sc, n, path)
	case Retry:
		return walkRetry(ctx, w, sc, n, path)
	case Try:
		return walkTry(ctx, w, sc, n, path)
	case Wait:
		return walkWait(ctx, w, sc, n, path)
	case Stop:
		d, _ := decide(ctx, w, sc, path, DecideIn{Path: path, Step: n.ID, What: "stop"})
		return flow{how: stopped, of: path, as: d.Label}
	default: // set, check
		d, _ := decide(ctx, w, sc, path, DecideIn{Path: path, Step: n.ID, What: string(n.Kind)})
		return decisionFlow(path, d)
	}
}

func decisionFlow(path string, d DecideOut) flow {
	if d.Failed {
		return flow{how: failed, of: path, kind: d.Kind}
	}
	return flow{}
}

// walkWithin walks a container with a deadline: when it is over, nothing more starts in it.
func walkWithin(ctx workflow.Context, w *walk, sc *scope, n *Node, path string) flow {
	d, _ := decide(ctx, w, sc, path+"!", DecideIn{Path: path, Step: n.ID, What: "deadline"})
	inner := below(sc, path, sc.prefix)
	inner.shared = true
	over := d.LeftMS <= 0
	inner.expired = over
	ended := false
	if !over {
		workflow.Go(ctx, func(ctx workflow.Context) {
			ok, _ := workflow.AwaitWithTimeout(ctx, time.Duration(d.LeftMS)*time.Millisecond, func() bool { return ended || w.pausing })
			inner.expired = inner.expired || !ok
		})
	}
	f := walkKind(ctx, w, inner, n, path)
	ended = true
	if f.how == done && inner.cut {
		return flow{how: failed, of: path, kind: "timeout"}
	}
	return f
}

// walkAction makes attempts of one position until its outcome stands for the walk.
func walkAction(ctx workflow.Context, w *walk, sc *scope, path string) flow {
	n := w.tried[path] + 1
	pause := settleRecheck
	for {
		out := execute(ctx, w, sc, path, n)
		switch out.State {
		case Succeeded, Skipped:
			return flow{}
		case Failed:
			if sc.retried {
				w.tried[path] = n
			}
			return flow{how: failed, of: path, kind: out.Kind, again: out.Again, after: out.After}
		case Cancelled:
			w.cancelled = true
			w.forced = w.forced || sc.finally
			return flow{how: cancelled}
		case Again:
			n++
		case Yield:
			_ = workflow.Sleep(ctx, yieldPause)
		case Unknown: // no cancel and no deadline makes an open question go away; force does
			if f, no := awaitSettled(ctx, w, path, pause); no {
				return f
			}
			pause = min(2*pause, settleRecheckMax)
			continue
		case Held:
			if f, no := awaitNudge(ctx, w, sc, path, pause); no {
				leave(ctx, w, path, f)
				return f
			}
			pause = min(2*pause, settleRecheckMax)
		default: // Detached never gets here: attempt waits for the outcome
		}
		if f, no := barred(w, sc); no && !knows(w, path) {
			return f
		}
	}
}

// awaitNudge waits until somebody woke the position, or for the safety timer.
func awaitNudge(ctx workflow.Context, w *walk, sc *scope, path string, most time.Duration) (flow, bool) {
	w.waiting++
	_, _ = workflow.AwaitWithTimeout(ctx, most, func() bool {
		_, no := barred(w, sc)
		return no || w.woken[path]
	})
	w.waiting--
	delete(w.woken, path)
	return barred(w, sc)
}

// awaitSettled waits until a person has settled the position, or for the safety timer.
func awaitSettled(ctx workflow.Context, w *walk, path string, most time.Duration) (flow, bool) {
	w.waiting++
	_, _ = workflow.AwaitWithTimeout(ctx, most, func() bool { return w.woken[path] || w.forced || w.pausing })
	w.waiting--
	woken := w.woken[path]
	delete(w.woken, path)
	switch {
	case w.forced:
		return flow{how: cancelled}, true
	case w.pausing && !woken:
		return flow{how: paused}, true
	}
	return flow{}, false
}

// leave closes the row of a wait that the walk does not wait for any more; a walk that pauses comes back to it.
func leave(ctx workflow.Context, w *walk, path string, f flow) {
	if f.how != paused {
		callLeave(ctx, w, path)
	}
}

func walkWait(ctx workflow.Context, w *walk, sc *scope, n *Node, path string) flow {
	d, fresh := decide(ctx, w, sc, path, DecideIn{Path: path, Step: n.ID, What: "wait"})
	if d.Failed || passed(w, sc, d, fresh) {
		return decisionFlow(path, d)
	}
	return waitUntil(ctx, w, sc, path, "timer", d)
}

// passed says whether a wait was over before this walk, which may not wait any more: the walk goes on to what came after.
func passed(w *walk, sc *scope, d DecideOut, fresh bool) bool {
	f, no := barred(w, sc)
	return !fresh && d.LeftMS <= 0 && no && f.how != paused
}

// waitUntil waits for the instant of a decision; the database's clock has the last word.
func waitUntil(ctx workflow.Context, w *walk, sc *scope, path, kind string, d DecideOut) flow {
	left := time.Duration(d.LeftMS) * time.Millisecond
	for {
		if left > 0 {
			w.waiting++
			_, _ = workflow.AwaitWithTimeout(ctx, left, func() bool {
				_, no := barred(w, sc)
				return no || w.woken[path]
			})
			w.waiting--
			delete(w.woken, path)
		}
		if f, no := barred(w, sc); no {
			if d.Durable {
				leave(ctx, w, path, f)
			}
			return f
		}
		if !d.Durable {
			return flow{}
		}
		out := callArrive(ctx, w, path, kind)
		if out.Arrived {
			return flow{}
		}
		left = time.Duration(max(1, out.LeftMS)) * time.Millisecond
	}
}
