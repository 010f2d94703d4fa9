package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/connections"
	"pawl/connections/release"
	"pawl/internal/fault"
)

// frozenVersions gives every frozen version of a plugin, ascending.
func frozenVersions(ctx context.Context, tx pgx.Tx, id string) ([]release.Frozen, error) {
	rows, err := tx.Query(ctx, `select id, major, minor, patch, digest, app, tools, frozen_at, frozen_by from release
		where source = $1 and entry_id = $2 and scope = $3 order by major, minor, patch`,
		connections.SourceDeveloper, id, release.Installation)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (release.Frozen, error) {
		var f release.Frozen
		err := row.Scan(&f.ID, &f.Version.Major, &f.Version.Minor, &f.Version.Patch, &f.Digest, &f.App, &f.Tools, &f.FrozenAt, &f.FrozenBy)
		return f, err
	})
}

func insertRelease(ctx context.Context, tx pgx.Tx, plugin string, f *release.Freeze, by string) error {
	_, err := tx.Exec(ctx, `insert into release (id, source, entry_id, scope, major, minor, patch, digest, document, settings, app, tools, frozen_by)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		f.ID, connections.SourceDeveloper, plugin, release.Installation, f.Version.Major, f.Version.Minor, f.Version.Patch,
		f.Digest, f.Document, f.Settings, f.App, f.Tools, by)
	if err != nil {
		return err
	}
	return noteAudit(ctx, tx, by, nil, "release.freeze", fmt.Sprintf("release:%s@%s", plugin, f.Version),
		map[string]any{"id": f.ID, "digest": fmt.Sprintf("%x", f.Digest), "app": f.App, "tools": f.Tools})
}

// FrozenPlugin gives one frozen version of a plugin with its bytes, else a not_found fault.
func (s *Store) FrozenPlugin(ctx context.Context, plugin string, v connections.Version) (release.Freeze, error) {
	f := release.Freeze{Frozen: release.Frozen{Version: v}}
	err := s.pool.QueryRow(ctx, `select id, digest, app, tools, frozen_at, frozen_by, document, settings from release
		where source = $1 and entry_id = $2 and scope = $3 and (major, minor, patch) = ($4, $5, $6)`,
		connections.SourceDeveloper, plugin, release.Installation, v.Major, v.Minor, v.Patch).
		Scan(&f.ID, &f.Digest, &f.App, &f.Tools, &f.FrozenAt, &f.FrozenBy, &f.Document, &f.Settings)
	if errors.Is(err, pgx.ErrNoRows) {
		return f, fault.New(fault.NotFound, "version", "%s has no frozen version %s. See which there are: pawl plugin show %s", plugin, v, plugin)
	}
	if err != nil {
		return f, fmt.Errorf("read %s %s: %w", plugin, v, err)
	}
	return f, nil
}

// ReleaseOf gives the release that a connection identity is bound to in a scope, bound now or once; ok is false
// where it never was.
func (s *Store) ReleaseOf(ctx context.Context, identity connections.ConnectionIdentity, scope uuid.UUID) (f release.Freeze, ok bool, err error) {
	err = s.pool.QueryRow(ctx, `select r.id, r.major, r.minor, r.patch, r.digest, r.app, r.tools, r.frozen_at, r.frozen_by, r.document, r.settings
		from binding b join release r on r.id = b.release_id where b.identity = $1 and b.scope = $2`, identity, scope).
		Scan(&f.ID, &f.Version.Major, &f.Version.Minor, &f.Version.Patch, &f.Digest, &f.App, &f.Tools, &f.FrozenAt, &f.FrozenBy, &f.Document, &f.Settings)
	if errors.Is(err, pgx.ErrNoRows) {
		return f, false, nil
	}
	if err != nil {
		return f, false, fmt.Errorf("read the release of %s: %w", identity, err)
	}
	return f, true, nil
}

// PluginHistory gives the moves of a plugin from the audit log, the newest first, before a row's id (0 for the
// newest), at most limit.
func (s *Store) PluginHistory(ctx context.Context, id string, before int64, limit int) ([]release.Event, error) {
	rows, err := s.pool.Query(ctx, `select id, at, actor, verb, detail from audit
		where object = 'plugin:' || $1 and ($2 = 0 or id < $2) order by id desc limit $3`, id, before, limit)
	if err != nil {
		return nil, fmt.Errorf("read the history of %s: %w", id, err)
	}
	events, err := pgx.CollectRows(rows, pgx.RowToStructByPos[release.Event])
	if err != nil {
		return nil, fmt.Errorf("read the history of %s: %w", id, err)
	}
	return events, nil
}
