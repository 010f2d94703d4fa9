package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/internal/fault"
)

// Run is a row of the table run with the name of its automation and its most urgent open wait. JSON is the text
// that was given: numbers keep their digits.
type Run struct {
	ID          uuid.UUID
	ProjectID   uuid.UUID
	Automation  string  // empty for a call of an agent
	Action      *string // of a call of an agent: the action that it calls; nil for a run of an automation
	Version     *int    // nil for a run of a draft
	Digest      []byte
	State       string
	Trigger     string
	TriggerData *json.RawMessage
	Input       json.RawMessage
	Output      *json.RawMessage
	OutputBlob  []byte // the SHA-256 of an output that is kept as a blob
	Error       *json.RawMessage
	LocalOnly   bool
	ReplayOf    *uuid.UUID
	CreatedAt   time.Time
	CreatedBy   string
	StartedAt   *time.Time
	FinishedAt  *time.Time
	CancelAt    *time.Time
	CancelBy    *string
	Stuck       *string
	WaitFor     *string
	WaitPath    *string
	WaitKey     *string
	WaitSince   *time.Time
	WaitUntil   *time.Time
}

const runSQL = `
	select r.id, r.project_id, coalesce(a.name, '') as automation, r.action, r.version, r.digest, s.state, r.trigger, r.trigger_data, r.input, r.output, r.output_blob,
	  r.error, r.local_only, r.replay_of, r.created_at, r.created_by, r.started_at, r.finished_at,
	  r.cancel_requested_at as cancel_at, r.cancel_requested_by as cancel_by, r.stuck,
	  w.kind as wait_for, w.path as wait_path, w.key as wait_key, w.since as wait_since, w.until as wait_until
	from run r left join automation a on a.id = r.automation_id
	cross join lateral (select ` + runStateSQL + ` as state) s
	left join lateral (select * from wait w where w.run_id = r.id and w.done_at is null and w.woken_at is null and s.state in ('waiting', 'needs_attention')
	  order by w.kind = 'settle' desc, w.kind = 'approval' desc, w.until nulls last, w.since, w.path limit 1) w on true `

// RunFilter chooses runs, newest first. Zero values choose all.
type RunFilter struct {
	Project    uuid.UUID
	Automation string
	State      string
	Stage      string    // test, preview or production
	Before     uuid.UUID // only older runs
	Limit      int
}

// ListRuns gives the runs that the filter chooses.
func (s *Store) ListRuns(ctx context.Context, f RunFilter) ([]Run, error) {
	rows, err := s.pool.Query(ctx, runSQL+`
		where r.project_id = @project and (@automation = '' or a.name = @automation) and (@state = '' or s.state = @state) and (@stage = '' or r.stage = @stage)
		  and (@before = '00000000-0000-0000-0000-000000000000'::uuid or r.id < @before)
		order by r.id desc limit @limit`,
		pgx.NamedArgs{"project": f.Project, "automation": f.Automation, "state": f.State, "stage": f.Stage, "before": f.Before, "limit": f.Limit})
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByName[Run])
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	return list, nil
}

// RunByID gives a run of a project, else a not_found fault.
func (s *Store) RunByID(ctx context.Context, project, id uuid.UUID) (Run, error) {
	rows, err := s.pool.Query(ctx, runSQL+`where r.id = $1 and r.project_id = $2`, id, project)
	return exactlyOne[Run](rows, err, "find run "+id.String(),
		fault.New(fault.NotFound, "run", "There is no run %s in this project. See which there are with: pawl run list.", id))
}

// RunStage gives the stage of a run of a project: test for a run of a draft. A run that is not there is a not_found fault.
func (s *Store) RunStage(ctx context.Context, project, id uuid.UUID) (string, error) {
	var stage string
	err := s.pool.QueryRow(ctx, `select stage from run where id = $1 and project_id = $2`, id, project).Scan(&stage)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", noRun(id)
	}
	if err != nil {
		return "", fmt.Errorf("find the stage of run %s: %w", id, err)
	}
	return stage, nil
}

// Blob is a body that belongs to a run.
type Blob struct {
	Digest    []byte
	MediaType string
	Size      int64
	Body      []byte
}

// RunBlob gives a body of a run by its SHA-256, else a not_found fault.
func (s *Store) RunBlob(ctx context.Context, run uuid.UUID, digest []byte) (Blob, error) {
	b := Blob{Digest: digest}
	err := s.pool.QueryRow(ctx, `select media_type, size, body from blob where run_id = $1 and digest = $2`, run, digest).Scan(&b.MediaType, &b.Size, &b.Body)
	if errors.Is(err, pgx.ErrNoRows) {
		return Blob{}, fault.New(fault.NotFound, "blob", "This run has no output with the digest %x.", digest)
	}
	if err != nil {
		return Blob{}, fmt.Errorf("read an output of run %s: %w", run, err)
	}
	return b, nil
}
