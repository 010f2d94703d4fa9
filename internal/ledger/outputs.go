package ledger

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"pawl/internal/fault"
)

// Output is the recorded value of a position.
type Output struct {
	Path  string
	Value []byte
}

const outputsSQL = `select q.path, coalesce(t.output, convert_from(b.body, 'UTF8')) from unnest($2::text[]) as q(path)
join lateral (select * from attempt a where a.run_id = $1 and a.path = q.path order by n desc limit 1) t on t.state = 'answered' and t.error is null
left join blob b on b.run_id = $1 and b.digest = t.output_blob
union all
select q.path, coalesce(d.value, convert_from(b.body, 'UTF8')) from unnest($2::text[]) as q(path)
join decision d on d.run_id = $1 and d.path = q.path and d.kind = 'set' and d.error is null
left join blob b on b.run_id = $1 and b.digest = d.value_blob`

// Outputs reads the outputs of positions that succeeded; the others are absent from the map.
func (l *Ledger) Outputs(ctx context.Context, run uuid.UUID, paths []string) (map[string][]byte, error) {
	out := make(map[string][]byte, len(paths))
	err := pipeline(ctx, l.pool, []part{{sql: outputsSQL, args: []any{run, paths}, scan: func(rows pgx.Rows) error {
		var p string
		var v *string
		if err := rows.Scan(&p, &v); err != nil {
			return err
		}
		if v != nil {
			out[p] = []byte(*v)
		}
		return nil
	}}})
	if err != nil {
		return nil, fmt.Errorf("read outputs: %w", err)
	}
	return out, nil
}

const outputsBelowSQL = `select path, coalesce(v.output, convert_from(b.body, 'UTF8')) from (
  select distinct on (a.path) a.path, a.output, a.output_blob, a.state = 'answered' and a.error is null as ok
  from attempt a where a.run_id = $1 and starts_with(a.path, $2) order by a.path, a.n desc) v
left join blob b on b.run_id = $1 and b.digest = v.output_blob where v.ok
union all
select d.path, coalesce(d.value, convert_from(b.body, 'UTF8')) from decision d left join blob b on b.run_id = $1 and b.digest = d.value_blob
where d.run_id = $1 and starts_with(d.path, $2) and d.kind = 'set' and d.error is null`

// OutputsBelow reads all outputs below a prefix such as "each."; more than max bytes in all is too_large.
func (l *Ledger) OutputsBelow(ctx context.Context, run uuid.UUID, prefix string, max int) ([]Output, error) {
	var out []Output
	size := 0
	err := pipeline(ctx, l.pool, []part{{sql: outputsBelowSQL, args: []any{run, prefix}, scan: func(rows pgx.Rows) error {
		var p string
		var v *string
		if err := rows.Scan(&p, &v); err != nil || v == nil {
			return err
		}
		if size += len(*v); size > max {
			return fault.New(fault.TooLarge, "loop_output", "The outputs of loop %s are larger than %d bytes together: read them in the loop, or keep less of each answer with a set step.", prefix, max)
		}
		out = append(out, Output{Path: p, Value: []byte(*v)})
		return nil
	}}})
	return out, err
}

// Error reads why a position failed: its latest attempt's error, or that of its decision or its condition; nil when it
// has none.
func (l *Ledger) Error(ctx context.Context, run uuid.UUID, path string) (*fault.Error, error) {
	var text *string
	err := l.pool.QueryRow(ctx, `select coalesce((select error from attempt where run_id = $1 and path = $2 order by n desc limit 1),
		(select error from decision where run_id = $1 and path = $2), (select error from decision where run_id = $1 and path = $2 || '?'))`, run, path).Scan(&text)
	if err != nil {
		return nil, fmt.Errorf("read the error of %s: %w", path, err)
	}
	if text == nil {
		return nil, nil
	}
	return fault.FromJSON([]byte(*text)), nil
}
