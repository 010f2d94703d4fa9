package workflows

import (
	"sort"

	"go.temporal.io/sdk/workflow"
)

// Run walks one run from where its ledger stands to its end.
func Run(ctx workflow.Context, in RunIn) error {
	ctx, stop := workflow.NewDisconnectedContext(ctx) // a run is cancelled by its row, never by Temporal
	defer stop()
	w := newWalk(in)
	begin := begin(ctx, w, len(in.Cursors) > 0 || in.Walk > 0)
	if begin.Ended {
		return nil
	}
	w.resumed, w.cancelled, w.forced = begin.Resumed, begin.Cancelled, begin.Forced
	learn(w, begin.Known)
	workflow.Go(ctx, func(ctx workflow.Context) { listen(ctx, w) })

	end := walkSteps(ctx, w, &scope{}, begin.Steps)
	if end.how == paused {
		return workflow.NewContinueAsNewError(ctx, RunWorkflow, continuation(ctx, w))
	}
	finish(ctx, w, end)
	return nil
}

// walk is the state of one walk. It is derived from histories only.
type walk struct {
	run       string
	number    int
	resumed   bool // positions may be decided already
	cancelled bool
	forced    bool
	pausing   bool // unwinding, to continue as new
	gated     bool // no step starts until this workflow task is over
	looking   int  // looks under way
	waiting   int  // branches that wait for a timer or a nudge
	results   int
	taskAt    int // history length at which the present workflow task began
	inTask    int
	known     map[string]Known
	tried     map[string]int  // latest attempt of positions inside retry wrappers
	detached  map[string]bool // first attempts that a stretch left in the background
	woken     map[string]bool
	cursors   map[string]Cursor // where loops stood when this walk began
	left      []Cursor          // where loops stood when it paused
}

func newWalk(in RunIn) *walk {
	w := &walk{run: in.Run, number: in.Walk, known: map[string]Known{}, tried: map[string]int{}, detached: map[string]bool{}, woken: map[string]bool{}, cursors: map[string]Cursor{}}
	for _, c := range in.Cursors {
		w.cursors[c.Path] = c
	}
	return w
}

func learn(w *walk, known []Known) {
	for _, k := range known {
		w.known[k.Path] = k
	}
	w.inTask += len(known) / weightOfKnown
}

// listen turns nudges into looks.
func listen(ctx workflow.Context, w *walk) {
	ch := workflow.GetSignalChannel(ctx, NudgeSignal)
	for {
		ch.Receive(ctx, nil)
		for ch.ReceiveAsync(nil) { // one look answers all nudges that are here
		}
		look(ctx, w)
	}
}

func look(ctx workflow.Context, w *walk) {
	w.looking++
	out := callLook(ctx, w)
	w.looking--
	w.cancelled = w.cancelled || out.Cancelled
	w.forced = w.forced || out.Forced
	for _, p := range out.Woken {
		w.woken[p] = true
	}
}

func continuation(ctx workflow.Context, w *walk) RunIn {
	_ = workflow.Await(ctx, func() bool { return w.looking == 0 })
	sort.Slice(w.left, func(a, b int) bool { return w.left[a].Path < w.left[b].Path })
	return RunIn{Run: w.run, Cursors: w.left, Walk: w.number + 1}
}

func finish(ctx workflow.Context, w *walk, end flow) {
	in := FinishIn{Run: w.run, State: "succeeded"}
	switch end.how {
	case failed:
		in.State, in.Of, in.Kind = "failed", end.of, end.kind
	case stopped:
		in.State, in.Of = end.as, end.of
	case cancelled, halted:
		in.State = "cancelled"
	default: // came to its end
	}
	callFinish(ctx, w, in)
}
