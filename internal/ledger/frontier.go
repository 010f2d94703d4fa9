package ledger

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"pawl/internal/fault"
)

// Known is a position that the ledger already answers for: the latest attempt, or a decision.
type Known struct {
	Path     string
	Decision string // kind; empty for an attempt
	Label    string
	Count    int
	Left     int64  // milliseconds until the instant of a decision, by the database's clock; negative when past
	Failed   bool   // a decision that is an error, or an attempt whose answer is one
	Kind     string // the error's kind
	N        int
	State    State
	Effect   string
	Again    bool
	Settled  string
	Wait     int64 // milliseconds until the provider wants to be asked again
	Reason   string
	// Earlier has a letter for each earlier attempt: a = followed by another one at once, f = failed.
	Earlier string
}

// knownSQL reads the positions directly below a prefix (none of a deeper loop), for loop indexes in a window or in
// a list. The root has the empty prefix and no index.
const knownSQL = `with q as (
  select $2::text as prefix, $3::int as low, $4::int as high, $5::int[] as list
), a as (
  select distinct on (t.path) t.path, '' as decision, '' as label, 0 as count, 0::bigint as left_ms, t.error is not null as failed, t.error, t.n, t.state, t.effect, t.again,
    coalesce(t.settled_as, '') as settled, coalesce((extract(epoch from t.retry_after - clock_timestamp()) * 1000)::bigint, 0) as wait_ms,
    coalesce((select string_agg(case when e.settled_as = 'retry' or e.error like '%"reason":"' || $7 || '"%' or e.error like '%"reason":"' || $8 || '"%' then 'a' else 'f' end, '' order by e.n)
      from attempt e where t.n > 1 and e.run_id = t.run_id and e.path = t.path and e.n < t.n), '') as earlier
  from attempt t where t.run_id = $1 order by t.path, t.n desc
), d as (
  select path, kind, label, coalesce(count, 0), coalesce((extract(epoch from instant - clock_timestamp()) * 1000)::bigint, 0), error is not null, error, 0, '', '', false, '', 0::bigint, ''
  from decision where run_id = $1
), u as (select * from a union all select * from d),
x as (select u.*, case when q.prefix = '' then -1 else nullif(substring(substr(u.path, length(q.prefix) + 1) from '^([0-9]+)\.'), '')::int end as idx,
    case when q.prefix = '' then u.path else regexp_replace(substr(u.path, length(q.prefix) + 1), '^[0-9]+\.', '') end as rest
  from u, q where q.prefix = '' or starts_with(u.path, q.prefix))
select x.* from x, q
where x.rest !~ '(^|\.)[^.]+\.[0-9]+\.' and x.idx is not null
  and (q.prefix = '' or (x.idx >= q.low and x.idx < q.high) or x.idx = any(q.list))
order by x.idx, x.path limit $6`

// Frontier reads what is known below prefix: "" for the positions outside of loops, "each." for those of the
// iterations of the loop each, with index low <= i < high or in list. complete is the index up to which, exclusively,
// the answer is whole; it is high unless there was more than FrontierMax.
func (l *Ledger) Frontier(ctx context.Context, run uuid.UUID, prefix string, low, high int, list []int) (known []Known, complete int, err error) {
	list32 := make([]int32, len(list))
	for i, v := range list {
		list32[i] = int32(v)
	}
	complete = high
	var lastIdx int
	err = pipeline(ctx, l.pool, []part{{sql: knownSQL, args: []any{run, prefix, low, high, list32, FrontierMax + 1, ReasonProcessEnded, ReasonNotInTime}, scan: func(rows pgx.Rows) error {
		k, idx, err := scanKnown(rows)
		if err != nil {
			return err
		}
		known, lastIdx = append(known, k), idx
		return nil
	}}})
	if err != nil {
		return nil, 0, fmt.Errorf("read the frontier of %s: %w", run, err)
	}
	if len(known) > FrontierMax && prefix != "" {
		known, complete = cutAt(known, prefix, lastIdx), lastIdx
	}
	return known, complete, nil
}

// cutAt drops the entries of an iteration that is not whole.
func cutAt(known []Known, prefix string, idx int) []Known {
	p := fmt.Sprintf("%s%d.", prefix, idx)
	for len(known) > 0 && strings.HasPrefix(known[len(known)-1].Path, p) {
		known = known[:len(known)-1]
	}
	return known
}

func scanKnown(rows pgx.Rows) (Known, int, error) {
	var k Known
	var idx int
	var errText *string
	var state, rest string
	err := rows.Scan(&k.Path, &k.Decision, &k.Label, &k.Count, &k.Left, &k.Failed, &errText, &k.N, &state, &k.Effect, &k.Again, &k.Settled, &k.Wait, &k.Earlier, &idx, &rest)
	k.State = State(state)
	if errText != nil {
		e := fault.FromJSON([]byte(*errText))
		k.Kind, k.Reason = string(e.Kind), e.Reason
	}
	return k, idx, err
}
