package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/connections"
)

// NamedBinding is the binding of an identity that a document names, with its release.
type NamedBinding struct {
	Identity  connections.ConnectionIdentity
	ReleaseID uuid.UUID
	Facts     connections.BindingFacts
}

// NamedAccount is a usable account of an identity that a document names.
type NamedAccount struct {
	Identity connections.ConnectionIdentity
	Name     string
}

// DocumentFacts is what the database says of the connections and actions that a document names, for one project.
type DocumentFacts struct {
	Bindings []NamedBinding
	Accounts []NamedAccount
	Granted  []connections.ActionIdentity
	// Known are the identities that are routed now, for suggestions.
	Known []connections.ConnectionIdentity
}

// FactsFor reads the facts about what a document names, all as of one instant.
func (s *Store) FactsFor(ctx context.Context, project uuid.UUID, identities []connections.ConnectionIdentity, actions []connections.ActionIdentity) (DocumentFacts, error) {
	var f DocumentFacts
	opts := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, s.pool, opts, func(tx pgx.Tx) (err error) {
		if f.Bindings, err = namedBindings(ctx, tx, project, identities); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `select identity, name from account where project_id = $1 and identity = any ($2) and removed_at is null order by identity, name`, project, identities)
		if f.Accounts, err = collectPos[NamedAccount](rows, err); err != nil {
			return err
		}
		rows, err = tx.Query(ctx, `select action from standing_grant where project_id = $1 and kind = 'action' and action = any ($2) and revoked_at is null`, project, actions)
		if f.Granted, err = collectOne[connections.ActionIdentity](rows, err); err != nil {
			return err
		}
		rows, err = tx.Query(ctx, `select identity from binding where scope in ($1, '00000000-0000-0000-0000-000000000000') and state = 'active'
			and (kept_until is null or kept_until > clock_timestamp()) order by identity`, project)
		f.Known, err = collectOne[connections.ConnectionIdentity](rows, err)
		return err
	})
	if err != nil {
		return f, fmt.Errorf("read what a document names: %w", err)
	}
	return f, nil
}

// namedBindings reads bindings, those of the project and those of the installation, each with the routable identity
// of the same source entry.
func namedBindings(ctx context.Context, tx pgx.Tx, project uuid.UUID, identities []connections.ConnectionIdentity) ([]NamedBinding, error) {
	rows, err := tx.Query(ctx, `select b.identity, b.release_id, b.state = 'active', b.gen, b.kept_until, b.changed_at, b.changed_by, b.reason, clock_timestamp(),
		  coalesce((select c.identity from binding c where c.scope = b.scope and starts_with(c.identity, regexp_replace(b.identity, '\.v[0-9-]+$', '.v'))
		    and c.state = 'active' and (c.kept_until is null or c.kept_until > clock_timestamp())
		    order by c.kept_until is null desc, c.changed_at desc limit 1), '')
		from binding b where b.identity = any ($2) and b.scope in ($1, '00000000-0000-0000-0000-000000000000')`, project, identities)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (b NamedBinding, err error) {
		f := &b.Facts
		return b, row.Scan(&b.Identity, &b.ReleaseID, &f.Active, &f.Gen, &f.KeptUntil, &f.ChangedAt, &f.ChangedBy, &f.Reason, &f.Now, &f.Current)
	})
}
