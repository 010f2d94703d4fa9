package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/internal/fault"
)

// AutomationVersion is one published, immutable version of an automation.
type AutomationVersion struct {
	Version     int
	Digest      []byte // SHA-256
	Author      string
	Message     string
	PublishedAt time.Time
}

// Publication asks for a new version.
type Publication struct {
	Name string
	// Rev is the draft's revision that was checked; another one by now is a conflict fault, reason "stale".
	Rev int64
	// Digest and Body are the document in its digested form, as internal/automation gives it.
	Digest  [32]byte
	Body    []byte
	Message string
	Actor   string
}

// PublishAutomation makes the next version from the checked draft and makes it the live one. When the live version
// already is this very document it changes nothing and gives that version, with made false.
func (s *Store) PublishAutomation(ctx context.Context, project uuid.UUID, p Publication) (v AutomationVersion, made bool, err error) {
	err = s.InTx(ctx, "publish an automation", func(tx pgx.Tx) error {
		v, made, err = publishDraft(ctx, tx, project, p)
		return err
	})
	return v, made, err
}

func publishDraft(ctx context.Context, tx pgx.Tx, project uuid.UUID, p Publication) (AutomationVersion, bool, error) {
	a, err := automationByName(ctx, tx, project, p.Name, "for update")
	if err != nil {
		return AutomationVersion{}, false, err
	}
	if a.DraftRev != p.Rev {
		return AutomationVersion{}, false, staleDraft(a)
	}
	if a.LiveVersion != nil {
		live, _, err := automationVersion(ctx, tx, a.ID, *a.LiveVersion)
		if err != nil || string(live.Digest) == string(p.Digest[:]) {
			return live, false, err
		}
	}
	v := AutomationVersion{Digest: p.Digest[:], Author: p.Actor, Message: p.Message}
	if err := keepDocument(ctx, tx, p.Digest, p.Body); err != nil {
		return AutomationVersion{}, false, fmt.Errorf("publish %q: %w", p.Name, err)
	}
	err = tx.QueryRow(ctx, `insert into automation_version (automation_id, version, digest, author, message)
		select $1, coalesce(max(version), 0) + 1, $2, $3, $4 from automation_version where automation_id = $1
		returning version, published_at`, a.ID, p.Digest[:], p.Actor, p.Message).Scan(&v.Version, &v.PublishedAt)
	if err != nil {
		return AutomationVersion{}, false, fmt.Errorf("publish %q: %w", p.Name, err)
	}
	if _, err := tx.Exec(ctx, `update automation set live_version = $2, updated_at = clock_timestamp() where id = $1`, a.ID, v.Version); err != nil {
		return AutomationVersion{}, false, fmt.Errorf("make version %d of %q live: %w", v.Version, p.Name, err)
	}
	return v, true, noteAudit(ctx, tx, p.Actor, &project, "automation.publish", "automation:"+p.Name, map[string]any{"version": v.Version, "rev": p.Rev})
}

// AutomationVersions lists the published versions, newest first, below a version number (0 = from the newest).
func (s *Store) AutomationVersions(ctx context.Context, automation uuid.UUID, below, limit int) ([]AutomationVersion, error) {
	rows, err := s.pool.Query(ctx, `select version, digest, author, message, published_at from automation_version
		where automation_id = $1 and ($2 = 0 or version < $2) order by version desc limit $3`, automation, below, limit)
	if err != nil {
		return nil, fmt.Errorf("list versions: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByName[AutomationVersion])
	if err != nil {
		return nil, fmt.Errorf("list versions: %w", err)
	}
	return list, nil
}

// AutomationVersion gives one version with its document, else a not_found fault.
func (s *Store) AutomationVersion(ctx context.Context, automation uuid.UUID, n int) (AutomationVersion, []byte, error) {
	return automationVersion(ctx, s.pool, automation, n)
}

type rowQueryer interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func automationVersion(ctx context.Context, q rowQueryer, automation uuid.UUID, n int) (AutomationVersion, []byte, error) {
	var v AutomationVersion
	var body []byte
	err := q.QueryRow(ctx, `select v.version, v.digest, v.author, v.message, v.published_at, d.body
		from automation_version v join document d on d.digest = v.digest where v.automation_id = $1 and v.version = $2::bigint`, automation, n).
		Scan(&v.Version, &v.Digest, &v.Author, &v.Message, &v.PublishedAt, &body)
	if errors.Is(err, pgx.ErrNoRows) {
		return AutomationVersion{}, nil, fault.New(fault.NotFound, "version", "This automation has no version %d. See which there are with: pawl automation show NAME.", n)
	}
	if err != nil {
		return AutomationVersion{}, nil, fmt.Errorf("read version %d: %w", n, err)
	}
	return v, body, nil
}
