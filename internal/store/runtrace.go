package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/internal/ledger"
)

// PathMarks begin the suffixes with which the walk marks decisions and waits about a part of a position: ? its if,
// ! its deadline, & that it has begun, ^ its catch, # a round of its retries.
const PathMarks = "?!&^#"

// TraceSource is the table that a trace comes from.
type TraceSource string

// The sources of traces.
const (
	FromAttempt  TraceSource = "attempt"
	FromDecision TraceSource = "decision"
	FromWait     TraceSource = "wait"
)

// Trace is what the rows of one path say of its position, without the values.
type Trace struct {
	Path      string // with its mark
	Source    TraceSource
	Kind      string // of a decision or a wait
	Label     string // of a decision; of a wait what must come
	Count     *int   // of a decision
	State     string // of the latest attempt, as are the next five
	Again     bool   // another attempt may be made
	AtOnce    bool   // another attempt is on its way, without a retry around the step
	Failed    bool   // there is an error; also of a decision
	Cancelled bool   // the error says that the run was cancelled
	Settled   string // as what a person settled it; empty where nobody did
	Until     *time.Time
	Done      *time.Time // when the latest attempt or the wait ended
	Woken     bool       // the wait is over but for the walk
	At        time.Time  // of the first row
	Changed   time.Time  // of the last change
}

// tracesSQL reads paths in the order of their bytes, so that all that is inside one iteration comes in one piece.
const tracesSQL = `with a as (
	  select distinct on (path) path, n, state, again, error, settled_as, finished_at, min(claimed_at) over (partition by path) as at,
	    greatest(claimed_at, finished_at, settled_at) as changed
	  from attempt where run_id = $1 order by path, n desc
	), t as (
	  select path, 'attempt' as source, '' as kind, '' as label, null::int as count, state, again,
	    again and (settled_as = 'retry' or error like '%"reason":"' || $2 || '"%' or error like '%"reason":"' || $3 || '"%') is true as at_once, error is not null as failed,
	    coalesce(error like '{"kind":"cancelled"%', false) as cancelled, coalesce(settled_as, '') as settled, null::timestamptz as until,
	    finished_at as done, false as woken, at, changed from a
	  union all
	  select path, 'decision', kind, label, count, '', false, false, error is not null, false, '', instant, created_at, false, created_at, created_at
	  from decision where run_id = $1
	  union all
	  select path, 'wait', kind, key, null, '', false, false, false, false, '', until, done_at, woken_at is not null, since, greatest(since, woken_at, done_at)
	  from wait where run_id = $1
	)
	select * from t order by path collate "C", source`

// Traces shows every path of a run to each, in the order of the bytes of the paths. The trace is each's until it
// returns. A connection is held meanwhile: each must not wait for anything.
func (s *Store) Traces(ctx context.Context, run uuid.UUID, each func(*Trace)) error {
	rows, err := s.pool.Query(ctx, tracesSQL, run, ledger.ReasonProcessEnded, ledger.ReasonNotInTime)
	if err != nil {
		return fmt.Errorf("read the traces of a run: %w", err)
	}
	var t Trace
	into := []any{
		&t.Path, &t.Source, &t.Kind, &t.Label, &t.Count, &t.State, &t.Again, &t.AtOnce, &t.Failed, &t.Cancelled, &t.Settled, &t.Until, &t.Done, &t.Woken, &t.At, &t.Changed,
	}
	_, err = pgx.ForEachRow(rows, into, func() error {
		each(&t)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the traces of a run: %w", err)
	}
	return nil
}

// OpenWaits reads what a run waits for, longest first and at most 1,000. Waits that were woken are over.
func (s *Store) OpenWaits(ctx context.Context, run uuid.UUID) ([]WaitRow, error) {
	rows, err := s.pool.Query(ctx, `select path, kind, key, since, until from wait where run_id = $1 and done_at is null and woken_at is null
		order by since, path limit 1000`, run)
	return collect[WaitRow](rows, err, "read the open waits")
}

// Now gives the present instant of the database's clock.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	var now time.Time
	if err := s.pool.QueryRow(ctx, `select clock_timestamp()`).Scan(&now); err != nil {
		return now, fmt.Errorf("read the database's clock: %w", err)
	}
	return now, nil
}
