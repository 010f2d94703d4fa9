package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/connections"
	"pawl/connections/vault"
	"pawl/internal/fault"
)

func insertSecret(ctx context.Context, tx pgx.Tx, seal func(vault.Row) ([]byte, error)) (uuid.UUID, error) {
	row := vault.Row{ID: uuid.Must(uuid.NewV7()), Version: 1}
	sealed, err := seal(row)
	if err != nil {
		return row.ID, err
	}
	_, err = tx.Exec(ctx, `insert into secret (id, version, sealed) values ($1, $2, $3)`, row.ID, row.Version, sealed)
	return row.ID, err
}

// renewSecret seals a new key into the row of an account's secret, as the next version. The caller holds the
// account's row.
func renewSecret(ctx context.Context, tx pgx.Tx, a connections.Account, seal func(vault.Row) ([]byte, error)) error {
	var row vault.Row
	err := tx.QueryRow(ctx, `select s.id, s.version + 1 from account a join secret s on s.id = a.secret_id where a.id = $1 for update of s`, a.ID).
		Scan(&row.ID, &row.Version)
	if err != nil {
		return err
	}
	sealed, err := seal(row)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `update secret set version = $2, sealed = $3, updated_at = clock_timestamp() where id = $1`, row.ID, row.Version, sealed)
	return err
}

// SealedKey gives the sealed key of an account that was not removed, with the row to open it for.
func (s *Store) SealedKey(ctx context.Context, account uuid.UUID) (vault.Row, []byte, error) {
	var row vault.Row
	var sealed []byte
	err := s.pool.QueryRow(ctx, `select s.id, s.version, s.sealed from account a join secret s on s.id = a.secret_id
		where a.id = $1 and a.removed_at is null`, account).Scan(&row.ID, &row.Version, &sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return row, nil, fault.New(fault.NotFound, "account", "The account %s does not exist, was removed or has no key.", account)
	}
	if err != nil {
		return row, nil, fmt.Errorf("read the key of account %s: %w", account, err)
	}
	return row, sealed, nil
}

// ResealSecrets wraps every secret that current refuses anew, batch rows a transaction, and gives how many it
// changed. It may run beside everything else and be stopped and begun again at any time.
func (s *Store) ResealSecrets(ctx context.Context, v Resealer, by string) (int, error) {
	var changed int
	for after := uuid.Nil; ; {
		last, n, err := s.resealBatch(ctx, v, by, after)
		changed += n
		if err != nil || last == uuid.Nil {
			return changed, err
		}
		after = last
	}
}

// Resealer is the part of the vault that resealing needs.
type Resealer interface {
	// Current says whether sealed is wrapped by the primary master key.
	Current(sealed []byte) bool
	// Reseal wraps it anew, for the same row.
	Reseal(row vault.Row, sealed []byte) ([]byte, error)
}

type sealedRow struct {
	vault.Row
	sealed []byte
}

// resealBatch works on the rows after an id and gives the last one's, or the nil UUID when there are no more.
func (s *Store) resealBatch(ctx context.Context, v Resealer, by string, after uuid.UUID) (last uuid.UUID, changed int, err error) {
	err = s.InTx(ctx, "reseal secrets", func(tx pgx.Tx) error {
		last, changed = uuid.Nil, 0
		rows, err := tx.Query(ctx, `select id, version, sealed from secret where id > $1 order by id limit $2 for update`, after, resealChunk)
		if err != nil {
			return err
		}
		batch, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (x sealedRow, err error) {
			return x, r.Scan(&x.ID, &x.Version, &x.sealed)
		})
		if err != nil || len(batch) == 0 {
			return err
		}
		last = batch[len(batch)-1].ID
		changed, err = resealRows(ctx, tx, v, batch)
		if err != nil || changed == 0 {
			return err
		}
		return noteAudit(ctx, tx, by, nil, "vault.reseal", "vault", map[string]any{"secrets": changed})
	})
	return last, changed, err
}

func resealRows(ctx context.Context, tx pgx.Tx, v Resealer, batch []sealedRow) (changed int, err error) {
	for _, x := range batch {
		if v.Current(x.sealed) {
			continue
		}
		sealed, err := v.Reseal(x.Row, x.sealed)
		if err != nil {
			return changed, err
		}
		if _, err := tx.Exec(ctx, `update secret set sealed = $2, updated_at = clock_timestamp() where id = $1`, x.ID, sealed); err != nil {
			return changed, err
		}
		changed++
	}
	return changed, nil
}
