package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// ErrUnsure is returned by Claim when the commit's outcome is not known: nothing may be sent.
var ErrUnsure = errors.New("ledger: the outcome of the claim is not known")

// lockSQL takes the shared advisory lock of each identity; a withdrawal takes the exclusive one.
//
//nolint:gochecknoglobals // a constant in all but name: it is put together from LockKey
var lockSQL = `select pg_advisory_xact_lock_shared(` + fmt.Sprintf(LockKey, "q.identity", "q.scope") + `)
  from (select * from unnest($1::text[], $2::uuid[]) as q(identity, scope) order by 1, 2) q`

// granted says whether the run r may carry out the action q.action: an automation by a standing grant of the action; a call
// of an agent by the grant of the plugin's tools to agents, of an action by the standing grant of it, and any call by the
// approval that made it.
const granted = `(case when r.action is not null and q.action like 'plugin.%' then exists (select 1 from standing_grant g
        where g.project_id = r.project_id and g.kind = 'agents' and g.plugin_id = split_part(q.action, '.', 2) and g.revoked_at is null)
      else exists (select 1 from standing_grant g
        where g.project_id = r.project_id and g.kind = 'action' and g.action = q.action and g.revoked_at is null) end
    or r.action is not null and exists (select 1 from approval p where p.run_id = r.id and p.action = q.action))`

// claimSQL inserts the attempts whose conditions all hold at this moment. After a
// restore of the database, "no row" proves nothing, so the first unsafe write of a run of an older epoch is refused
// here and recorded as unknown by the caller.
const claimSQL = `insert into attempt (run_id, path, n, action, effect, state, owner, gen, account_id, epoch, input, request, request_digest, lease_until)
select q.run_id, q.path, q.n, q.action, q.effect, 'sending', q.owner, b.gen, q.account_id, ` + now + `, q.input, q.request, q.digest,
       clock_timestamp() + q.lease * interval '1 microsecond'
from unnest($1::uuid[], $2::text[], $3::int[], $4::text[], $5::text[], $6::uuid[], $7::uuid[], $8::bool[], $9::bool[],
            $10::text[], $11::text[], $12::bytea[], $13::bigint[], $14::text[], $15::uuid[], $16::text[], $17::int[], $18::uuid[])
  as q(run_id, path, n, action, effect, owner, account_id, needs_grant, finally, input, request, digest, lease, identity, scope, after_path, after_n, after_owner)
join run r on r.id = q.run_id and r.state in ('running', 'waiting', 'needs_attention')
  and (r.cancel_requested_at is null or (q.finally and not r.cancel_force))
join binding b on b.identity = q.identity and b.scope = q.scope and b.state = 'active'
  and (b.kept_until is null or b.kept_until > clock_timestamp())
left join account a on a.id = q.account_id
where (q.account_id is null or (a.removed_at is null and a.project_id = r.project_id and a.identity = q.identity))
  and (not q.needs_grant or ` + granted + `)
  and (q.n = 1 or exists (select 1 from attempt p where p.run_id = q.run_id and p.path = q.path and p.n = q.n - 1 and p.again))
  and (r.epoch = ` + now + ` or q.effect = 'safe' or exists (select 1 from attempt p
        where p.run_id = q.run_id and p.epoch = ` + now + ` and (p.state = 'unknown' or p.settled_at is not null)))
  and (q.after_owner is null or exists (select 1 from attempt p where p.run_id = q.run_id and p.path = q.after_path and p.n = q.after_n
        and p.owner = q.after_owner and p.state = 'answered' and p.settled_at is null))
order by q.run_id, q.path
on conflict do nothing
returning owner, gen`

// Claim asks for the right to send. It returns the binding's generation and whether the attempt is the
// caller's; when it is not, Facts tell why. The request must begin within SendWindow of the moment before this
// call, or be recorded as not sent. ErrUnsure means that the claim may or may not stand.
func (l *Ledger) Claim(ctx context.Context, c *Claim) (gen int64, won bool, err error) {
	r, err := l.write.Do(ctx, op{claim: c})
	if err != nil {
		return 0, false, errors.Join(ErrUnsure, err)
	}
	if r.won {
		return r.gen, true, nil
	}
	return l.ownClaim(ctx, c)
}

// ownClaim finds a claim that this very call made in a transaction whose answer was lost on the way.
func (l *Ledger) ownClaim(ctx context.Context, c *Claim) (gen int64, won bool, err error) {
	err = l.pool.QueryRow(ctx, `select gen from attempt where run_id = $1 and path = $2 and n = $3 and owner = $4 and state = 'sending'`,
		c.Run, c.Path, c.N, c.Owner).Scan(&gen)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return 0, false, nil
	case err != nil:
		return 0, false, errors.Join(ErrUnsure, err)
	}
	return gen, true, nil
}

func (l *Ledger) claimParts(ops []op, results []result) []part {
	is := pick(ops, func(o op) (uuid.UUID, string, bool) {
		if o.claim == nil {
			return uuid.Nil, "", false
		}
		return o.claim.Run, o.claim.Path, true
	})
	if len(is) == 0 {
		return nil
	}
	byOwner := make(map[uuid.UUID]int, len(is))
	var c claimColumns
	for _, i := range is {
		byOwner[ops[i].claim.Owner] = i
		c.add(ops[i].claim)
	}
	idents, scopes := c.locks()
	return []part{
		{sql: lockSQL, args: []any{idents, scopes}},
		{sql: claimSQL, args: c.args(), scan: func(rows pgx.Rows) error {
			var owner uuid.UUID
			var gen int64
			if err := rows.Scan(&owner, &gen); err != nil {
				return err
			}
			results[byOwner[owner]] = result{won: true, gen: gen}
			return nil
		}},
	}
}

type claimColumns struct {
	run, owner, scope, account  uuidColumn
	path, action, effect, ident textColumn
	n                           intColumn
	grant, finally              boolColumn
	input, request              textColumn
	digest                      bytesColumn
	lease                       longColumn
	afterPath                   textColumn
	afterN                      intColumn
	afterOwner                  uuidColumn
	keys                        map[lockedKey]bool
}

// lockedKey is what the advisory lock of an identity is taken for.
type lockedKey struct {
	ident string
	scope uuid.UUID
}

func (c *claimColumns) add(q *Claim) {
	c.run = append(c.run, uid(q.Run))
	c.path = append(c.path, str(q.Path))
	c.n = append(c.n, number(q.N))
	c.action = append(c.action, str(q.Action))
	c.effect = append(c.effect, str(string(q.Effect)))
	c.owner = append(c.owner, uid(q.Owner))
	c.account = append(c.account, maybe(q.Account))
	c.grant = append(c.grant, yes(q.NeedsGrant))
	c.finally = append(c.finally, yes(q.Finally))
	c.input = append(c.input, text(q.Input))
	c.request = append(c.request, text(q.Request))
	c.digest = append(c.digest, q.Digest)
	c.lease = append(c.lease, micros(q.Lease))
	c.ident = append(c.ident, str(q.Identity))
	c.scope = append(c.scope, uid(q.Scope))
	after := After{}
	if q.After != nil {
		after = *q.After
	}
	c.afterPath = append(c.afterPath, str(after.Path))
	c.afterN = append(c.afterN, number(after.N))
	c.afterOwner = append(c.afterOwner, maybe(after.Owner))
	if c.keys == nil {
		c.keys = map[lockedKey]bool{}
	}
	c.keys[lockedKey{q.Identity, q.Scope}] = true
}

func (c *claimColumns) args() []any {
	return []any{c.run, c.path, c.n, c.action, c.effect, c.owner, c.account, c.grant, c.finally, c.input, c.request, c.digest, c.lease, c.ident, c.scope, c.afterPath, c.afterN, c.afterOwner}
}

// locks gives each identity once; the statement sorts them, so that two transactions never wait for each other.
func (c *claimColumns) locks() (idents textColumn, scopes uuidColumn) {
	for k := range c.keys {
		idents, scopes = append(idents, str(k.ident)), append(scopes, uid(k.scope))
	}
	return idents, scopes
}
