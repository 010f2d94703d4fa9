package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/connections"
	"pawl/internal/fault"
)

const approvalSQL = `select p.id, p.project_id, case when p.state = 'pending' and p.until <= clock_timestamp() then 'expired' else p.state end as state,
	p.source, p.action, p.release_digest, p.effect, p.account_id, coalesce(a.name, ''), p.target, p.arguments, p.arguments_digest, p.requested_by, p.requested_at, p.until,
	coalesce(p.decided_by, ''), p.decided_at, p.comment, p.run_id
	from approval p left join account a on a.id = p.account_id `

func scanApproval(row pgx.CollectableRow) (a connections.Approval, err error) {
	var arguments string
	err = row.Scan(&a.ID, &a.ProjectID, &a.State, &a.Source, &a.Action, &a.ReleaseDigest, &a.Effect, &a.AccountID, &a.Account, &a.Target, &arguments, &a.ArgumentsDigest,
		&a.RequestedBy, &a.RequestedAt, &a.Until, &a.DecidedBy, &a.DecidedAt, &a.Comment, &a.RunID)
	a.Arguments = json.RawMessage(arguments)
	return a, err
}

// AskApproval gives the pending approval of exactly this call, or makes it. A pending one of the same arguments that binds
// another release or account expires. One requester may have maxPendingApprovals at a time.
func (s *Store) AskApproval(ctx context.Context, a *connections.Approval) (asked connections.Approval, err error) {
	err = s.InTx(ctx, "ask for an approval", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `update approval set state = 'expired' where project_id = $1 and requested_by = $2 and state = 'pending'
			and (until <= clock_timestamp() or action = $3 and arguments_digest = $4 and (release_digest <> $5 or account_id is distinct from $6))`,
			a.ProjectID, a.RequestedBy, a.Action, a.ArgumentsDigest, a.ReleaseDigest, a.AccountID)
		if err != nil {
			return err
		}
		var pending int
		if err := tx.QueryRow(ctx, `select count(*) from approval where project_id = $1 and requested_by = $2 and state = 'pending'`, a.ProjectID, a.RequestedBy).Scan(&pending); err != nil {
			return err
		}
		if pending < maxPendingApprovals {
			_, err = tx.Exec(ctx, `insert into approval (id, project_id, source, action, release_digest, effect, account_id, target, arguments, arguments_digest, requested_by, until)
				values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
				on conflict (project_id, requested_by, action, arguments_digest) where state = 'pending' do nothing`,
				a.ID, a.ProjectID, a.Source, a.Action, a.ReleaseDigest, a.Effect, a.AccountID, a.Target, string(a.Arguments), a.ArgumentsDigest, a.RequestedBy, a.Until)
			if err != nil {
				return err
			}
		}
		rows, err := tx.Query(ctx, approvalSQL+`where p.project_id = $1 and p.requested_by = $2 and p.action = $3 and p.arguments_digest = $4 and p.state = 'pending'`,
			a.ProjectID, a.RequestedBy, a.Action, a.ArgumentsDigest)
		if err != nil {
			return err
		}
		asked, err = pgx.CollectExactlyOneRow(rows, scanApproval)
		if errors.Is(err, pgx.ErrNoRows) && pending >= maxPendingApprovals {
			return fault.New(fault.Limit, "approvals", "%d calls of %s wait for a person already; wait until some of them are decided.", pending, a.RequestedBy)
		}
		if errors.Is(err, pgx.ErrNoRows) { // decided since our insert met it
			return errRaced
		}
		return err
	})
	return asked, err
}

// ApprovalFilter chooses approvals of a project, newest first.
type ApprovalFilter struct {
	Project uuid.UUID
	State   connections.ApprovalState // empty for all
	Before  uuid.UUID                 // only older ones
	Limit   int
}

// ListApprovals gives the approvals that the filter chooses.
func (s *Store) ListApprovals(ctx context.Context, f ApprovalFilter) ([]connections.Approval, error) {
	rows, err := s.pool.Query(ctx, approvalSQL+`where p.project_id = @project
		and (@state = '' or case when p.state = 'pending' and p.until <= clock_timestamp() then 'expired' else p.state end = @state)
		and (@before = '00000000-0000-0000-0000-000000000000'::uuid or p.id < @before) order by p.id desc limit @limit`,
		pgx.NamedArgs{"project": f.Project, "state": f.State, "before": f.Before, "limit": f.Limit})
	if err != nil {
		return nil, fmt.Errorf("list approvals: %w", err)
	}
	list, err := pgx.CollectRows(rows, scanApproval)
	if err != nil {
		return nil, fmt.Errorf("list approvals: %w", err)
	}
	return list, nil
}

// ApprovalByID gives an approval of a project, else a not_found fault.
func (s *Store) ApprovalByID(ctx context.Context, project, id uuid.UUID) (connections.Approval, error) {
	return approval(ctx, s.pool, project, id, "")
}

func approval(ctx context.Context, q rowsQueryer, project, id uuid.UUID, lock string) (connections.Approval, error) {
	rows, err := q.Query(ctx, approvalSQL+`where p.id = $1 and p.project_id = $2 `+lock, id, project)
	if err != nil {
		return connections.Approval{}, fmt.Errorf("find approval %s: %w", id, err)
	}
	a, err := pgx.CollectExactlyOneRow(rows, scanApproval)
	if errors.Is(err, pgx.ErrNoRows) {
		return a, fault.New(fault.NotFound, "approval", "There is no approval %s in this project. See which there are: pawl approval list", id)
	}
	if err != nil {
		return a, fmt.Errorf("find approval %s: %w", id, err)
	}
	return a, nil
}

type rowsQueryer interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Decision is a person's word about an approval.
type Decision struct {
	Project, Approval uuid.UUID
	By, Comment       string
}

// AllowApproval consumes a pending approval: its run is made in the same transaction, once. All that it binds is looked at
// again; where that has changed it expires and a conflict says so.
func (s *Store) AllowApproval(ctx context.Context, d Decision, run *NewRun) error {
	var stale error
	err := s.InTx(ctx, "allow a call", func(tx pgx.Tx) error {
		stale = nil
		a, err := undecided(ctx, tx, d)
		if err != nil {
			return err
		}
		if stale, err = changed(ctx, tx, &a); err != nil {
			return err
		}
		if stale != nil {
			_, err := tx.Exec(ctx, `update approval set state = 'expired' where id = $1`, a.ID)
			return err
		}
		if _, err := insertRun(ctx, tx, run); err != nil {
			return err
		}
		return decide(ctx, tx, &a, d, connections.ApprovalConsumed, &run.ID)
	})
	return errors.Join(err, stale)
}

// DenyApproval refuses a pending approval.
func (s *Store) DenyApproval(ctx context.Context, d Decision) error {
	return s.InTx(ctx, "deny a call", func(tx pgx.Tx) error {
		a, err := undecided(ctx, tx, d)
		if err != nil {
			return err
		}
		return decide(ctx, tx, &a, d, connections.ApprovalDenied, nil)
	})
}

func undecided(ctx context.Context, tx pgx.Tx, d Decision) (connections.Approval, error) {
	a, err := approval(ctx, tx, d.Project, d.Approval, "for update of p")
	if err == nil && a.State != connections.ApprovalPending {
		by := ""
		if a.DecidedAt != nil {
			by = fmt.Sprintf(" by %s at %s", a.DecidedBy, a.DecidedAt.UTC().Format(time.RFC3339))
		}
		err = fault.New(fault.Conflict, "decided", "This call is %s already%s. Nothing changed.", a.State, by).With("state", a.State)
	}
	return a, err
}

// changed says what of that which an approval binds is another one now, nil for nothing.
func changed(ctx context.Context, tx pgx.Tx, a *connections.Approval) (stale, err error) {
	identity := string(a.Action)[:strings.LastIndexByte(string(a.Action), '.')]
	var routed, account bool
	err = tx.QueryRow(ctx, `select exists (select 1 from binding b join release r on r.id = b.release_id where b.identity = $1 and b.state = 'active'
			and (b.kept_until is null or b.kept_until > clock_timestamp()) and r.digest = $2),
		$3::uuid is null or exists (select 1 from account c where c.id = $3 and c.removed_at is null)`, identity, a.ReleaseDigest, a.AccountID).Scan(&routed, &account)
	switch {
	case err != nil:
		return nil, err
	case !routed:
		return fault.New(fault.Conflict, "changed", "%s is no longer routed, so there is nothing to allow. The agent has to ask anew.", identity), nil
	case !account:
		return fault.New(fault.Conflict, "changed", "The account of this call was removed, so there is nothing to allow. The agent has to ask anew."), nil
	}
	return nil, nil
}

func decide(ctx context.Context, tx pgx.Tx, a *connections.Approval, d Decision, to connections.ApprovalState, run *uuid.UUID) error {
	_, err := tx.Exec(ctx, `update approval set state = $2, decided_by = $3, decided_at = clock_timestamp(), comment = $4, run_id = $5 where id = $1`, a.ID, to, d.By, d.Comment, run)
	if err != nil {
		return err
	}
	verb := "approval.allow"
	if to == connections.ApprovalDenied {
		verb = "approval.deny"
	}
	detail := map[string]any{"action": a.Action, "arguments": fmt.Sprintf("%x", a.ArgumentsDigest), "requested_by": a.RequestedBy, "comment": d.Comment}
	if run != nil {
		detail["run"] = run
	}
	return noteAudit(ctx, tx, d.By, &a.ProjectID, verb, "approval:"+a.ID.String(), detail)
}

// AgentsMay says whether a call of an agent is permitted without anybody's word: of a plugin's tool by the grant of the
// plugin to agents, of an app's action by the standing grant of the action.
func (s *Store) AgentsMay(ctx context.Context, project uuid.UUID, t connections.GrantTarget) (granted bool, err error) {
	err = s.pool.QueryRow(ctx, `select exists (select 1 from standing_grant
		where project_id = $1 and kind = $2 and action = $3 and plugin_id = $4 and host = '' and revoked_at is null)`, project, t.Kind, t.Action, t.Plugin).Scan(&granted)
	if err != nil {
		return false, fmt.Errorf("look up a grant: %w", err)
	}
	return granted, nil
}
