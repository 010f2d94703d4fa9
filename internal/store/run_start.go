package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pawl/connections"
	"pawl/internal/fault"
)

// Choice says what a run is to follow: a published version, the live one where Version is nil, or the draft.
type Choice struct {
	Project    uuid.UUID
	Automation uuid.UUID
	Version    *int
	Draft      bool
}

// Chosen is an automation with what was chosen of it.
type Chosen struct {
	Automation uuid.UUID
	Name       string
	LocalOnly  bool   // of its project
	Draft      []byte // nil where it was not asked for, or there is none
	Version    *int   // nil where it was not asked for, or there is none
	Digest     []byte // SHA-256 of the version's document
}

const chooseSQL = `select a.id, a.name, p.local_only, case when $3 then a.draft end, v.version, v.digest
from automation a join project p on p.id = a.project_id
left join automation_version v on not $3 and v.automation_id = a.id and v.version = coalesce($4::bigint, a.live_version)
where a.id = $1 and a.project_id = $2 and a.removed_at is null`

// Choose finds what a run is to follow. An automation that the project does not have is a not_found fault.
func (s *Store) Choose(ctx context.Context, q Choice) (Chosen, error) {
	var c Chosen
	err := s.pool.QueryRow(ctx, chooseSQL, q.Automation, q.Project, q.Draft, q.Version).
		Scan(&c.Automation, &c.Name, &c.LocalOnly, &c.Draft, &c.Version, &c.Digest)
	if errors.Is(err, pgx.ErrNoRows) {
		return c, fault.New(fault.NotFound, "automation", "This project has no such automation.")
	}
	if err != nil {
		return c, fmt.Errorf("find the automation: %w", err)
	}
	return c, nil
}

// KeepDocument stores a document under its SHA-256, so that runs stay on these bytes.
func (s *Store) KeepDocument(ctx context.Context, digest [32]byte, body []byte) error {
	return keepDocument(ctx, s.pool, digest, body)
}

type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

func keepDocument(ctx context.Context, q execer, digest [32]byte, body []byte) error {
	if _, err := q.Exec(ctx, `insert into document (digest, body) values ($1, $2) on conflict do nothing`, digest[:], body); err != nil {
		return fmt.Errorf("keep a document: %w", err)
	}
	return nil
}

// NewRun is a run to be queued.
type NewRun struct {
	ID, Project, Automation uuid.UUID
	// Action makes it a call of an agent, of no automation: the identity of the action that it calls.
	Action  string
	Version *int // nil for a draft
	Digest  []byte
	// StartKey makes the run happen once an automation.
	StartKey string
	Trigger  string // manual, api
	// TriggerData, Input and Accounts are JSON; TriggerData may be nil. Accounts maps identity and name to an id.
	TriggerData, Input, Accounts []byte
	Stage                        string // production or test
	LocalOnly                    bool
	By                           string
}

const insertRunSQL = `insert into run (id, project_id, automation_id, action, version, digest, start_key, trigger, trigger_data, input, accounts, stage, local_only, epoch, created_by)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, current_setting('pawl.epoch')::bigint, $14) on conflict do nothing`

// InsertRun queues a run; made is false where the start key was used before, and nothing changed.
func (s *Store) InsertRun(ctx context.Context, r *NewRun) (made bool, err error) {
	return insertRun(ctx, s.pool, r)
}

func insertRun(ctx context.Context, q execer, r *NewRun) (made bool, err error) {
	var automation *uuid.UUID
	var action *string
	if r.Action != "" {
		action = &r.Action
	} else {
		automation = &r.Automation
	}
	tag, err := q.Exec(ctx, insertRunSQL, r.ID, r.Project, automation, action, r.Version, r.Digest, r.StartKey, r.Trigger, jsonText(r.TriggerData),
		string(r.Input), string(r.Accounts), r.Stage, r.LocalOnly, r.By)
	if err != nil {
		return false, fmt.Errorf("queue the run: %w", err)
	}
	return tag.RowsAffected() > 0, nil
}

func jsonText(b []byte) *string {
	if b == nil {
		return nil
	}
	s := string(b)
	return &s
}

// Started is a run as its start asked for it.
type Started struct {
	Run       uuid.UUID
	Version   *int   // nil for a draft
	Input     []byte // as it was given
	LocalOnly bool
}

// RunOfStartKey gives the run that a start key made.
func (s *Store) RunOfStartKey(ctx context.Context, automation uuid.UUID, key string) (Started, error) {
	var r Started
	err := s.pool.QueryRow(ctx, `select id, version, input::text, local_only from run where automation_id = $1 and start_key = $2`, automation, key).
		Scan(&r.Run, &r.Version, &r.Input, &r.LocalOnly)
	if err != nil {
		return r, fmt.Errorf("find the run of a start key: %w", err)
	}
	return r, nil
}

// CallOfStartKey gives the call of an agent that a start key made in a project, with the action that it calls.
func (s *Store) CallOfStartKey(ctx context.Context, project uuid.UUID, key string) (Started, string, error) {
	var r Started
	var action string
	err := s.pool.QueryRow(ctx, `select id, input::text, local_only, action from run where project_id = $1 and start_key = $2 and automation_id is null`, project, key).
		Scan(&r.Run, &r.Input, &r.LocalOnly, &action)
	if err != nil {
		return r, "", fmt.Errorf("find the call of a start key: %w", err)
	}
	return r, action, nil
}

// UsableAccount is an account of a project that was not removed.
type UsableAccount struct {
	Identity connections.ConnectionIdentity
	Name     string
	ID       uuid.UUID
}

// UsableAccounts gives the accounts that a project has for some identities.
func (s *Store) UsableAccounts(ctx context.Context, project uuid.UUID, identities []connections.ConnectionIdentity) ([]UsableAccount, error) {
	rows, err := s.pool.Query(ctx, `select identity, name, id from account where project_id = $1 and identity = any($2) and removed_at is null`, project, identities)
	return collect[UsableAccount](rows, err, "find the accounts")
}
