package workflows

// Names that histories hold on to.
const (
	// RunWorkflow is the type of the workflow that walks a run; its id is the run's id.
	RunWorkflow = "pawl.run"
	// NudgeSignal says "look at your rows".
	NudgeSignal = "nudge"

	ActivityBegin    = "pawl.begin"
	ActivityExecute  = "pawl.execute"
	ActivityStretch  = "pawl.stretch"
	ActivityAwait    = "pawl.await"
	ActivityDecide   = "pawl.decide"
	ActivityFrontier = "pawl.frontier"
	ActivityArrive   = "pawl.arrive"
	ActivityLeave    = "pawl.leave"
	ActivityLook     = "pawl.look"
	ActivityFinish   = "pawl.finish"
)

// RunIn is the input of the run workflow.
type RunIn struct {
	Run string `json:"run"`
	// Cursors is set when the walk continues as new: where each open loop stands.
	Cursors []Cursor `json:"cursors,omitempty"`
	// Walk counts the continuations, from 0.
	Walk int `json:"walk,omitempty"`
}

// Cursor says where an open loop stands: all iterations below Next have begun, and all of those but Open are done.
type Cursor struct {
	Path string `json:"path"`
	Next int    `json:"next"`
	Open []int  `json:"open,omitempty"`
	// Stop says that an iteration among Open has failed: no new one begins.
	Stop bool `json:"stop,omitempty"`
}

// BeginIn asks for a run's skeleton.
type BeginIn struct {
	Run    string `json:"run"`
	Resume bool   `json:"resume,omitempty"`
}

// BeginOut is what the walk knows of a run.
type BeginOut struct {
	Ended     bool    `json:"ended,omitempty"`
	Resumed   bool    `json:"resumed,omitempty"`
	Cancelled bool    `json:"cancelled,omitempty"`
	Forced    bool    `json:"forced,omitempty"`
	Steps     []Node  `json:"steps,omitempty"`
	Known     []Known `json:"known,omitempty"`
}

// Kind is the kind of a node.
type Kind string

// The kinds of nodes, as the document names them.
const (
	Action   Kind = "action"
	Branch   Kind = "branch"
	Each     Kind = "each"
	Parallel Kind = "parallel"
	Retry    Kind = "retry"
	Try      Kind = "try"
	Wait     Kind = "wait"
	Set      Kind = "set"
	Check    Kind = "check"
	Stop     Kind = "stop"
)

// Node is one step of the skeleton: no names, no expressions, no user data.
type Node struct {
	ID          string   `json:"i"`
	Kind        Kind     `json:"k"`
	If          bool     `json:"if,omitempty"`
	Continue    bool     `json:"c,omitempty"`  // on_error: continue
	TimeoutMS   int64    `json:"t,omitempty"`  // of a container; an action's own timeout is the activity's business
	Steps       []Node   `json:"s,omitempty"`  // each, retry, try
	Arms        [][]Node `json:"a,omitempty"`  // branch: the cases, then otherwise; parallel: the branches
	Catch       []Node   `json:"ca,omitempty"` // try
	Finally     []Node   `json:"f,omitempty"`  // try
	HasCatch    bool     `json:"hc,omitempty"`
	Concurrency int      `json:"n,omitempty"`  // each
	Attempts    int      `json:"m,omitempty"`  // retry
	Restart     bool     `json:"r,omitempty"`  // retry
	Finish      bool     `json:"fi,omitempty"` // parallel: let the other branches finish after a failure
}

// StepIn names one attempt of one position.
type StepIn struct {
	Run     string `json:"run"`
	Path    string `json:"path"`
	N       int    `json:"n"`
	SoftMS  int    `json:"soft,omitempty"` // how long the local activity waits before it detaches
	Finally bool   `json:"fin,omitempty"`
}

// State is the outcome of a step as the walk sees it.
type State string

// The outcomes. Short texts, since histories hold one for each step.
const (
	Succeeded State = "ok"
	Failed    State = "failed"
	Skipped   State = "skipped"
	Cancelled State = "cancelled"
	Unknown   State = "unknown"  // a person must settle it
	Held      State = "held"     // waits for a binding
	Detached  State = "detached" // goes on in the background
	Again     State = "again"    // another attempt is to be made at once: it is known that this one did nothing, or a repeat is safe
	Yield     State = "yield"    // this process is stopping
)

// StepOut is the outcome of one attempt.
type StepOut struct {
	State State  `json:"s"`
	Kind  string `json:"k,omitempty"` // the error's kind
	Again bool   `json:"a,omitempty"` // of Failed: a retry wrapper may make another attempt
	After int64  `json:"w,omitempty"` // milliseconds that the provider asked us to wait
}

// StretchIn names first attempts of positions that follow each other, to be made one after the other as long as each
// succeeds or is skipped.
type StretchIn struct {
	Run     string   `json:"run"`
	Paths   []string `json:"paths"`
	SoftMS  int      `json:"soft"` // how long the local activity waits for the attempt under way before it detaches
	MostMS  int      `json:"most"` // no further attempt begins after this time
	Finally bool     `json:"fin,omitempty"`
}

// StretchOut has the outcomes of the first of the positions, in their order; those that are missing have not begun.
type StretchOut struct {
	Steps []StepOut `json:"o,omitempty"`
}

// DecideIn asks for a frozen decision.
type DecideIn struct {
	Run     string `json:"run"`
	Path    string `json:"path"`
	Step    string `json:"step"`
	What    string `json:"what"`            // if, branch, each, set, wait, check, stop, retry, begin, catch, deadline
	Round   int    `json:"round,omitempty"` // retry: the round that failed
	AfterMS int64  `json:"after,omitempty"` // retry: the least delay
	Of      string `json:"of,omitempty"`    // catch: the position that failed
	Kind    string `json:"kind,omitempty"`  // catch: the kind of its error, where no row of the position has it
}

// DecideOut is a frozen decision.
type DecideOut struct {
	Label   string `json:"l,omitempty"`
	Count   int    `json:"c,omitempty"`
	LeftMS  int64  `json:"w,omitempty"` // until the instant; 0 when it has passed
	Durable bool   `json:"d,omitempty"` // the wait has a row and is to be closed by Arrive
	Failed  bool   `json:"f,omitempty"`
	Kind    string `json:"k,omitempty"`
}

// FrontierIn asks for what is known of some iterations of a loop.
type FrontierIn struct {
	Run    string `json:"run"`
	Prefix string `json:"prefix"`
	Low    int    `json:"low"`
	High   int    `json:"high"`
	List   []int  `json:"list,omitempty"`
}

// FrontierOut is what is known of them, whole up to Complete, exclusively.
type FrontierOut struct {
	Known    []Known `json:"known,omitempty"`
	Complete int     `json:"complete"`
}

// Known is a position that has begun: an attempt's outcome or a decision's, or an attempt that is open.
type Known struct {
	Path    string  `json:"p"`
	N       int     `json:"n,omitempty"`
	Step    StepOut `json:"o,omitzero"`
	Earlier string  `json:"e,omitempty"` // a letter for each earlier attempt: a = Again, f = Failed
	// Open says that attempt N has begun and its outcome is not known: it has to be asked for, whatever bars the walk.
	Open     bool      `json:"u,omitempty"`
	Decision DecideOut `json:"d,omitzero"`
}

// ArriveIn closes a wait.
type ArriveIn struct {
	Run  string `json:"run"`
	Path string `json:"path"`
	Kind string `json:"kind"`
}

// ArriveOut says whether the wait is over, by the database's clock, or how long it still lasts.
type ArriveOut struct {
	Arrived bool  `json:"a,omitempty"`
	LeftMS  int64 `json:"w,omitempty"`
}

// LeaveIn closes the waits of a position that nobody waits for any more.
type LeaveIn struct {
	Run  string `json:"run"`
	Path string `json:"path"`
}

// LeaveOut is empty: the waits are closed.
type LeaveOut struct{}

// LookIn names the run to look at.
type LookIn struct {
	Run string `json:"run"`
}

// LookOut is what a nudged run has to know.
type LookOut struct {
	Cancelled bool     `json:"cancelled,omitempty"`
	Forced    bool     `json:"forced,omitempty"`
	Woken     []string `json:"woken,omitempty"`
}

// FinishIn records the end of a run.
type FinishIn struct {
	Run   string `json:"run"`
	State string `json:"state"` // succeeded, failed or cancelled
	// Of is the position that the run failed or stopped at.
	Of string `json:"of,omitempty"`
	// Kind is the error's kind where no position has it.
	Kind string `json:"kind,omitempty"`
}

// FinishOut is how the run ended in fact.
type FinishOut struct {
	State string `json:"state"`
}
