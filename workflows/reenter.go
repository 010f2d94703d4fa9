package workflows

// A walk that is resumed may find itself barred at once: the run was cancelled, a deadline is over, or a sibling had failed.
// Containers that had begun are entered all the same, so that the finally blocks in them run: what the ledger knows is
// answered from it, and the first thing that it does not know ends the walk there.

// reenter says whether a node had begun in an earlier walk.
func reenter(w *walk, sc *scope, n *Node) bool { return w.resumed && begun(w, sc.prefix, n) }

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
