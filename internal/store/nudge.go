package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const takeNudgesSQL = `update run set nudge_at = null where id in (
  select id from run where nudge_at is not null for update skip locked limit 200) returning id, state in ('running', 'waiting', 'needs_attention')`

// TakeNudges takes the nudges of at most 200 runs, and gives those of the runs that are alive: their workflows are to
// look at the rows again.
func (s *Store) TakeNudges(ctx context.Context) ([]uuid.UUID, error) {
	rows, err := s.pool.Query(ctx, takeNudgesSQL)
	if err != nil {
		return nil, fmt.Errorf("take nudges: %w", err)
	}
	var alive []uuid.UUID
	var id uuid.UUID
	var lives bool
	_, err = pgx.ForEachRow(rows, []any{&id, &lives}, func() error {
		if lives {
			alive = append(alive, id)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("take nudges: %w", err)
	}
	return alive, nil
}

// PutNudge asks for a nudge of a run.
func (s *Store) PutNudge(ctx context.Context, run uuid.UUID) error {
	if _, err := s.pool.Exec(ctx, `update run set nudge_at = clock_timestamp() where id = $1`, run); err != nil {
		return fmt.Errorf("nudge run %s: %w", run, err)
	}
	return nil
}

// wakeHeldSQL chooses, by identity, the holds that began first.
const wakeHeldSQL = `with open as (
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

// WakeHeld nudges runs that are held for a binding that is routed again, or whose hold is over, at most limit an
// identity, and gives them.
func (s *Store) WakeHeld(ctx context.Context, limit int) ([]uuid.UUID, error) {
	return s.runIDs(ctx, "wake held runs", wakeHeldSQL, limit)
}
