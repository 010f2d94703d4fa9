package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pawl/connections"
	"pawl/connections/release"
	"pawl/internal/fault"
	"pawl/internal/ledger"
)

const bindingColumns = `identity, state, gen, release_id, kept_until, changed_at, changed_by, reason`

// pluginBindings gives the bindings that any version of a plugin has or had, of its app and of its tools.
func pluginBindings(ctx context.Context, tx pgx.Tx, id string) ([]release.Binding, error) {
	rows, err := tx.Query(ctx, `select `+bindingColumns+` from binding
		where scope = $1 and release_id in (select id from release where source = $2 and entry_id = $3 and scope = $1)
		order by identity`, release.Installation, connections.SourceDeveloper, id)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[release.Binding])
}

// changeBindings writes the bindings of a change, each with its audit row, under the exclusive locks of their
// identities: when the transaction commits, no claim under an old generation is left, and what was claimed before
// is listed in done.
func changeBindings(ctx context.Context, tx pgx.Tx, was []release.Binding, c *release.Change, by string, done *release.Done) error {
	if len(c.Bindings) == 0 {
		return nil
	}
	slices.SortFunc(c.Bindings, func(a, b release.Binding) int { return strings.Compare(string(a.Identity), string(b.Identity)) })
	for _, b := range c.Bindings {
		if err := lockIdentity(ctx, tx, b.Identity); err != nil {
			return err
		}
	}
	for _, b := range c.Bindings {
		if err := writeBinding(ctx, tx, b, by); err != nil {
			return err
		}
	}
	done.Published, done.Withdrawn = c.Routing(was)
	if c.Admits {
		if err := checkProductionApps(ctx, tx); err != nil {
			return err
		}
	}
	if err := notifyBindings(ctx, tx, done.Published); err != nil {
		return err
	}
	var err error
	done.OnTheWire, err = onTheWire(ctx, tx, done.Withdrawn)
	return err
}

func lockIdentity(ctx context.Context, tx pgx.Tx, identity connections.ConnectionIdentity) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(`+fmt.Sprintf(ledger.LockKey, "$1::text", "$2::uuid")+`)`, identity, release.Installation)
	return err
}

func writeBinding(ctx context.Context, tx pgx.Tx, b release.Binding, by string) error {
	var gen int64
	err := tx.QueryRow(ctx, `insert into binding (identity, scope, state, release_id, kept_until, changed_by, reason)
		values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (identity, scope) do update set state = excluded.state, gen = binding.gen + 1, release_id = excluded.release_id,
			kept_until = excluded.kept_until, changed_at = clock_timestamp(), changed_by = excluded.changed_by, reason = excluded.reason
		returning gen`, b.Identity, release.Installation, b.State, b.ReleaseID, b.KeptUntil, by, b.Reason).Scan(&gen)
	if err != nil {
		return err
	}
	detail := map[string]any{"state": b.State, "reason": b.Reason, "gen": gen}
	if b.KeptUntil != nil {
		detail["kept_until"] = b.KeptUntil.UTC()
	}
	return noteAudit(ctx, tx, by, nil, "binding.change", "binding:"+string(b.Identity), detail)
}

// checkProductionApps refuses what exceeds the limit. The lock makes promotions of different plugins count one
// after the other.
func checkProductionApps(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('production apps', 12))`); err != nil {
		return err
	}
	var n int
	err := tx.QueryRow(ctx, `select count(*) from binding b join release r on r.id = b.release_id
		where r.source = $1 and b.identity like $1 || '.%' and b.scope = $2 and (b.state = 'active' or b.reason = 'disabled')
		  and (b.kept_until is null or b.kept_until > clock_timestamp())`,
		connections.SourceDeveloper, release.Installation).Scan(&n)
	if err != nil || n <= release.MaxProductionApps {
		return err
	}
	return fault.New(fault.Limit, "production_apps",
		"At most %d app connections can be in production, versions kept beside a newer one and disabled plugins included. Remove a plugin, or promote without keeping the previous version.",
		release.MaxProductionApps)
}

func notifyBindings(ctx context.Context, tx pgx.Tx, published []connections.ConnectionIdentity) error {
	for _, identity := range published {
		if _, err := tx.Exec(ctx, `select pg_notify($1, $2)`, BindingsChannel, identity); err != nil {
			return err
		}
	}
	return nil
}

// onTheWire lists the claimed and unanswered attempts of identities. Read under their exclusive locks, the list
// is complete: a claim either committed before or finds the binding withdrawn.
func onTheWire(ctx context.Context, tx pgx.Tx, withdrawn []connections.ConnectionIdentity) ([]release.OnWire, error) {
	if len(withdrawn) == 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx, `select run_id, path, n, action, claimed_at, lease_until from attempt
		where state = 'sending' and regexp_replace(action, '\.[^.]*$', '') = any ($1::text[]) order by claimed_at`, withdrawn)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[release.OnWire])
}

// ExpiredPlugins gives the plugins of which an older version was kept until a date that has passed, and whose
// binding does not say so yet, at most limit.
func (s *Store) ExpiredPlugins(ctx context.Context, limit int) ([]string, error) {
	rows, err := s.pool.Query(ctx, `select distinct r.entry_id from binding b join release r on r.id = b.release_id
		where b.state = 'active' and b.kept_until <= clock_timestamp() and r.source = $1 limit $2`, connections.SourceDeveloper, limit)
	if err != nil {
		return nil, fmt.Errorf("list versions whose date has passed: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list versions whose date has passed: %w", err)
	}
	return ids, nil
}

// KeptVersions gives, by plugin, the versions that are routed beside the production one until a date, ascending. An app
// and the tools of a version are kept together.
func (s *Store) KeptVersions(ctx context.Context, ids []string) (map[string][]release.Kept, error) {
	rows, err := s.pool.Query(ctx, `select r.entry_id, r.major, r.minor, r.patch, max(b.kept_until)
		from binding b join release r on r.id = b.release_id
		where r.source = $1 and r.entry_id = any ($2) and b.scope = $3 and b.state = 'active' and b.kept_until > clock_timestamp()
		group by 1, 2, 3, 4 order by 1, 2, 3, 4`, connections.SourceDeveloper, ids, release.Installation)
	if err != nil {
		return nil, fmt.Errorf("list kept versions: %w", err)
	}
	kept := make(map[string][]release.Kept)
	var id string
	var k release.Kept
	_, err = pgx.ForEachRow(rows, []any{&id, &k.Version.Major, &k.Version.Minor, &k.Version.Patch, &k.Until}, func() error {
		kept[id] = append(kept[id], k)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list kept versions: %w", err)
	}
	return kept, nil
}
