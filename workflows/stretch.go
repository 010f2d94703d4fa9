package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// stretch makes the actions at the beginning of nodes with one activity, where nothing but their own outcomes can come
// between them, and remembers the outcomes for the walk. The ledger records each of them as it does for a single step; the
// history gets one result for all, and the walk pays one round trip.
//
// What has begun is walked through to its outcome even if the run was cancelled meanwhile: an effect on the wire, or an open
// question, is not left behind.
//
// Where a sibling's failure or a deadline may bar a step at any moment, each step is asked for by itself.
func stretch(ctx workflow.Context, w *walk, sc *scope, nodes []Node) {
	paths := straight(w, sc, nodes)
	if len(paths) < 2 {
		return
	}
	if _, no := barred(w, sc); no {
		return
	}
	in := StretchIn{
		Run: w.run, Paths: paths, Finally: sc.finally,
		SoftMS: softMS(w), MostMS: int(stretchTime / time.Millisecond),
	}
	out := call[StretchOut](ctx, w, ActivityStretch, in)
	for i, o := range out.Steps {
		switch {
		case i >= len(paths):
		case o.State == Succeeded, o.State == Skipped, o.State == Failed, o.State == Again:
			w.known[paths[i]] = Known{Path: paths[i], N: 1, Step: o}
		case o.State == Detached, o.State == Unknown, o.State == Held:
			w.known[paths[i]] = Known{Path: paths[i], N: 1, Open: true}
			w.detached[paths[i]] = o.State == Detached
		default: // it has not begun, and is asked for again by itself
		}
	}
	w.results += len(out.Steps)
	w.inTask += len(out.Steps) / weightOfKnown
}

// straight gives the positions of the actions at the beginning of nodes that nothing is known of.
func straight(w *walk, sc *scope, nodes []Node) []string {
	if sc.shared {
		return nil
	}
	var paths []string
	for i := range nodes {
		path := sc.prefix + nodes[i].ID
		if nodes[i].Kind != Action || knows(w, path) || w.tried[path] > 0 || len(paths) == stretchMax {
			break
		}
		paths = append(paths, path)
	}
	return paths
}
