package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/connections"
	"pawl/connections/vault"
)

const accountColumns = `a.id, a.project_id, a.identity, a.name, a.status, coalesce(s.version, 0), a.created_at, a.created_by, a.updated_at, a.removed_at`

const accountTables = ` from account a left join secret s on s.id = a.secret_id `

// SetAccount makes an account with its sealed key, or seals a new key into the account of that name, which keeps
// its id. The key's version grows, so that the old bytes open no more in that row.
func (s *Store) SetAccount(ctx context.Context, key connections.AccountKey, by string, seal func(vault.Row) ([]byte, error)) (connections.Account, error) {
	var a connections.Account
	err := s.InTx(ctx, fmt.Sprintf("set account %q", key.Name), func(tx pgx.Tx) error {
		old, err := accountByKey(ctx, tx, key, "for update of a")
		if errors.Is(err, pgx.ErrNoRows) {
			a, err = insertAccount(ctx, tx, key, by, seal)
			return err
		}
		if err != nil {
			return err
		}
		a, err = rotateKey(ctx, tx, old, by, seal)
		return err
	})
	return a, err
}

func accountByKey(ctx context.Context, tx pgx.Tx, key connections.AccountKey, lock string) (connections.Account, error) {
	rows, err := tx.Query(ctx, `select `+accountColumns+accountTables+`
		where a.project_id = $1 and a.identity = $2 and a.name = $3 and a.removed_at is null `+lock, key.Project, key.Identity, key.Name)
	if err != nil {
		return connections.Account{}, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[connections.Account])
}

func insertAccount(ctx context.Context, tx pgx.Tx, key connections.AccountKey, by string, seal func(vault.Row) ([]byte, error)) (connections.Account, error) {
	secret, err := insertSecret(ctx, tx, seal)
	if err != nil {
		return connections.Account{}, err
	}
	id := uuid.Must(uuid.NewV7())
	tag, err := tx.Exec(ctx, `insert into account (id, project_id, identity, name, status, secret_id, created_by)
		values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (project_id, identity, name) where removed_at is null do nothing`,
		id, key.Project, key.Identity, key.Name, connections.Unchecked, secret, by)
	if err != nil {
		return connections.Account{}, err
	}
	if tag.RowsAffected() == 0 { // set by another call since we looked
		return connections.Account{}, errRaced
	}
	return tellAccount(ctx, tx, key, by, "account.set")
}

func rotateKey(ctx context.Context, tx pgx.Tx, old connections.Account, by string, seal func(vault.Row) ([]byte, error)) (connections.Account, error) {
	if err := renewSecret(ctx, tx, old, seal); err != nil {
		return old, err
	}
	_, err := tx.Exec(ctx, `update account set status = $2, updated_at = clock_timestamp() where id = $1`, old.ID, connections.Unchecked)
	if err != nil {
		return old, err
	}
	return tellAccount(ctx, tx, connections.AccountKey{Project: old.ProjectID, Identity: old.Identity, Name: old.Name}, by, "account.rotate")
}

// tellAccount reads an account as it is now and writes the audit row.
func tellAccount(ctx context.Context, tx pgx.Tx, key connections.AccountKey, by, verb string) (connections.Account, error) {
	a, err := accountByKey(ctx, tx, key, "")
	if err != nil {
		return a, err
	}
	return a, noteAccount(ctx, tx, a, by, verb)
}

func noteAccount(ctx context.Context, tx pgx.Tx, a connections.Account, by, verb string) error {
	return noteAudit(ctx, tx, by, &a.ProjectID, verb, "account:"+a.ID.String(),
		map[string]any{"identity": a.Identity, "name": a.Name, "key_version": a.KeyVersion})
}

// ListAccounts gives a page of a project's accounts that were not removed, by identity and name.
func (s *Store) ListAccounts(ctx context.Context, page connections.AccountPage) ([]connections.Account, error) {
	after := connections.AccountKey{}
	if page.After != nil {
		after = *page.After
	}
	rows, err := s.pool.Query(ctx, `select `+accountColumns+accountTables+`
		where a.project_id = @project and a.removed_at is null and (@identity = '' or a.identity = @identity)
		  and (a.identity, a.name) > (@after_identity, @after_name)
		order by a.identity, a.name limit @limit`,
		pgx.NamedArgs{"project": page.Project, "identity": string(page.Identity), "after_identity": string(after.Identity), "after_name": after.Name, "limit": page.Limit})
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[connections.Account])
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return list, nil
}

// RemoveAccount takes an account out of use; its row and its sealed key stay.
func (s *Store) RemoveAccount(ctx context.Context, key connections.AccountKey, by string) (connections.Account, error) {
	var a connections.Account
	err := s.InTx(ctx, fmt.Sprintf("remove account %q", key.Name), func(tx pgx.Tx) (err error) {
		a, err = accountByKey(ctx, tx, key, "for update of a")
		if errors.Is(err, pgx.ErrNoRows) {
			return connections.NoAccount(key)
		}
		if err != nil {
			return err
		}
		err = tx.QueryRow(ctx, `update account set removed_at = clock_timestamp(), updated_at = clock_timestamp()
			where id = $1 returning updated_at, removed_at`, a.ID).Scan(&a.UpdatedAt, &a.RemovedAt)
		if err != nil {
			return err
		}
		return noteAccount(ctx, tx, a, by, "account.remove")
	})
	return a, err
}
