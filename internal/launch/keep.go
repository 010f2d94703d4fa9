package launch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"pawl/workflows"
)

// Channel is the PostgreSQL channel on which processes tell each other of queued runs and nudges; ChannelRuns that of
// changed runs, ChannelBindings that of changed bindings.
const (
	Channel         = "pawl_work"
	ChannelRuns     = "pawl_runs"
	ChannelBindings = "pawl_bindings"
)

// listen turns notifications into pokes. While it has no connection the polls do its work.
func (l *Launcher) listen(ctx context.Context) {
	for ctx.Err() == nil {
		if err := l.listenOnce(ctx); err != nil && ctx.Err() == nil {
			l.cfg.Log.Warn("listen for changes; polling goes on", "error", err)
			wait(ctx, nil, wakePoll)
		}
	}
}

func (l *Launcher) listenOnce(ctx context.Context) error {
	conn, err := l.cfg.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	c := conn.Hijack() // a connection that listens is not given back
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	if _, err := c.Exec(ctx, "listen "+Channel+"; listen "+ChannelBindings); err != nil {
		return err
	}
	for {
		n, err := c.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		if n.Channel == ChannelBindings {
			poke(l.bindings)
		} else {
			poke(l.queue)
		}
	}
}

const nudgesSQL = `update run set nudge_at = null where id in (
  select id from run where nudge_at is not null for update skip locked limit 200) returning id, state in ('running', 'waiting', 'needs_attention')`

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
	type row struct {
		ID    uuid.UUID
		Alive bool
	}
	rows, err := l.cfg.Pool.Query(ctx, nudgesSQL)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for _, r := range found {
		if r.Alive {
			wg.Go(func() { l.nudge(ctx, r.ID) })
		}
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
		if _, err := l.cfg.Pool.Exec(ctx, `update run set nudge_at = clock_timestamp() where id = $1`, id); err != nil {
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
	rows, err := l.cfg.Pool.Query(ctx, `select id, cancel_force from run where id = any($1) and cancel_requested_at is not null`, runs)
	if err != nil {
		return err
	}
	var id uuid.UUID
	var forced bool
	_, err = pgx.ForEachRow(rows, []any{&id, &forced}, func() error {
		l.cfg.Reads.Abort(id, forced)
		return nil
	})
	return err
}

const wakeSQL = `with open as (
  select w.run_id, w.path, row_number() over (partition by w.key order by w.since) as place
  from wait w join run r on r.id = w.run_id and r.state in ('running', 'waiting', 'needs_attention')
  where w.kind = 'hold' and w.done_at is null and (w.woken_at is null or w.woken_at < clock_timestamp() - interval '1 minute')
    and (w.until <= clock_timestamp() or exists (select 1 from binding b where b.identity = w.key and b.scope in ('00000000-0000-0000-0000-000000000000', r.project_id)
      and b.state = 'active' and (b.kept_until is null or b.kept_until > clock_timestamp())))
), chosen as (
  select w.run_id, w.path from wait w join open o using (run_id, path) where o.place <= $1 and w.kind = 'hold' and w.done_at is null for update of w skip locked
), woken as (
  update wait w set woken_at = clock_timestamp() from chosen c where w.run_id = c.run_id and w.path = c.path and w.kind = 'hold' returning w.run_id
)
update run set nudge_at = clock_timestamp() where id in (select run_id from woken) returning id`

// wakeLoop wakes runs that hold for a binding that is routable again, or whose hold is over: at most wakeMax a second
// and identity, spread by jitter.
func (l *Launcher) wakeLoop(ctx context.Context) {
	for wait(ctx, l.bindings, wakePoll) {
		for ctx.Err() == nil {
			woken, err := l.ids(ctx, wakeSQL, wakeMax)
			if err != nil && ctx.Err() == nil {
				l.cfg.Log.Warn("wake held runs", "error", err)
			}
			if len(woken) == 0 {
				break
			}
			poke(l.queue)
			wait(ctx, nil, time.Second+rand.N(200*time.Millisecond))
		}
	}
}

// reconcileLoop looks after runs without progress, and keeps partitions ready.
func (l *Launcher) reconcileLoop(ctx context.Context) {
	after := uuid.Nil
	for wait(ctx, nil, reconcileEvery) {
		next, err := l.reconcile(ctx, after)
		if err != nil && ctx.Err() == nil {
			l.cfg.Log.Warn("look after runs without progress", "error", err)
		}
		after = next
		if _, err := l.cfg.Pool.Exec(ctx, `select make_attempt_partitions($1)`, partitionsAhead); err != nil && ctx.Err() == nil {
			l.cfg.Log.Warn("make partitions of the ledger", "error", err)
		}
	}
}

const silentSQL = `select r.id from run r where r.state in ('running', 'waiting', 'needs_attention') and r.id > $1
  and coalesce(r.started_at, r.created_at) < clock_timestamp() - $2 * interval '1 second'
  and not exists (select 1 from attempt a where a.run_id = r.id and greatest(a.claimed_at, a.finished_at) > clock_timestamp() - $2 * interval '1 second')
  and not exists (select 1 from decision d where d.run_id = r.id and d.created_at > clock_timestamp() - $2 * interval '1 second')
order by r.id limit $3`

// reconcile starts the workflows of silent runs again where they are lost, and shows those that fail. It returns where
// the next look begins.
func (l *Launcher) reconcile(ctx context.Context, after uuid.UUID) (uuid.UUID, error) {
	ids, err := l.ids(ctx, silentSQL, after, reconcileAfter.Seconds(), reconcileMax)
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
	_, err = l.cfg.Pool.Exec(ctx, `update run set stuck = $2 where id = $1 and stuck is distinct from $2 and state in ('running', 'waiting', 'needs_attention')`, id, stuck)
	return err
}
