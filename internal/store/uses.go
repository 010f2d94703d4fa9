package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/connections"
	"pawl/connections/release"
)

// UsesOf finds the automations, published and drafts, accounts, runs in flight and attempts on the wire that use
// identities, all as of one instant.
func (s *Store) UsesOf(ctx context.Context, identities []connections.ConnectionIdentity) (release.Uses, error) {
	var u release.Uses
	opts := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, s.pool, opts, func(tx pgx.Tx) (err error) {
		if u.Automations, err = automationsNaming(ctx, tx, identities); err != nil {
			return err
		}
		if u.Accounts, u.AccountCount, err = accountsOf(ctx, tx, identities); err != nil {
			return err
		}
		if u.Runs, u.RunCount, err = runsNaming(ctx, tx, identities); err != nil {
			return err
		}
		u.OnTheWire, err = onTheWire(ctx, tx, identities)
		return err
	})
	if err != nil {
		return release.Uses{}, fmt.Errorf("find who uses %v: %w", identities, err)
	}
	return u, nil
}

// mayName holds for documents that may name an identity: they hold its text, or an escape that may hide it. Reading
// the document decides. The needles are bytes, for a document may hold what a text of PostgreSQL can't.
const mayName = `(position('\x5c75'::bytea in body) > 0 or exists (select 1 from unnest($1::bytea[]) as n where position(n in body) > 0))`

func needles(identities []connections.ConnectionIdentity) [][]byte {
	list := make([][]byte, len(identities))
	for i, id := range identities {
		list[i] = []byte(string(id) + ".")
	}
	return list
}

// automationsNaming reads the live versions and the drafts that name an identity, by project and name.
func automationsNaming(ctx context.Context, tx pgx.Tx, identities []connections.ConnectionIdentity) ([]release.AffectedAutomation, error) {
	rows, err := tx.Query(ctx, `select a.id, p.id, p.name, a.name, x.version, x.body
		from automation a join project p on p.id = a.project_id
		cross join lateral (
			select v.version, d.body from automation_version v join document d on d.digest = v.digest
				where v.automation_id = a.id and v.version = a.live_version
			union all select 0, a.draft where a.draft is not null) x
		where a.removed_at is null and `+mayName+` order by p.name, a.name, x.version desc`, needles(identities))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []release.AffectedAutomation
	for rows.Next() && len(list) < release.MaxAffected {
		var a release.AffectedAutomation
		var body []byte
		if err := rows.Scan(&a.ID, &a.ProjectID, &a.Project, &a.Name, &a.Version, &body); err != nil {
			return nil, err
		}
		if a.Steps = release.StepsNaming(body, identities); len(a.Steps) == 0 {
			continue
		}
		if a.Version > 0 {
			a.Schedules = release.SchedulesOf(body)
		}
		list = append(list, a)
	}
	rows.Close()
	return list, rows.Err()
}

func accountsOf(ctx context.Context, tx pgx.Tx, identities []connections.ConnectionIdentity) ([]release.AffectedAccount, int, error) {
	rows, err := tx.Query(ctx, `select a.id, p.id, p.name, a.identity, a.name, count(*) over ()
		from account a join project p on p.id = a.project_id
		where a.removed_at is null and a.identity = any ($1::text[]) order by p.name, a.identity, a.name limit $2`,
		identities, release.MaxAffected)
	if err != nil {
		return nil, 0, err
	}
	var count int
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a release.AffectedAccount, err error) {
		return a, row.Scan(&a.ID, &a.ProjectID, &a.Project, &a.Identity, &a.Name, &count)
	})
	return list, count, err
}

// runsNaming lists the runs that have not ended, the newest first. Many runs share a document, so each document is
// read once.
func runsNaming(ctx context.Context, tx pgx.Tx, identities []connections.ConnectionIdentity) ([]release.AffectedRun, int, error) {
	digests, err := aliveDocuments(ctx, tx, identities)
	if err != nil || len(digests) == 0 {
		return nil, 0, err
	}
	rows, err := tx.Query(ctx, `select r.id, r.project_id, coalesce(r.automation_id, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(a.name, r.action), r.state, count(*) over ()
		from run r left join automation a on a.id = r.automation_id
		where r.state in ('queued','running','waiting','needs_attention') and r.digest = any ($1) order by r.id desc limit $2`,
		digests, release.MaxAffected)
	if err != nil {
		return nil, 0, err
	}
	var count int
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r release.AffectedRun, err error) {
		return r, row.Scan(&r.ID, &r.ProjectID, &r.AutomationID, &r.Automation, &r.State, &count)
	})
	return list, count, err
}

// aliveDocuments gives the digests of documents that name an identity and that a run in flight works on.
func aliveDocuments(ctx context.Context, tx pgx.Tx, identities []connections.ConnectionIdentity) ([][]byte, error) {
	rows, err := tx.Query(ctx, `select digest, body from document
		where digest in (select digest from run where state in ('queued','running','waiting','needs_attention')) and `+mayName,
		needles(identities))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var digests [][]byte
	for rows.Next() {
		var digest, body []byte
		if err := rows.Scan(&digest, &body); err != nil {
			return nil, err
		}
		if len(release.StepsNaming(body, identities)) > 0 {
			digests = append(digests, digest)
		}
	}
	return digests, rows.Err()
}

// RoutableReleases gives what is routed in any of the scopes, by identity, without the bytes of the documents.
func (s *Store) RoutableReleases(ctx context.Context, scopes []uuid.UUID) ([]release.Routed, error) {
	rows, err := s.pool.Query(ctx, `select b.identity, b.scope, b.release_id, r.digest, b.kept_until, b.changed_at
		from binding b join release r on r.id = b.release_id
		where b.scope = any ($1) and b.state = 'active' and (b.kept_until is null or b.kept_until > clock_timestamp())
		order by b.identity, b.scope`, scopes)
	if err != nil {
		return nil, fmt.Errorf("list routed connections: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[release.Routed])
	if err != nil {
		return nil, fmt.Errorf("list routed connections: %w", err)
	}
	return list, nil
}

// ReleaseBytes gives the documents and settings of releases.
func (s *Store) ReleaseBytes(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]release.Freeze, error) {
	rows, err := s.pool.Query(ctx, `select id, digest, document, settings from release where id = any ($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("read releases: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (f release.Freeze, err error) {
		return f, row.Scan(&f.ID, &f.Digest, &f.Document, &f.Settings)
	})
	if err != nil {
		return nil, fmt.Errorf("read releases: %w", err)
	}
	all := make(map[uuid.UUID]release.Freeze, len(list))
	for _, f := range list {
		all[f.ID] = f
	}
	return all, nil
}
