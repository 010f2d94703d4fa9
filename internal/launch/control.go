package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/internal/fault"
	"pawl/internal/ledger"
)

// Cancel asks a run to end: no further step outside of finally begins, reads under way are aborted, an effect on the
// wire ends and is recorded. force stops finally blocks too. Cancelling again changes nothing but may add force; a run
// that has ended can't be cancelled.
func (s *Starter) Cancel(ctx context.Context, run uuid.UUID, actor string, force bool) error {
	var state string
	err := s.pool.QueryRow(ctx, `update run set cancel_requested_at = coalesce(cancel_requested_at, clock_timestamp()),
		  cancel_requested_by = coalesce(cancel_requested_by, $2), cancel_force = cancel_force or $3, nudge_at = clock_timestamp()
		where id = $1 and state in ('queued', 'running', 'waiting', 'needs_attention') returning state`, run, actor, force).Scan(&state)
	if errors.Is(err, pgx.ErrNoRows) {
		return s.notAlive(ctx, run)
	}
	if err != nil {
		return fmt.Errorf("cancel run %s: %w", run, err)
	}
	s.changed(run)
	s.queued() // a queued run is started to be ended, and the workers nudge the others
	return nil
}

func (s *Starter) notAlive(ctx context.Context, run uuid.UUID) error {
	var state string
	err := s.pool.QueryRow(ctx, `select state from run where id = $1`, run).Scan(&state)
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "run", "There is no run %s.", run)
	}
	if err != nil {
		return fmt.Errorf("find run %s: %w", run, err)
	}
	return fault.New(fault.Conflict, "run_ended", "Run %s has ended (%s): there is nothing to cancel.", run, state)
}

// SettleRequest is a person's word about a step whose outcome is unknown.
type SettleRequest struct {
	Run    uuid.UUID
	Path   string
	As     string // succeeded, failed or retry
	Output json.RawMessage
	Actor  string
}

// Settle decides an unknown step and lets its run go on.
func (s *Starter) Settle(ctx context.Context, q SettleRequest) error {
	switch q.As {
	case "succeeded":
		if q.Output == nil {
			return fault.New(fault.InvalidInput, "output", "Settling as succeeded takes the output that later steps read: give --output.").At("/output")
		}
		if err := httpOutput(q.Output); err != nil {
			return err
		}
	case "failed", "retry":
		if q.Output != nil {
			return fault.New(fault.InvalidInput, "output", "Only settling as succeeded takes an output.").At("/output")
		}
	default:
		return fault.New(fault.InvalidInput, "as", "%.40q is no way to settle: use succeeded, failed or retry.", q.As).At("/as")
	}
	err := ledger.SettleUnknown(ctx, s.pool, &ledger.Settle{Run: q.Run, Path: q.Path, As: q.As, Output: q.Output, By: q.Actor})
	if err != nil {
		return err
	}
	s.changed(q.Run)
	return nil
}

// httpOutput checks that an output has the form that HTTP actions give: {status, headers, body}.
func httpOutput(b []byte) error {
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.DisallowUnknownFields()
	var o struct {
		Status  *json.Number       `json:"status"`
		Headers *map[string]string `json:"headers"`
		Body    json.RawMessage    `json:"body"`
	}
	if err := dec.Decode(&o); err != nil || o.Status == nil {
		return fault.New(fault.InvalidInput, "output", `The output of an HTTP action is {"status": 201, "headers": {}, "body": …}: give at least status.`).At("/output").Because(err)
	}
	if n, err := o.Status.Int64(); err != nil || n < 200 || n > 299 {
		return fault.New(fault.InvalidInput, "output", "A step that succeeded has a status from 200 to 299.").At("/output/status")
	}
	return nil
}

// Replay starts a new run of the same document with the same input, under keys of its own.
func (s *Starter) Replay(ctx context.Context, run uuid.UUID, actor string) (uuid.UUID, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return id, fmt.Errorf("make a run id: %w", err)
	}
	tag, err := s.pool.Exec(ctx, `insert into run (id, project_id, automation_id, version, digest, start_key, trigger, trigger_data, input, accounts, stage, local_only, replay_of, epoch, created_by)
		select $2, project_id, automation_id, version, digest, $3, 'replay', trigger_data, input, accounts, stage, local_only, id, $4, $5 from run where id = $1`,
		run, id, id.String(), s.epoch, actor)
	if err != nil {
		return uuid.Nil, fmt.Errorf("replay run %s: %w", run, err)
	}
	if tag.RowsAffected() == 0 {
		return uuid.Nil, fault.New(fault.NotFound, "run", "There is no run %s.", run)
	}
	s.queued()
	s.changed(id)
	return id, nil
}
