package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/internal/auth"
	"pawl/internal/fault"
)

// CreateLink keeps a one-time sign-in link by its hash, for auth.LinkLifetime.
func (s *Store) CreateLink(ctx context.Context, person uuid.UUID, hash []byte) error {
	_, err := s.pool.Exec(ctx, `insert into signin_link (hash, person_id, expires_at) values ($1, $2, clock_timestamp() + $3)`,
		hash, person, auth.LinkLifetime)
	if err != nil {
		return fmt.Errorf("keep a sign-in link: %w", err)
	}
	return nil
}

// UseLink marks a link as used, once; an unknown, used or expired one is a not_found fault.
func (s *Store) UseLink(ctx context.Context, hash []byte) (uuid.UUID, error) {
	var person uuid.UUID
	err := s.pool.QueryRow(ctx, `
		update signin_link set used_at = clock_timestamp()
		where hash = $1 and used_at is null and expires_at > clock_timestamp() returning person_id`, hash).Scan(&person)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, fault.New(fault.NotFound, "link", "There is no such sign-in link.")
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("use a sign-in link: %w", err)
	}
	return person, nil
}

// installLock keeps two first starts from making two administrators (pg_advisory_xact_lock).
const installLock = 0x70617721

// Install makes the project "default" where it is missing and, where there is no person yet, the administrator
// with a key and a sign-in link; it says whether it made the administrator.
func (s *Store) Install(ctx context.Context, admin auth.Person, key auth.Key, keyHash, linkHash []byte) (bool, error) {
	made := false
	err := s.InTx(ctx, "make the first administrator", func(tx pgx.Tx) error {
		made = false
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, installLock); err != nil {
			return fmt.Errorf("take the installation lock: %w", err)
		}
		_, err := tx.Exec(ctx, `insert into project (id, name, title) values ($1, 'default', 'Default') on conflict (name) do nothing`, uuid.Must(uuid.NewV7()))
		if err != nil {
			return fmt.Errorf("make the project default: %w", err)
		}
		var people int
		if err := tx.QueryRow(ctx, `select count(*) from person`).Scan(&people); err != nil || people > 0 {
			return err
		}
		made = true
		return installAdmin(ctx, tx, admin, key, keyHash, linkHash)
	})
	return made, err
}

func installAdmin(ctx context.Context, tx pgx.Tx, admin auth.Person, key auth.Key, keyHash, linkHash []byte) error {
	_, err := tx.Exec(ctx, `insert into person (id, email, name, owner) values ($1, $2, $3, $4)`, admin.ID, admin.Email, admin.Name, admin.Owner)
	if err != nil {
		return memberFault(admin.Email, auth.Owner, err)
	}
	_, err = tx.Exec(ctx, `insert into signin_link (hash, person_id, expires_at) values ($1, $2, clock_timestamp() + $3)`, linkHash, admin.ID, auth.LinkLifetime)
	if err != nil {
		return fmt.Errorf("keep the first sign-in link: %w", err)
	}
	if err := noteAudit(ctx, tx, "pawl", nil, "person.create", "person:"+admin.ID.String(), map[string]any{"email": admin.Email, "owner": true}); err != nil {
		return err
	}
	return insertKey(ctx, tx, key, keyHash, "pawl")
}
