package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/internal/fault"
	"pawl/internal/ledger"
)

// Cancellation is a wish that a run ends.
type Cancellation struct {
	Run uuid.UUID
	By  string
	// Force stops finally blocks too.
	Force bool
}

// CancelRun notes that a run is to end and nudges it. A second cancellation keeps who was first, and may add force. A
// run that has ended is a conflict fault, reason run_ended; one that is not there a not_found fault.
func (s *Store) CancelRun(ctx context.Context, c Cancellation) error {
	tag, err := s.pool.Exec(ctx, `update run set cancel_requested_at = coalesce(cancel_requested_at, clock_timestamp()),
		  cancel_requested_by = coalesce(cancel_requested_by, $2), cancel_force = cancel_force or $3, nudge_at = clock_timestamp()
		where id = $1 and state in ('queued', 'running', 'waiting', 'needs_attention')`, c.Run, c.By, c.Force)
	if err != nil {
		return fmt.Errorf("cancel run %s: %w", c.Run, err)
	}
	if tag.RowsAffected() == 0 {
		return s.notAlive(ctx, c.Run)
	}
	return nil
}

func (s *Store) notAlive(ctx context.Context, run uuid.UUID) error {
	var state string
	err := s.pool.QueryRow(ctx, `select state from run where id = $1`, run).Scan(&state)
	if errors.Is(err, pgx.ErrNoRows) {
		return noRun(run)
	}
	if err != nil {
		return fmt.Errorf("find run %s: %w", run, err)
	}
	return fault.New(fault.Conflict, "run_ended", "Run %s has ended (%s): there is nothing to cancel.", run, state)
}

func noRun(run uuid.UUID) error {
	return fault.New(fault.NotFound, "run", "There is no run %s.", run)
}

// ListCancelled gives those of some runs that were cancelled.
func (s *Store) ListCancelled(ctx context.Context, runs []uuid.UUID) ([]Cancellation, error) {
	rows, err := s.pool.Query(ctx, `select id as run, coalesce(cancel_requested_by, '') as by, cancel_force as force
		from run where id = any($1) and cancel_requested_at is not null`, runs)
	return collect[Cancellation](rows, err, "look for cancelled runs")
}

// SettleUnknown carries out a person's decision about an attempt whose outcome is unknown (ledger.SettleUnknown).
func (s *Store) SettleUnknown(ctx context.Context, q *ledger.Settle) error {
	return ledger.SettleUnknown(ctx, s.pool, q)
}

// Copy is a new run of what another one ran, with the same input and accounts.
type Copy struct {
	Of, ID uuid.UUID
	By     string
}

// CopyRun queues a copy of a run under a start key of its own. A run that is not there is a not_found fault.
func (s *Store) CopyRun(ctx context.Context, c Copy) error {
	tag, err := s.pool.Exec(ctx, `insert into run (id, project_id, automation_id, action, version, digest, start_key, trigger, trigger_data, input, accounts, stage, local_only, replay_of, epoch, created_by)
		select $2, project_id, automation_id, action, version, digest, $3, 'replay', trigger_data, input, accounts, stage, local_only, id, current_setting('pawl.epoch')::bigint, $4 from run where id = $1`,
		c.Of, c.ID, c.ID.String(), c.By)
	if err != nil {
		return fmt.Errorf("replay run %s: %w", c.Of, err)
	}
	if tag.RowsAffected() == 0 {
		return noRun(c.Of)
	}
	return nil
}
