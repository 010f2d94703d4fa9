package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

func retryPolicy() *temporal.RetryPolicy {
	return &temporal.RetryPolicy{InitialInterval: retryInitial, BackoffCoefficient: 2, MaximumInterval: retryMax}
}

func local(ctx workflow.Context) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: executeTimeout, RetryPolicy: retryPolicy()})
}

func ordinary(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: awaitTimeout, HeartbeatTimeout: awaitHeartbeat, RetryPolicy: retryPolicy()})
}

// call runs a local activity until it answers: an error is the infrastructure's, never the step's.
func call[Out any](ctx workflow.Context, w *walk, name string, in any) Out {
	var out Out
	for {
		_ = workflow.Await(ctx, func() bool { return !w.gated })
		err := workflow.ExecuteLocalActivity(local(ctx), name, in).Get(ctx, &out)
		count(ctx, w)
		if err == nil {
			return out
		}
		_ = workflow.Sleep(ctx, retryInitial)
	}
}

// count keeps workflow tasks and histories small.
func count(ctx workflow.Context, w *walk) {
	info := workflow.GetInfo(ctx)
	if at := info.GetCurrentHistoryLength(); at != w.taskAt {
		w.taskAt, w.inTask = at, 0
	}
	w.inTask++
	w.results++
	most := taskResults
	if w.waiting > 0 {
		most = taskResultsBeside
	}
	if w.inTask >= most && !w.gated {
		w.gated = true
		workflow.Go(ctx, func(ctx workflow.Context) {
			_ = workflow.Sleep(ctx, time.Millisecond)
			w.gated = false
		})
	}
	if w.results >= walkResults || w.taskAt >= walkEvents || info.GetContinueAsNewSuggested() {
		w.pausing = true
	}
}

func begin(ctx workflow.Context, w *walk, resume bool) BeginOut {
	return call[BeginOut](ctx, w, ActivityBegin, BeginIn{Run: w.run, Resume: resume})
}

func callLook(ctx workflow.Context, w *walk) LookOut {
	return call[LookOut](ctx, w, ActivityLook, LookIn{Run: w.run})
}

func callFinish(ctx workflow.Context, w *walk, in FinishIn) {
	call[FinishOut](ctx, w, ActivityFinish, in)
}

func callArrive(ctx workflow.Context, w *walk, path, kind string) ArriveOut {
	return call[ArriveOut](ctx, w, ActivityArrive, ArriveIn{Run: w.run, Path: path, Kind: kind})
}

func callLeave(ctx workflow.Context, w *walk, path string) {
	call[LeaveOut](ctx, w, ActivityLeave, LeaveIn{Run: w.run, Path: path})
}

// decide gets a frozen decision, from what is known or from the ledger. fresh says that it was not known before.
func decide(ctx workflow.Context, w *walk, sc *scope, key string, in DecideIn) (out DecideOut, fresh bool) {
	if k, ok := w.known[key]; ok {
		if !sc.retried {
			delete(w.known, key)
		}
		return k.Decision, false
	}
	in.Run = w.run
	out = call[DecideOut](ctx, w, ActivityDecide, in)
	if sc.retried {
		w.known[key] = Known{Path: key, Decision: out}
	}
	return out, true
}

// execute gets the outcome of one attempt, from what is known or by making it.
func execute(ctx workflow.Context, w *walk, sc *scope, path string, n int) StepOut {
	before := ""
	k, ok := w.known[path]
	if ok && n <= k.N {
		if n < k.N {
			return earlier(k, n)
		}
		if !sc.retried || k.Open {
			delete(w.known, path)
		}
		if !k.Open {
			return k.Step
		}
		before = k.Earlier
	} else if ok {
		before = k.Earlier + letter(k)
	}
	out := attempt(ctx, w, StepIn{Run: w.run, Path: path, N: n, SoftMS: softMS(w), Finally: sc.finally})
	if sc.retried && (out.State == Succeeded || out.State == Failed || out.State == Skipped || out.State == Again) {
		w.known[path] = Known{Path: path, N: n, Step: out, Earlier: before}
	}
	return out
}

// letter is how an attempt that is known is remembered once another one follows.
func letter(k Known) string {
	switch {
	case k.N == 0:
		return ""
	case k.Step.State == Again:
		return "a"
	}
	return "f"
}

// earlier is the outcome of an attempt that was followed by another one.
func earlier(k Known, n int) StepOut {
	if n-1 < len(k.Earlier) && k.Earlier[n-1] == 'a' {
		return StepOut{State: Again}
	}
	return StepOut{State: Failed, Again: true}
}

func attempt(ctx workflow.Context, w *walk, in StepIn) StepOut {
	_ = workflow.Await(ctx, func() bool { return !w.gated })
	out, err := StepOut{State: Detached}, error(nil)
	if in.N > 1 || !w.detached[in.Path] {
		err = workflow.ExecuteLocalActivity(local(ctx), ActivityExecute, in).Get(ctx, &out)
		count(ctx, w)
	}
	delete(w.detached, in.Path)
	for err != nil || out.State == Detached { // after an error the ledger is asked, never the scheduler
		out = StepOut{}
		if err = workflow.ExecuteActivity(ordinary(ctx), ActivityAwait, in).Get(ctx, &out); err != nil {
			_ = workflow.Sleep(ctx, retryInitial)
		}
		count(ctx, w)
	}
	return out
}

func softMS(w *walk) int {
	if w.waiting > 0 {
		return int(softLimitBeside / time.Millisecond)
	}
	return int(softLimit / time.Millisecond)
}
