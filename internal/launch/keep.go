package launch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"pawl/internal/store"
	"pawl/workflows"
)

// listen turns notifications into pokes. While it has no connection the polls do its work.
func (l *Launcher) listen(ctx context.Context) {
	for ctx.Err() == nil {
		if err := l.cfg.Store.Listen(ctx, []string{store.WorkChannel, store.BindingsChannel}, l.hear); err != nil && ctx.Err() == nil {
			l.cfg.Log.Warn("listen for changes; polling goes on", "error", err)
			wait(ctx, nil, wakePoll)
		}
	}
}

func (l *Launcher) hear(channel, _ string) {
	if channel == store.BindingsChannel {
		poke(l.bindings)
		return
	}
	poke(l.queue)
}

// nudgeLoop signals runs whose rows were changed from outside.
func (l *Launcher) nudgeLoop(ctx context.Context) {
	tick := time.NewTicker(cancelPoll)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := l.nudges(ctx); err != nil && ctx.Err() == nil {
			l.cfg.Log.Warn("nudge runs", "error", err)
		}
	}
}

func (l *Launcher) nudges(ctx context.Context) error {
	alive, err := l.cfg.Store.TakeNudges(ctx)
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for _, id := range alive {
		wg.Go(func() { l.nudge(ctx, id) })
	}
	wg.Wait()
	return nil
}

// nudge signals a run. A workflow that is lost walks again; a signal that does not get through is tried again.
func (l *Launcher) nudge(ctx context.Context, id uuid.UUID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), nudgeTimeout)
	defer cancel()
	err := l.cfg.Temporal.SignalWorkflow(ctx, id.String(), "", workflows.NudgeSignal, nil)
	var gone *serviceerror.NotFound
	if errors.As(err, &gone) {
		l.start(ctx, id)
		return
	}
	if err != nil {
		l.cfg.Log.Warn("nudge a run; it is tried again", "run", id, "error", err)
		if err := l.cfg.Store.PutNudge(ctx, id); err != nil {
			l.cfg.Log.Warn("keep a nudge", "run", id, "error", err)
		}
	}
}

// cancelLoop aborts the reads of cancelled runs in this process.
func (l *Launcher) cancelLoop(ctx context.Context) {
	tick := time.NewTicker(cancelPoll)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := l.cancelled(ctx, l.cfg.Reads.OnTheWire(cancelAfter)); err != nil && ctx.Err() == nil {
			l.cfg.Log.Warn("look for cancelled runs", "error", err)
		}
	}
}

func (l *Launcher) cancelled(ctx context.Context, runs []uuid.UUID) error {
	if len(runs) == 0 {
		return nil
	}
	list, err := l.cfg.Store.ListCancelled(ctx, runs)
	for _, c := range list {
		abort := l.cfg.Reads.Abort
		if c.Force {
			abort = l.cfg.Reads.AbortAll
		}
		abort(c.Run)
	}
	return err
}

// wakeLoop wakes runs that hold for a binding that is routable again, or whose hold is over: at most wakeMax a second
// and identity, spread by jitter.
func (l *Launcher) wakeLoop(ctx context.Context) {
	for wait(ctx, l.bindings, wakePoll) {
		for ctx.Err() == nil {
			woken, err := l.cfg.Store.WakeHeld(ctx, wakeMax)
			if err != nil && ctx.Err() == nil {
				l.cfg.Log.Warn("wake held runs", "error", err)
			}
			if len(woken) == 0 {
				break
			}
			wait(ctx, nil, time.Second+rand.N(200*time.Millisecond))
		}
	}
}

// reconcileLoop looks after runs without progress, and after what has to be done now and then.
func (l *Launcher) reconcileLoop(ctx context.Context) {
	l.tidy(ctx)
	after := uuid.Nil
	for wait(ctx, nil, reconcileEvery) {
		next, err := l.reconcile(ctx, after)
		if err != nil && ctx.Err() == nil {
			l.cfg.Log.Warn("look after runs without progress", "error", err)
		}
		after = next
		l.tidy(ctx)
	}
}

// tidy does what has to be done now and then by whichever process; doing it twice changes nothing.
func (l *Launcher) tidy(ctx context.Context) {
	if err := l.cfg.Store.MakePartitions(ctx, partitionsAhead); err != nil && ctx.Err() == nil {
		l.cfg.Log.Warn("keep the ledger ready", "error", err)
	}
	if _, err := l.cfg.Versions.ExpireKept(ctx, expireMax, "pawl"); err != nil && ctx.Err() == nil {
		l.cfg.Log.Warn("note that kept versions are past their date", "error", err)
	}
}

// reconcile starts the workflows of silent runs again where they are lost, and shows those that fail. It returns where
// the next look begins.
func (l *Launcher) reconcile(ctx context.Context, after uuid.UUID) (uuid.UUID, error) {
	ids, err := l.cfg.Store.ListSilent(ctx, after, reconcileAfter, reconcileMax)
	if err != nil {
		return after, err
	}
	for _, id := range ids {
		if err := l.lookAfter(ctx, id); err != nil {
			return id, err
		}
	}
	if len(ids) < reconcileMax {
		return uuid.Nil, nil
	}
	return ids[len(ids)-1], nil
}

func (l *Launcher) lookAfter(ctx context.Context, id uuid.UUID) error {
	d, err := l.cfg.Temporal.DescribeWorkflowExecution(ctx, id.String(), "")
	var gone *serviceerror.NotFound
	switch {
	case errors.As(err, &gone):
		l.start(ctx, id)
		return nil
	case err != nil:
		return err
	case d.GetWorkflowExecutionInfo().GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING:
		l.start(ctx, id)
		return nil
	}
	var stuck *string
	if n := d.GetPendingWorkflowTask().GetAttempt(); n >= stuckTries {
		s := fmt.Sprintf("The workflow task failed %d times; the worker's log has the cause.", n)
		stuck = &s
	}
	return l.cfg.Store.MarkStuck(ctx, id, stuck)
}
