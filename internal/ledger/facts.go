package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"pawl/actions"
	"pawl/internal/fault"
)

// Ask names what one step needs to know before it may act.
type Ask struct {
	Run      uuid.UUID
	Path     string
	Identity string // of the connection
	Scope    uuid.UUID
	Action   string // whose grant is asked for; empty where none is needed
	Account  uuid.UUID
}

// Facts are the facts that can change, as they were at one moment, never cached.
type Facts struct {
	RunState     string
	Cancelled    bool
	Forced       bool
	CurrentEpoch bool
	Binding      *Binding // nil: the identity never was
	Account      *Account // nil: no such account
	Granted      bool
	Last         *Attempt // the latest attempt of the position, nil for none
	Waiting      bool     // the position has an open wait
	Read         time.Time
}

// Binding is the routing fact of an identity.
type Binding struct {
	Routable  bool
	State     string
	Gen       int64
	Release   uuid.UUID
	KeptUntil *time.Time
	ChangedAt time.Time
	ChangedBy string
	Reason    string
}

// Account is what is known of the account that the run froze.
type Account struct {
	Identity      string
	Name          string
	Removed       bool
	Secret        uuid.UUID // nil UUID: none was saved
	SecretVersion int
	Sealed        []byte
}

const factsSQL = `select q.i, r.state, r.cancel_requested_at is not null, r.cancel_force, r.epoch = ` + now + `,
  b.state = 'active' and (b.kept_until is null or b.kept_until > clock_timestamp()), b.state, b.gen, b.release_id, b.kept_until, b.changed_at, b.changed_by, b.reason,
  a.identity, a.name, a.removed_at is not null, s.id, s.version, s.sealed,
  case when q.action = '' then false else ` + granted + ` end,
  l.n, l.effect, l.state, l.again, l.owner, (extract(epoch from l.lease_until - clock_timestamp()) * 1e6)::bigint, coalesce(f.input, l.input), coalesce(f.request_digest, l.request_digest),
  l.account_id, (extract(epoch from clock_timestamp() - coalesce(f.claimed_at, l.claimed_at)) * 1e6)::bigint, l.status, l.error,
  (extract(epoch from l.retry_after - clock_timestamp()) * 1e6)::bigint, l.settled_as,
  case when r.state = 'running' then false else exists (select 1 from wait w where w.run_id = q.run_id and w.path = q.path and w.done_at is null) end
from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::uuid[]) with ordinality as q(run_id, path, identity, scope, action, account_id, i)
join run r on r.id = q.run_id
left join binding b on b.identity = q.identity and b.scope = q.scope
left join account a on a.id = q.account_id and a.project_id = r.project_id
left join secret s on s.id = a.secret_id
left join lateral (select * from attempt t where t.run_id = q.run_id and t.path = q.path order by n desc limit 1) l on true
left join lateral (select t.input, t.request_digest, t.claimed_at from attempt t where l.n > 1 and t.run_id = q.run_id and t.path = q.path and t.n < l.n and t.input is not null order by n limit 1) f on true`

// Facts reads what a step needs to know, together with other steps that ask now. A run that does not exist is
// not_found.
func (l *Ledger) Facts(ctx context.Context, a Ask) (Facts, error) {
	f, err := l.ask.Do(ctx, a)
	if err != nil {
		return Facts{}, fmt.Errorf("read the facts of %s %s: %w", a.Run, a.Path, err)
	}
	if f.RunState == "" {
		return Facts{}, fault.New(fault.NotFound, "run", "There is no run %s.", a.Run)
	}
	return f, nil
}

func (l *Ledger) askAll(ctx context.Context, asks []Ask) ([]Facts, error) {
	facts := make([]Facts, len(asks))
	err := pipeline(ctx, l.pool, []part{l.factsPart(asks, func(i int, f Facts) { facts[i] = f })})
	return facts, err
}

// nextParts reads what steps after those of the operations have to know.
func (l *Ledger) nextParts(ops []op, results []result) []part {
	var asks []Ask
	var of []int
	for i, o := range ops {
		if a := o.asks(); a != nil {
			asks, of = append(asks, *a), append(of, i)
		}
	}
	if len(asks) == 0 {
		return nil
	}
	return []part{l.factsPart(asks, func(i int, f Facts) { results[of[i]].next = &f })}
}

// factsPart reads the facts of many steps; those of runs that do not exist are not given.
func (l *Ledger) factsPart(asks []Ask, give func(i int, f Facts)) part {
	n := len(asks)
	runs, scopes, accounts := make(uuidColumn, n), make(uuidColumn, n), make(uuidColumn, n)
	paths, idents, acts := make(textColumn, n), make(textColumn, n), make(textColumn, n)
	for i, a := range asks {
		runs[i], paths[i], idents[i], scopes[i], acts[i], accounts[i] = uid(a.Run), str(a.Path), str(a.Identity), uid(a.Scope), str(a.Action), maybe(a.Account)
	}
	began := time.Now()
	return part{sql: factsSQL, args: []any{runs, paths, idents, scopes, acts, accounts}, scan: func(rows pgx.Rows) error {
		i, f, err := scanFacts(rows)
		if err != nil {
			return err
		}
		f.Read = began
		if f.Last != nil {
			f.Last.Run, f.Last.Path = asks[i].Run, asks[i].Path
		}
		give(i, f)
		return nil
	}}
}

// factsRow has a pointer for each column of an outer join.
type factsRow struct {
	i                        int64
	routable                 *bool
	state, changedBy, reason *string
	gen                      *int64
	release                  *uuid.UUID
	kept, changedAt          *time.Time
	ident, name              *string
	removed                  *bool
	secret                   *uuid.UUID
	version                  *int
	sealed                   []byte
	n, status                *int
	effect, attempt          *string
	again                    *bool
	owner, account           *uuid.UUID
	lease, since, retry      *int64
	input, errText, settled  *string
	digest                   []byte
}

func scanFacts(rows pgx.Rows) (int, Facts, error) {
	var f Facts
	var r factsRow
	err := rows.Scan(&r.i, &f.RunState, &f.Cancelled, &f.Forced, &f.CurrentEpoch,
		&r.routable, &r.state, &r.gen, &r.release, &r.kept, &r.changedAt, &r.changedBy, &r.reason,
		&r.ident, &r.name, &r.removed, &r.secret, &r.version, &r.sealed, &f.Granted,
		&r.n, &r.effect, &r.attempt, &r.again, &r.owner, &r.lease, &r.input, &r.digest, &r.account, &r.since, &r.status, &r.errText, &r.retry, &r.settled, &f.Waiting)
	if err != nil {
		return 0, f, err
	}
	f.Binding, f.Account, f.Last = r.binding(), r.accountFacts(), r.last()
	return int(r.i) - 1, f, nil
}

func (r *factsRow) binding() *Binding {
	if r.state == nil {
		return nil
	}
	return &Binding{Routable: *r.routable, State: *r.state, Gen: *r.gen, Release: *r.release, KeptUntil: r.kept, ChangedAt: *r.changedAt, ChangedBy: *r.changedBy, Reason: *r.reason}
}

func (r *factsRow) accountFacts() *Account {
	if r.ident == nil {
		return nil
	}
	a := &Account{Identity: *r.ident, Name: *r.name, Removed: *r.removed, Sealed: r.sealed}
	if r.secret != nil {
		a.Secret, a.SecretVersion = *r.secret, *r.version
	}
	return a
}

func (r *factsRow) last() *Attempt {
	if r.n == nil {
		return nil
	}
	a := &Attempt{N: *r.n, Effect: actions.Effect(*r.effect), State: State(*r.attempt), Again: *r.again, Owner: *r.owner, Digest: r.digest}
	a.LeaseLeft, a.FirstSent, a.RetryAfter = duration(r.lease), duration(r.since), max(0, duration(r.retry))
	if r.input != nil {
		a.Input = json.RawMessage(*r.input)
	}
	if r.account != nil {
		a.AccountID = *r.account
	}
	if r.status != nil {
		a.Status = *r.status
	}
	if r.errText != nil {
		a.Error = fault.FromJSON([]byte(*r.errText))
	}
	if r.settled != nil {
		a.SettledAs = *r.settled
	}
	return a
}

// Reasons of attempts that are followed by another one at once.
const (
	ReasonProcessEnded = "process_ended" // the lease is over and nobody answered
	ReasonNotInTime    = "not_in_time"   // the send window was over before the first byte
)

func duration(us *int64) time.Duration {
	if us == nil {
		return 0
	}
	return time.Duration(*us) * time.Microsecond
}

const attemptSQL = `select t.n, t.effect, t.state, t.again, t.owner, (extract(epoch from t.lease_until - clock_timestamp()) * 1e6)::bigint, t.status, t.error, t.settled_as,
  (extract(epoch from t.retry_after - clock_timestamp()) * 1e6)::bigint
from attempt t where t.run_id = $1 and t.path = $2 and ($3 = 0 or t.n = $3) order by n desc limit 1`

// Last reads the latest attempt of a position, nil for none.
func (l *Ledger) Last(ctx context.Context, run uuid.UUID, path string) (*Attempt, error) {
	return l.At(ctx, run, path, 0)
}

// At reads one attempt of a position, nil for none; number 0 is the latest.
func (l *Ledger) At(ctx context.Context, run uuid.UUID, path string, n int) (*Attempt, error) {
	var r factsRow
	rows, err := l.pool.Query(ctx, attemptSQL, run, path, n)
	if err != nil {
		return nil, fmt.Errorf("read an attempt: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&r.n, &r.effect, &r.attempt, &r.again, &r.owner, &r.lease, &r.status, &r.errText, &r.settled, &r.retry); err != nil {
			return nil, fmt.Errorf("read an attempt: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read an attempt: %w", err)
	}
	a := r.last()
	if a != nil {
		a.Run, a.Path = run, path
	}
	return a, nil
}

// Expire closes an attempt whose lease is over, or whose owner is known to be dead: an unsafe one becomes
// unknown, a safe one or a read is lost and may be attempted again. It returns false when there was nothing to
// close any more.
func (l *Ledger) Expire(ctx context.Context, a *Attempt, dead Owner) (bool, error) {
	reason := fault.New(fault.OutcomeUnknown, ReasonProcessEnded, "The process that sent this request ended before the answer was recorded, so its outcome is not known.")
	tag, err := l.pool.Exec(ctx, `update attempt set state = case when effect = 'unsafe' then 'unknown' else 'lost' end, again = (effect <> 'unsafe'),
		  finished_at = clock_timestamp(), error = $6
		where run_id = $1 and path = $2 and n = $3 and owner = $4 and state = 'sending' and ($5 or lease_until < clock_timestamp())`,
		a.Run, a.Path, a.N, a.Owner, dead == OwnerDead, string(reason.JSON()))
	if err != nil {
		return false, fmt.Errorf("close an attempt whose lease is over: %w", err)
	}
	return tag.RowsAffected() > 0, nil
}

// Owner says what is known of the process that owns a claim.
type Owner int

// What can be known of an owner.
const (
	OwnerMayLive Owner = iota // only its lease tells
	OwnerDead                 // the only process of the installation is another one now
)
