package workflows

// A walk that is resumed may find itself barred at once: the run was cancelled, a deadline is over, or a sibling had failed.
// Containers that had begun are entered all the same, so that the finally blocks in them run: what the ledger knows is
// answered from it, an attempt that is open is asked for, and the first thing that it does not know ends the walk there. The
// same holds for what a stretch of this walk has begun.

// begun says whether a node has begun: in an earlier walk, or in a stretch of this one.
func begun(w *walk, prefix string, n *Node) bool {
	path := prefix + n.ID
	if knows(w, path) || knows(w, path+beganMark) {
		return true
	}
	if _, ok := w.cursors[path]; ok {
		return true
	}
	if n.Kind == Each {
		return false // its decision would be known
	}
	for _, arm := range append([][]Node{n.Steps, n.Catch, n.Finally}, n.Arms...) {
		for i := range arm {
			if begun(w, prefix, &arm[i]) {
				return true
			}
		}
	}
	return n.Kind == Retry && knows(w, path+"#1")
}

func knows(w *walk, key string) bool {
	_, ok := w.known[key]
	return ok
}
