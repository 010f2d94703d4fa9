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

const keyColumns = `k.id, k.person_id, k.project_id, k.kind, k.name, k.prefix, k.created_at, k.last_used_at, k.expires_at, k.revoked_at`

func keyFields(k *auth.Key) []any {
	return []any{&k.ID, &k.PersonID, &k.ProjectID, &k.Kind, &k.Name, &k.Prefix, &k.CreatedAt, &k.LastUsedAt, &k.ExpiresAt, &k.RevokedAt}
}

// KeyByHash gives a usable key and its person, else a not_found fault. It notes the use, at most once a minute
// for each key, so that reading with a key does not write at every call.
func (s *Store) KeyByHash(ctx context.Context, hash []byte) (auth.Key, auth.Person, error) {
	var k auth.Key
	var stale bool
	row := s.pool.QueryRow(ctx, `
		select `+personColumns+`, `+keyColumns+`, k.last_used_at is null or k.last_used_at < clock_timestamp() - interval '1 minute'
		from api_key k join person p on p.id = k.person_id
		where k.hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())`, hash)
	p, err := scanPerson(row, append(keyFields(&k), &stale)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return auth.Key{}, auth.Person{}, fault.New(fault.NotFound, "api_key", "There is no such API key.")
	}
	if err != nil {
		return auth.Key{}, auth.Person{}, fmt.Errorf("find an API key: %w", err)
	}
	if stale {
		if _, err := s.pool.Exec(ctx, `update api_key set last_used_at = clock_timestamp() where id = $1`, k.ID); err != nil {
			return auth.Key{}, auth.Person{}, fmt.Errorf("note the use of an API key: %w", err)
		}
	}
	return k, p, nil
}

// CreateKey keeps a key.
func (s *Store) CreateKey(ctx context.Context, k auth.Key, hash []byte, actor string) error {
	return s.InTx(ctx, "create an API key", func(tx pgx.Tx) error { return insertKey(ctx, tx, k, hash, actor) })
}

func insertKey(ctx context.Context, tx pgx.Tx, k auth.Key, hash []byte, actor string) error {
	_, err := tx.Exec(ctx, `
		insert into api_key (id, person_id, project_id, kind, name, prefix, hash, expires_at)
		values (@id, @person, @project, @kind, @name, @prefix, @hash, @expires)`,
		pgx.NamedArgs{
			"id": k.ID, "person": k.PersonID, "project": k.ProjectID, "kind": string(k.Kind), "name": k.Name,
			"prefix": k.Prefix, "hash": hash, "expires": k.ExpiresAt,
		})
	if err != nil {
		return fmt.Errorf("create an API key: %w", err)
	}
	return noteAudit(ctx, tx, actor, k.ProjectID, "api_key.create", "api_key:"+k.ID.String(),
		map[string]any{"prefix": k.Prefix, "kind": string(k.Kind), "name": k.Name})
}

// KeysOf lists a person's keys that were not revoked, newest first.
func (s *Store) KeysOf(ctx context.Context, person uuid.UUID) ([]auth.Key, error) {
	rows, err := s.pool.Query(ctx, `select `+keyColumns+` from api_key k where k.person_id = $1 and k.revoked_at is null order by k.id desc`, person)
	if err != nil {
		return nil, fmt.Errorf("list API keys: %w", err)
	}
	keys, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (auth.Key, error) {
		var k auth.Key
		return k, row.Scan(keyFields(&k)...)
	})
	if err != nil {
		return nil, fmt.Errorf("list API keys: %w", err)
	}
	return keys, nil
}

// RevokeKey ends one of a person's keys at once; a key that is not theirs is a not_found fault.
func (s *Store) RevokeKey(ctx context.Context, person, id uuid.UUID, actor string) error {
	return s.InTx(ctx, "revoke an API key", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `update api_key set revoked_at = clock_timestamp() where id = $1 and person_id = $2 and revoked_at is null`, id, person)
		if err != nil {
			return fmt.Errorf("revoke an API key: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return fault.New(fault.NotFound, "api_key", "There is no API key %s of yours, or it was revoked before.", id)
		}
		return noteAudit(ctx, tx, actor, nil, "api_key.revoke", "api_key:"+id.String(), nil)
	})
}
