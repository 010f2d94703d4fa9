package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Wait is a durable wait of one position. Signals only say "look": this row is the fact.
type Wait struct {
	Run  uuid.UUID
	Path string
	Kind string // timer, retry, hold, settle
	// Key is what the wait waits for: the connection identity of a hold.
	Key string
	// For is how long, by the database's clock; 0 = without end.
	For time.Duration
	// Until, when set, is the instant instead.
	Until *time.Time
}

// stateSQL makes a live run's state follow from its rows: an open unknown, else an open wait, else running.
const stateSQL = `update run r set state = q.state from (
  select id, case
    when exists (select 1 from attempt a where a.run_id = run.id and a.state = 'unknown' and a.effect <> 'read') then 'needs_attention'
    when exists (select 1 from wait w where w.run_id = run.id and w.done_at is null) then 'waiting'
    else 'running' end as state
  from run where id = any($1::uuid[])) q
where r.id = q.id and r.state in ('running', 'waiting', 'needs_attention') and r.state <> q.state`

const waitSQL = `insert into wait as w (run_id, path, kind, key, until) values ($1, $2, $3, $4,
  case when $5::bigint > 0 then clock_timestamp() + $5 * interval '1 microsecond' else $6::timestamptz end)
on conflict (run_id, path, kind) do update set since = clock_timestamp(), until = excluded.until, key = excluded.key, woken_at = null, done_at = null
where w.done_at is not null`

// Register opens a wait, unless it is open already, and makes the run's state follow.
func (l *Ledger) Register(ctx context.Context, w *Wait) error {
	err := pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error { return register(ctx, tx, w) })
	if err != nil {
		return fmt.Errorf("register a wait: %w", err)
	}
	return nil
}

func register(ctx context.Context, tx pgx.Tx, w *Wait) error {
	if _, err := tx.Exec(ctx, waitSQL, w.Run, w.Path, w.Kind, w.Key, micros(w.For), w.Until); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, stateSQL, []uuid.UUID{w.Run})
	return err
}

// RegisterHold opens a wait for a binding under the shared lock of its identity, where it looks at the binding
// once more: a restore, which takes the exclusive lock, either sees the wait or is seen here. It returns false
// when the binding is routable again, and expired when the hold's time was over.
func (l *Ledger) RegisterHold(ctx context.Context, w *Wait, scope uuid.UUID) (held, expired bool, err error) {
	err = pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock_shared(`+fmt.Sprintf(LockKey, "$1::text", "$2::uuid")+`)`, w.Key, scope); err != nil {
			return err
		}
		var routable bool
		err := tx.QueryRow(ctx, `select exists (select 1 from binding where identity = $1 and scope = $2 and state = 'active'
			and (kept_until is null or kept_until > clock_timestamp())),
			exists (select 1 from wait where run_id = $3 and path = $4 and kind = 'hold' and done_at is null and until <= clock_timestamp())`,
			w.Key, scope, w.Run, w.Path).Scan(&routable, &expired)
		if err != nil || routable || expired {
			return err
		}
		held = true
		if _, err := tx.Exec(ctx, `update wait set woken_at = null where run_id = $1 and path = $2 and kind = 'hold' and done_at is null`, w.Run, w.Path); err != nil {
			return err
		}
		return register(ctx, tx, w)
	})
	if err != nil {
		return false, false, fmt.Errorf("register a hold: %w", err)
	}
	return held, expired, nil
}

// Arrive closes a wait whose time has come, or that was woken, by the database's clock. Otherwise it returns how
// long it still lasts; 0 for one without end that is not over. A wait that is closed already has arrived.
func (l *Ledger) Arrive(ctx context.Context, run uuid.UUID, path, kind string) (arrived bool, left time.Duration, err error) {
	err = pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `update wait set done_at = clock_timestamp() where run_id = $1 and path = $2 and kind = $3 and done_at is null
			and (until <= clock_timestamp() or woken_at is not null)`, run, path, kind)
		if err != nil {
			return err
		}
		if tag.RowsAffected() > 0 {
			arrived = true
			_, err = tx.Exec(ctx, stateSQL, []uuid.UUID{run})
			return err
		}
		var us *int64
		err = tx.QueryRow(ctx, `select (extract(epoch from until - clock_timestamp()) * 1e6)::bigint from wait
			where run_id = $1 and path = $2 and kind = $3 and done_at is null`, run, path, kind).Scan(&us)
		if errors.Is(err, pgx.ErrNoRows) {
			arrived = true
			return nil
		}
		left = max(0, duration(us))
		return err
	})
	if err != nil {
		return false, 0, fmt.Errorf("close a wait: %w", err)
	}
	return arrived, left, nil
}

// Leave closes the open waits of a position, whatever they waited for, because the walk goes on.
func (l *Ledger) Leave(ctx context.Context, run uuid.UUID, path string) error {
	err := pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `update wait set done_at = clock_timestamp() where run_id = $1 and path = $2 and done_at is null`, run, path)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		_, err = tx.Exec(ctx, stateSQL, []uuid.UUID{run})
		return err
	})
	if err != nil {
		return fmt.Errorf("close the waits of %s: %w", path, err)
	}
	return nil
}

// Healed wakes a run that waits for a person to settle a position whose late answer has arrived.
func (l *Ledger) Healed(ctx context.Context, run uuid.UUID, path string) error {
	err := pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `update wait set woken_at = clock_timestamp() where run_id = $1 and path = $2 and kind = 'settle' and done_at is null`, run, path)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		if _, err := tx.Exec(ctx, `update run set nudge_at = clock_timestamp() where id = $1`, run); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, stateSQL, []uuid.UUID{run})
		return err
	})
	if err != nil {
		return fmt.Errorf("wake %s after a late answer: %w", path, err)
	}
	return nil
}

// Refresh makes a live run's state follow from its rows.
func (l *Ledger) Refresh(ctx context.Context, run uuid.UUID) error {
	if _, err := l.pool.Exec(ctx, stateSQL, []uuid.UUID{run}); err != nil {
		return fmt.Errorf("refresh the state of run %s: %w", run, err)
	}
	return nil
}

// Look is what a nudge makes a run look at.
type Look struct {
	Cancelled, Forced bool
	Woken             []string // paths of open waits that were woken, at most 1,000
}

// Look reads what a nudged run has to know.
func (l *Ledger) Look(ctx context.Context, run uuid.UUID) (Look, error) {
	var k Look
	err := l.pool.QueryRow(ctx, `select cancel_requested_at is not null, cancel_force,
		  coalesce((select array_agg(p) from (select distinct path as p from wait where run_id = run.id and done_at is null and woken_at is not null order by path limit 1000) w), '{}')
		from run where id = $1`, run).Scan(&k.Cancelled, &k.Forced, &k.Woken)
	if err != nil {
		return Look{}, fmt.Errorf("look at run %s: %w", run, err)
	}
	return k, nil
}
