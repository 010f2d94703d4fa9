package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/connections"
)

// ReleaseByID reads the bytes of a frozen release and of its settings, nil for none.
func (s *Store) ReleaseByID(ctx context.Context, id uuid.UUID) (document, settings []byte, err error) {
	err = s.pool.QueryRow(ctx, `select document, settings from release where id = $1`, id).Scan(&document, &settings)
	if err != nil {
		return nil, nil, fmt.Errorf("read release %s: %w", id, err)
	}
	return document, settings, nil
}

// CurrentIdentity is the routable identity of the same source entry, the one changed last where there are several;
// empty for none.
func (s *Store) CurrentIdentity(ctx context.Context, identity connections.ConnectionIdentity, scope uuid.UUID) (connections.ConnectionIdentity, error) {
	id, err := connections.ParseIdentity(string(identity))
	if err != nil {
		return "", err
	}
	var current connections.ConnectionIdentity
	err = s.pool.QueryRow(ctx, `select identity from binding where scope = $1 and starts_with(identity, $2) and state = 'active'
		and (kept_until is null or kept_until > clock_timestamp()) order by kept_until is null desc, changed_at desc limit 1`,
		scope, string(id.Source)+"."+id.ID+".v").Scan(&current)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("find the current identity: %w", err)
	}
	return current, nil
}

// Document gives the bytes of an automation's document by their digest.
func (s *Store) Document(ctx context.Context, digest []byte) ([]byte, error) {
	var body []byte
	if err := s.pool.QueryRow(ctx, `select body from document where digest = $1`, digest).Scan(&body); err != nil {
		return nil, fmt.Errorf("read document %x: %w", digest, err)
	}
	return body, nil
}
