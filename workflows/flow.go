package workflows

// how says how a part of the walk ended.
type how int

const (
	done      how = iota
	failed        // a step failed
	stopped       // a stop step ended the run
	cancelled     // the run is cancelled
	halted        // a sibling's failure or a deadline lets nothing more start here
	paused        // the walk unwinds, to continue as new
)

// flow is the end of a part of the walk.
type flow struct {
	how   how
	of    string // position
	kind  string // of the error
	again bool   // a retry wrapper may make another attempt
	after int64  // milliseconds that the provider asked us to wait
	as    string // of stopped: the state of the run
}

// scope is where the walk is: it decides what may still start.
type scope struct {
	parent  *scope
	prefix  string // of the positions in it
	path    string // of the container
	stop    bool   // a sibling failed
	expired bool   // the container's deadline is over
	cut     bool   // the deadline let something not begin, or ended a wait
	finally bool   // a cancelled run still walks here
	retried bool   // inside a retry wrapper: outcomes are remembered
	shared  bool   // a sibling or a deadline may bar the next step at any moment
}

// below makes the scope of a container's body in which positions have the given prefix.
func below(sc *scope, path, prefix string) *scope {
	return &scope{parent: sc, prefix: prefix, path: path, finally: sc.finally, retried: sc.retried, shared: sc.shared}
}

// barred says whether a new step may not start in a scope, and how the walk ends there. What ends the walk comes before a
// pause, so that finally blocks run in the walk in which they became due.
func barred(w *walk, sc *scope) (flow, bool) {
	for s := sc; s != nil; s = s.parent {
		if s.expired {
			s.cut = true
			return flow{how: failed, of: s.path, kind: "timeout"}, true
		}
		if s.stop {
			return flow{how: halted}, true
		}
		if s.finally && (s.parent == nil || !s.parent.finally) {
			break // a finally block runs whatever happened around it
		}
	}
	if w.forced || (w.cancelled && !sc.finally) {
		return flow{how: cancelled}, true
	}
	if w.pausing {
		return flow{how: paused}, true
	}
	return flow{}, false
}
