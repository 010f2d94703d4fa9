package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/connections/release"
)

// AuditEntry is one row of the audit log: who did what to which object, and when.
type AuditEntry struct {
	ID      int64
	At      time.Time
	Actor   string
	Project string // the project's name, empty for the installation
	Verb    string
	Object  string
	Detail  json.RawMessage
}

// AuditFilter chooses rows of the audit log, newest first. Zero values choose all.
type AuditFilter struct {
	Project *uuid.UUID
	Object  string
	Before  int64 // only rows with a smaller id
	Limit   int
}

// AuditEntries reads the rows that the filter chooses.
func (s *Store) AuditEntries(ctx context.Context, f AuditFilter) ([]AuditEntry, error) {
	rows, err := s.pool.Query(ctx, `
		select a.id, a.at, a.actor, coalesce(p.name, '') as project, a.verb, a.object, a.detail::text as detail
		from audit a left join project p on p.id = a.project_id
		where (@project::uuid is null or a.project_id = @project)
		  and (@object = '' or a.object = @object)
		  and (@before = 0 or a.id < @before)
		order by a.id desc limit @limit`,
		pgx.NamedArgs{"project": f.Project, "object": f.Object, "before": f.Before, "limit": f.Limit})
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	entries, err := pgx.CollectRows(rows, pgx.RowToStructByName[AuditEntry])
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	return entries, nil
}

// noteAudit appends a row within the transaction that makes the change. project is nil for what belongs to the
// whole installation; detail must hold no secret.
func noteAudit(ctx context.Context, tx pgx.Tx, actor string, project *uuid.UUID, verb, object string, detail map[string]any) error {
	text := []byte("{}")
	if detail != nil {
		b, err := json.Marshal(detail)
		if err != nil {
			return fmt.Errorf("write the audit detail of %s: %w", verb, err)
		}
		text = b
	}
	_, err := tx.Exec(ctx, `insert into audit (actor, project_id, verb, object, detail) values ($1, $2, $3, $4, $5)`,
		actor, project, verb, object, string(text))
	if err != nil {
		return fmt.Errorf("write the audit row of %s: %w", verb, err)
	}
	return nil
}

// NoteTest appends a test call of a plugin to the audit log.
func (s *Store) NoteTest(ctx context.Context, n release.TestNote) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		return noteAudit(ctx, tx, n.By, &n.Project, "plugin.test", "plugin:"+n.Plugin, map[string]any{
			"stage": n.Stage, "version": n.Version.String(), "call": n.What, "outcome": n.Outcome, "sent": n.Sent,
		})
	})
}
