package launch

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/internal/fault"
	"pawl/internal/ledger"
	"pawl/internal/store"
)

// Control is what a starter needs of the database to change the course of runs; store.Store implements it.
type Control interface {
	CancelRun(ctx context.Context, c store.Cancellation) error
	SettleUnknown(ctx context.Context, q *ledger.Settle) error
	CopyRun(ctx context.Context, c store.Copy) error
}

// Cancel asks a run to end: no further step outside of finally begins, reads under way are aborted, an effect on the
// wire ends and is recorded. force stops finally blocks too. Cancelling again changes nothing but may add force; a run
// that has ended can't be cancelled.
func (s *Starter) Cancel(ctx context.Context, run uuid.UUID, actor string, force bool) error {
	if err := s.runs.CancelRun(ctx, store.Cancellation{Run: run, By: actor, Force: force}); err != nil {
		return err
	}
	s.changed(run)
	s.queued() // a queued run is started to be ended, and the workers nudge the others
	return nil
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
	case "failed", "retry":
		if q.Output != nil {
			return fault.New(fault.InvalidInput, "output", "Only settling as succeeded takes an output.").At("/output")
		}
	default:
		return fault.New(fault.InvalidInput, "as", "%.40q is no way to settle: use succeeded, failed or retry.", q.As).At("/as")
	}
	err := s.runs.SettleUnknown(ctx, &ledger.Settle{Run: q.Run, Path: q.Path, As: q.As, Output: q.Output, By: q.Actor, Fits: fits})
	if err != nil {
		return err
	}
	s.changed(q.Run)
	return nil
}

// fits checks that an output has the form that an action's outputs have; a tool's is any JSON.
func fits(action string, output []byte) error {
	id, err := connections.ParseAction(action)
	if err != nil || id.Source == connections.SourcePlugin {
		return err
	}
	return httpOutput(output)
}

// httpOutput checks that an output has the form that HTTP actions give: {status, headers, body}, and notes and received where
// the answer was odd (docs/wire.md).
func httpOutput(b []byte) error {
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.DisallowUnknownFields()
	var o struct {
		Status  *json.Number       `json:"status"`
		Headers *map[string]string `json:"headers"`
		Body    json.RawMessage    `json:"body"`

		Notes    json.RawMessage `json:"notes"`
		Received json.RawMessage `json:"received"`
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
	if err := s.runs.CopyRun(ctx, store.Copy{Of: run, ID: id, By: actor}); err != nil {
		return uuid.Nil, err
	}
	s.queued()
	s.changed(id)
	return id, nil
}
