package store

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// ListedAutomation is an automation with what is live and how it last ran.
type ListedAutomation struct {
	Automation
	LiveDigest    []byte     // SHA-256 of the live version's document; nil before the first publish
	RunID         *uuid.UUID // of the latest run; nil before the first, as are the next four
	RunState      *string
	RunCreatedAt  *time.Time
	RunStartedAt  *time.Time
	RunFinishedAt *time.Time
}

// AutomationFilter chooses automations of a project, by name.
type AutomationFilter struct {
	Project uuid.UUID
	Name    string // only this one; empty for all
	After   string // only names behind this one
	Stage   string // of the runs that count: test, preview or production; empty for all
	Limit   int
}

const listedSQL = `select a.id, a.project_id, a.name, a.draft, a.draft_rev, a.live_version, a.created_at, a.updated_at, a.updated_by,
	  v.digest as live_digest, l.id as run_id, l.state as run_state, l.created_at as run_created_at, l.started_at as run_started_at, l.finished_at as run_finished_at
	from automation a
	left join automation_version v on v.automation_id = a.id and v.version = a.live_version
	left join lateral (select r.id, ` + runStateSQL + ` as state, r.created_at, r.started_at, r.finished_at from run r
	  where r.automation_id = a.id and (@stage = '' or r.stage = @stage) order by r.id desc limit 1) l on true
	where a.project_id = @project and a.removed_at is null and a.name > @after and (@name = '' or a.name = @name)
	order by a.name limit @limit`

// ListAutomations gives the automations that the filter chooses, each with its latest run.
func (s *Store) ListAutomations(ctx context.Context, f AutomationFilter) ([]ListedAutomation, error) {
	rows, err := s.pool.Query(ctx, listedSQL,
		pgx.NamedArgs{"project": f.Project, "name": f.Name, "after": f.After, "stage": f.Stage, "limit": f.Limit})
	return collect[ListedAutomation](rows, err, "list automations")
}

// ShowAutomation gives one automation with its latest run in a stage (empty for all), else a not_found fault.
func (s *Store) ShowAutomation(ctx context.Context, project uuid.UUID, name, stage string) (ListedAutomation, error) {
	if name == "" {
		return ListedAutomation{}, noAutomation(name)
	}
	rows, err := s.pool.Query(ctx, listedSQL, pgx.NamedArgs{"project": project, "name": name, "after": "", "stage": stage, "limit": 1})
	return exactlyOne[ListedAutomation](rows, err, "find automation "+strconv.Quote(name), noAutomation(name))
}
