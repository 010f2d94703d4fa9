package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const claimQueuedSQL = `update run set claimed_by = $1, claimed_until = clock_timestamp() + $2 * interval '1 second' where id in (
  select id from run where state = 'queued' and (claimed_until is null or claimed_until < clock_timestamp())
  order by created_at for update skip locked limit $3) returning id`

// ClaimQueued gives a process the oldest queued runs that no other has, at most limit, for as long as hold. Who has
// not started a run by then loses it to the next that asks.
func (s *Store) ClaimQueued(ctx context.Context, process string, hold time.Duration, limit int) ([]uuid.UUID, error) {
	return s.runIDs(ctx, "claim queued runs", claimQueuedSQL, process, hold.Seconds(), limit)
}

// FreeClaims frees the queued runs that an earlier process claimed. Only the one process of an installation may call it.
func (s *Store) FreeClaims(ctx context.Context) error {
	if _, err := s.pool.Exec(ctx, `update run set claimed_until = null where state = 'queued'`); err != nil {
		return fmt.Errorf("free claimed runs: %w", err)
	}
	return nil
}

// ListAlive gives runs that were started and have not ended, by id after an id, 500 at most.
func (s *Store) ListAlive(ctx context.Context, after uuid.UUID) ([]uuid.UUID, error) {
	return s.runIDs(ctx, "list the runs alive", `select id from run where state in ('running', 'waiting', 'needs_attention') and id > $1 order by id limit 500`, after)
}

const silentSQL = `select r.id from run r where r.state in ('running', 'waiting', 'needs_attention') and r.id > $1
  and coalesce(r.started_at, r.created_at) < clock_timestamp() - $2 * interval '1 second'
  and not exists (select 1 from attempt a where a.run_id = r.id and greatest(a.claimed_at, a.finished_at) > clock_timestamp() - $2 * interval '1 second')
  and not exists (select 1 from decision d where d.run_id = r.id and d.created_at > clock_timestamp() - $2 * interval '1 second')
order by r.id limit $3`

// ListSilent gives runs alive that made no progress for as long as silence, by id after an id, at most limit.
func (s *Store) ListSilent(ctx context.Context, after uuid.UUID, silence time.Duration, limit int) ([]uuid.UUID, error) {
	return s.runIDs(ctx, "list runs without progress", silentSQL, after, silence.Seconds(), limit)
}

// MarkStuck says of a run alive why it can't go on, nil that it can.
func (s *Store) MarkStuck(ctx context.Context, run uuid.UUID, why *string) error {
	_, err := s.pool.Exec(ctx, `update run set stuck = $2 where id = $1 and stuck is distinct from $2 and state in ('running', 'waiting', 'needs_attention')`, run, why)
	if err != nil {
		return fmt.Errorf("mark run %s as stuck: %w", run, err)
	}
	return nil
}

// MakePartitions keeps the partitions of the ledger ready for this month and as many that follow.
func (s *Store) MakePartitions(ctx context.Context, months int) error {
	if _, err := s.pool.Exec(ctx, `select make_attempt_partitions($1)`, months); err != nil {
		return fmt.Errorf("make partitions of the ledger: %w", err)
	}
	return nil
}

func (s *Store) runIDs(ctx context.Context, op, sql string, args ...any) ([]uuid.UUID, error) {
	rows, err := s.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	return ids, nil
}
