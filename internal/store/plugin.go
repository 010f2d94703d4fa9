package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/connections"
	"pawl/connections/release"
)

// ChangePlugin reads the state of a plugin under the lock of its row, lets move decide, and does what it decided,
// all in one transaction with the audit rows. When move refuses, or the limit of production apps is exceeded,
// nothing changes.
func (s *Store) ChangePlugin(ctx context.Context, id, by string, move release.Move) (release.Done, error) {
	done, err := s.ChangePlugins(ctx, by, []release.Named{{ID: id, Move: move}})
	if err != nil {
		return release.Done{}, err
	}
	return done[0], nil
}

// ChangePlugins is ChangePlugin for several plugins in one transaction. Their rows are locked in ascending order of their
// ids, whatever the order of changes.
func (s *Store) ChangePlugins(ctx context.Context, by string, changes []release.Named) ([]release.Done, error) {
	order := make([]int, len(changes))
	ids := make([]string, len(changes))
	for i := range changes {
		order[i], ids[i] = i, changes[i].ID
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(ids[a], ids[b]) })
	var done []release.Done
	err := s.InTx(ctx, "change plugin "+strings.Join(ids, ", "), func(tx pgx.Tx) error {
		done = make([]release.Done, len(changes))
		if _, err := tx.Exec(ctx, lockPatience); err != nil {
			return err
		}
		for _, i := range order {
			if err := changePlugin(ctx, tx, changes[i], by, &done[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

func changePlugin(ctx context.Context, tx pgx.Tx, n release.Named, by string, done *release.Done) error {
	state, err := readPlugin(ctx, tx, n.ID, "for update")
	if err != nil {
		return err
	}
	c, err := n.Move(state)
	if err != nil {
		return err
	}
	*done = release.Done{Plugin: state.Plugin, Warnings: c.Warnings}
	if c.Verb == "" {
		return nil
	}
	return applyChange(ctx, tx, &state, &c, by, done)
}

// PluginState reads the state of a plugin, all parts as of one instant.
func (s *Store) PluginState(ctx context.Context, id string) (release.State, error) {
	var state release.State
	opts := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, s.pool, opts, func(tx pgx.Tx) (err error) {
		state, err = readPlugin(ctx, tx, id, "")
		return err
	})
	if err != nil {
		return release.State{}, fmt.Errorf("read plugin %s: %w", id, err)
	}
	return state, nil
}

// ListPlugins gives plugins that were not removed by id, after an id, at most limit.
func (s *Store) ListPlugins(ctx context.Context, after string, limit int) ([]release.Plugin, error) {
	rows, err := s.pool.Query(ctx, `select `+pluginColumns+` from plugin
		where removed_at is null and id > $1 order by id limit $2`, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list plugins: %w", err)
	}
	list, err := pgx.CollectRows(rows, scanPlugin)
	if err != nil {
		return nil, fmt.Errorf("list plugins: %w", err)
	}
	return list, nil
}

const pluginColumns = `id, draft, draft_settings, draft_digest, draft_rev, preview_version, production_version, peak_version,
	enabled, created_at, updated_at, updated_by, removed_at`

func scanPlugin(row pgx.CollectableRow) (release.Plugin, error) {
	var p release.Plugin
	var preview, production, peak *string
	err := row.Scan(&p.ID, &p.Draft.Document, &p.Draft.Settings, &p.Draft.Digest, &p.Draft.Rev, &preview, &production, &peak,
		&p.Enabled, &p.CreatedAt, &p.UpdatedAt, &p.UpdatedBy, &p.RemovedAt)
	if err != nil {
		return p, err
	}
	var errs [3]error
	p.Preview, errs[0] = version(preview)
	p.Production, errs[1] = version(production)
	p.Peak, errs[2] = version(peak)
	return p, errors.Join(errs[:]...)
}

func version(text *string) (*connections.Version, error) {
	if text == nil {
		return nil, nil
	}
	v, err := connections.ParseVersion(*text)
	return &v, err
}

func versionText(v *connections.Version) *string {
	if v == nil {
		return nil
	}
	text := v.String()
	return &text
}

// readPlugin reads the state of one plugin; lock is a locking clause for its row, or empty.
func readPlugin(ctx context.Context, tx pgx.Tx, id, lock string) (release.State, error) {
	state := release.State{Plugin: release.Plugin{ID: id}}
	rows, err := tx.Query(ctx, `select `+pluginColumns+` from plugin where id = $1 `+lock, id)
	if err != nil {
		return state, err
	}
	p, err := pgx.CollectExactlyOneRow(rows, scanPlugin)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
	case err != nil:
		return state, err
	default:
		state.Plugin, state.Exists = p, true
	}
	if state.PreviewProjects, err = previewProjects(ctx, tx, id); err != nil {
		return state, err
	}
	if state.Releases, err = frozenVersions(ctx, tx, id); err != nil {
		return state, err
	}
	if state.Bindings, err = pluginBindings(ctx, tx, id); err != nil {
		return state, err
	}
	return state, tx.QueryRow(ctx, `select clock_timestamp()`).Scan(&state.Now)
}

func previewProjects(ctx context.Context, tx pgx.Tx, id string) ([]uuid.UUID, error) {
	rows, err := tx.Query(ctx, `select project_id from preview_project where plugin_id = $1 order by 1`, id)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

// applyChange does what a move decided. The order of locks is the same in every change: the plugin's row, its
// identities in ascending order, then the count of production apps.
func applyChange(ctx context.Context, tx pgx.Tx, was *release.State, c *release.Change, by string, done *release.Done) error {
	var err error
	if done.Plugin, err = writePlugin(ctx, tx, c.Plugin, by); err != nil {
		return err
	}
	if c.PreviewProjects != nil {
		if err := replacePreviewProjects(ctx, tx, c.Plugin.ID, c.PreviewProjects); err != nil {
			return err
		}
	}
	if c.Freeze != nil {
		if err := insertRelease(ctx, tx, c.Plugin.ID, c.Freeze, by); err != nil {
			return err
		}
	}
	if err := noteAudit(ctx, tx, by, nil, c.Verb, "plugin:"+c.Plugin.ID, c.Detail); err != nil {
		return err
	}
	if err := changeBindings(ctx, tx, was.Bindings, c, by, done); err != nil {
		return err
	}
	done.Changed = true
	return nil
}

func writePlugin(ctx context.Context, tx pgx.Tx, p release.Plugin, by string) (release.Plugin, error) {
	rows, err := tx.Query(ctx, `insert into plugin (id, draft, draft_settings, draft_digest, draft_rev, preview_version,
			production_version, peak_version, enabled, updated_by, removed_at)
		values (@id, @draft, @settings, @digest, @rev, @preview, @production, @peak, @enabled, @by, @removed)
		on conflict (id) do update set draft = @draft, draft_settings = @settings, draft_digest = @digest, draft_rev = @rev,
			preview_version = @preview, production_version = @production, peak_version = @peak, enabled = @enabled,
			updated_by = @by, updated_at = clock_timestamp(), removed_at = @removed
			where plugin.updated_at = @was
		returning `+pluginColumns,
		pgx.NamedArgs{
			"id": p.ID, "draft": p.Draft.Document, "settings": p.Draft.Settings, "digest": p.Draft.Digest, "rev": p.Draft.Rev,
			"preview": versionText(p.Preview), "production": versionText(p.Production), "peak": versionText(p.Peak),
			"enabled": p.Enabled, "by": by, "removed": p.RemovedAt, "was": nilIfZero(p.UpdatedAt),
		})
	if err != nil {
		return p, err
	}
	written, err := pgx.CollectExactlyOneRow(rows, scanPlugin)
	if errors.Is(err, pgx.ErrNoRows) { // two first pushes at once: there was no row to lock
		return p, errRaced
	}
	return written, err
}

func nilIfZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func replacePreviewProjects(ctx context.Context, tx pgx.Tx, id string, projects []uuid.UUID) error {
	if _, err := tx.Exec(ctx, `delete from preview_project where plugin_id = $1 and project_id <> all ($2)`, id, projects); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `insert into preview_project (plugin_id, project_id)
		select $1, p from unnest($2::uuid[]) as p on conflict do nothing`, id, projects)
	return err
}
