package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// walkSteps walks steps one after another.
func walkSteps(ctx workflow.Context, w *walk, sc *scope, nodes []Node) flow {
	for i := range nodes {
		if f := walkNode(ctx, w, sc, &nodes[i]); f.how != done {
			return f
		}
	}
	return flow{}
}

func walkNode(ctx workflow.Context, w *walk, sc *scope, n *Node) flow {
	if f, no := barred(w, sc); no {
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
		case Unknown, Held:
			if f, no := awaitNudge(ctx, w, sc, path, pause); no {
				if out.State == Held {
					leave(ctx, w, path, f)
				}
				return f
			}
			pause = min(2*pause, settleRecheckMax)
		default: // Detached never gets here: attempt waits for the outcome
		}
		if f, no := barred(w, sc); no && out.State != Failed {
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

// leave closes the row of a wait that the walk does not wait for any more; a walk that pauses comes back to it.
func leave(ctx workflow.Context, w *walk, path string, f flow) {
	if f.how != paused {
		callLeave(ctx, w, path)
	}
}

func walkWait(ctx workflow.Context, w *walk, sc *scope, n *Node, path string) flow {
	d, _ := decide(ctx, w, sc, path, DecideIn{Path: path, Step: n.ID, What: "wait"})
	if d.Failed {
		return decisionFlow(path, d)
	}
	return waitUntil(ctx, w, sc, path, "timer", d)
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
