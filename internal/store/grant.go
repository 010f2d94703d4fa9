package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/connections"
)

const grantColumns = `id, project_id, kind, action, plugin_id, host, created_at, created_by`

func scanGrant(row pgx.CollectableRow) (connections.Grant, error) {
	var g connections.Grant
	err := row.Scan(&g.ID, &g.ProjectID, &g.Kind, &g.Action, &g.Plugin, &g.Host, &g.CreatedAt, &g.CreatedBy)
	return g, err
}

// AddGrant makes a standing grant, or gives the one that stands already.
func (s *Store) AddGrant(ctx context.Context, project uuid.UUID, t connections.GrantTarget, by string) (connections.Grant, error) {
	var g connections.Grant
	err := s.InTx(ctx, "add a grant", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `insert into standing_grant (id, project_id, kind, action, plugin_id, host, created_by)
			values ($1, $2, $3, $4, $5, $6, $7)
			on conflict (project_id, kind, action, plugin_id, host) where revoked_at is null do nothing`,
			uuid.Must(uuid.NewV7()), project, t.Kind, t.Action, t.Plugin, t.Host, by)
		if err != nil {
			return err
		}
		g, err = standingGrant(ctx, tx, project, t)
		if errors.Is(err, pgx.ErrNoRows) { // revoked since our insert met it
			return errRaced
		}
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		return noteGrant(ctx, tx, g, by, "grant.add")
	})
	return g, err
}

// HostGranted says whether a project lets a plugin's module reach a host.
func (s *Store) HostGranted(ctx context.Context, project uuid.UUID, plugin, host string) (granted bool, err error) {
	err = s.pool.QueryRow(ctx, `select exists (select 1 from standing_grant
		where project_id = $1 and kind = 'host' and plugin_id = $2 and host = $3 and revoked_at is null)`, project, plugin, host).Scan(&granted)
	if err != nil {
		return false, fmt.Errorf("look up the grant of a host: %w", err)
	}
	return granted, nil
}

func standingGrant(ctx context.Context, tx pgx.Tx, project uuid.UUID, t connections.GrantTarget) (connections.Grant, error) {
	rows, err := tx.Query(ctx, `select `+grantColumns+` from standing_grant
		where project_id = $1 and kind = $2 and action = $3 and plugin_id = $4 and host = $5 and revoked_at is null`,
		project, t.Kind, t.Action, t.Plugin, t.Host)
	if err != nil {
		return connections.Grant{}, err
	}
	return pgx.CollectExactlyOneRow(rows, scanGrant)
}

func noteGrant(ctx context.Context, tx pgx.Tx, g connections.Grant, by, verb string) error {
	detail := map[string]any{"kind": g.Kind}
	for name, text := range map[string]string{"action": string(g.Action), "plugin": g.Plugin, "host": g.Host} {
		if text != "" {
			detail[name] = text
		}
	}
	return noteAudit(ctx, tx, by, &g.ProjectID, verb, "grant:"+g.ID.String(), detail)
}

// ListGrants gives the standing grants of a project in the order in which they were made, after an id.
func (s *Store) ListGrants(ctx context.Context, project, after uuid.UUID, limit int) ([]connections.Grant, error) {
	rows, err := s.pool.Query(ctx, `select `+grantColumns+` from standing_grant
		where project_id = $1 and revoked_at is null and id > $2 order by id limit $3`, project, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list grants: %w", err)
	}
	list, err := pgx.CollectRows(rows, scanGrant)
	if err != nil {
		return nil, fmt.Errorf("list grants: %w", err)
	}
	return list, nil
}

// RevokeGrant ends a standing grant; the row stays, with who ended it and when.
func (s *Store) RevokeGrant(ctx context.Context, project uuid.UUID, t connections.GrantTarget, by string) (connections.Grant, error) {
	var g connections.Grant
	err := s.InTx(ctx, "remove a grant", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `update standing_grant set revoked_at = clock_timestamp(), revoked_by = $6
			where project_id = $1 and kind = $2 and action = $3 and plugin_id = $4 and host = $5 and revoked_at is null
			returning `+grantColumns, project, t.Kind, t.Action, t.Plugin, t.Host, by)
		if err != nil {
			return err
		}
		g, err = pgx.CollectExactlyOneRow(rows, scanGrant)
		if errors.Is(err, pgx.ErrNoRows) {
			return connections.NoGrant()
		}
		if err != nil {
			return err
		}
		return noteGrant(ctx, tx, g, by, "grant.remove")
	})
	return g, err
}
