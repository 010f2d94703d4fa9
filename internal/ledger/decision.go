package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"pawl/internal/fault"
)

const decideSQL = `insert into decision (run_id, path, kind, label, count, instant, value, value_blob, error)
select q.run_id, q.path, q.kind, q.label, q.count, clock_timestamp() + q.wait * interval '1 microsecond', q.value, q.blob, q.error
from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::int[], $6::bigint[], $7::text[], $8::bytea[], $9::text[])
  as q(run_id, path, kind, label, count, wait, value, blob, error)
order by q.run_id, q.path
on conflict do nothing`

const decidedSQL = `select d.run_id, d.path, d.kind, d.label, d.count, (extract(epoch from d.instant - clock_timestamp()) * 1e6)::bigint,
  coalesce(d.value, convert_from(b.body, 'UTF8')), d.error
from unnest($1::uuid[], $2::text[]) as q(run_id, path)
join decision d on d.run_id = q.run_id and d.path = q.path
left join blob b on b.run_id = d.run_id and b.digest = d.value_blob`

// Decide freezes a decision: the first one for a position is stored and every caller gets that one back.
func (l *Ledger) Decide(ctx context.Context, d *Decision) (*Decision, error) {
	r, err := l.write.Do(ctx, op{decision: d})
	if err != nil {
		return nil, fmt.Errorf("record a decision: %w", err)
	}
	if r.decision == nil {
		return nil, fmt.Errorf("record a decision: the row of %s %s is not there", d.Run, d.Path)
	}
	return r.decision, nil
}

// DecideEach freezes an each with its items in one transaction.
func (l *Ledger) DecideEach(ctx context.Context, d *Decision, items []json.RawMessage) (*Decision, error) {
	chunks := chunk(items)
	err := pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `insert into decision (run_id, path, kind, label, count) values ($1, $2, $3, $4, $5) on conflict do nothing`,
			d.Run, d.Path, d.Kind, d.Label, d.Count)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		numbers := make([]int32, len(chunks))
		for i := range chunks {
			numbers[i] = int32(i)
		}
		_, err = tx.Exec(ctx, `insert into loop_chunk (run_id, path, chunk, items) select $1, $2, q.chunk, q.items from unnest($3::int[], $4::text[]) as q(chunk, items)`,
			d.Run, d.Path, numbers, chunks)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("record a loop: %w", err)
	}
	found, err := l.Decisions(ctx, d.Run, []string{d.Path})
	if err != nil {
		return nil, err
	}
	return found[d.Path], nil
}

// chunk never re-encodes an item: digits and escapes stay as they are.
func chunk(items []json.RawMessage) []string {
	var chunks []string
	for len(items) > 0 {
		n := min(LoopChunk, len(items))
		chunks, items = append(chunks, array(items[:n])), items[n:]
	}
	return chunks
}

func array(items []json.RawMessage) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, it := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(it)
	}
	b.WriteByte(']')
	return b.String()
}

// Items reads one chunk of the items of an each.
func (l *Ledger) Items(ctx context.Context, run uuid.UUID, path string, chunk int) ([]json.RawMessage, error) {
	var s string
	err := l.pool.QueryRow(ctx, `select items from loop_chunk where run_id = $1 and path = $2 and chunk = $3`, run, path, chunk).Scan(&s)
	if err != nil {
		return nil, fmt.Errorf("read the items of loop %s: %w", path, err)
	}
	var items []json.RawMessage
	if err := json.Unmarshal([]byte(s), &items); err != nil {
		return nil, fmt.Errorf("read the items of loop %s: %w", path, err)
	}
	return items, nil
}

// Decisions reads the decisions at the given positions; absent ones are not in the map.
func (l *Ledger) Decisions(ctx context.Context, run uuid.UUID, paths []string) (map[string]*Decision, error) {
	runs := make(uuidColumn, len(paths))
	for i := range runs {
		runs[i] = uid(run)
	}
	found := make(map[string]*Decision, len(paths))
	err := pipeline(ctx, l.pool, []part{{sql: decidedSQL, args: []any{runs, paths}, scan: func(rows pgx.Rows) error {
		d, err := scanDecision(rows)
		if err == nil {
			found[d.Path] = d
		}
		return err
	}}})
	return found, err
}

func decisionParts(ops []op, results []result) []part {
	is := pick(ops, func(o op) (uuid.UUID, string, bool) {
		if o.decision == nil {
			return uuid.Nil, "", false
		}
		return o.decision.Run, o.decision.Path, true
	})
	if len(is) == 0 {
		return nil
	}
	at := make(map[position][]int, len(is))
	var c decisionColumns
	var blobs blobColumns
	for _, i := range is {
		d := ops[i].decision
		p := position{d.Run, d.Path}
		at[p] = append(at[p], i)
		if blob, large := OutputBlob(d.Value); large {
			blobs.add(d.Run, []Blob{blob})
		}
		c.add(d)
	}
	return append(blobs.parts(),
		part{sql: decideSQL, args: c.args()},
		part{sql: decidedSQL, args: []any{c.run, c.path}, scan: func(rows pgx.Rows) error {
			d, err := scanDecision(rows)
			if err != nil {
				return err
			}
			for _, i := range at[position{d.Run, d.Path}] {
				results[i] = result{won: true, decision: d}
			}
			return nil
		}})
}

type position struct {
	run  uuid.UUID
	path string
}

type decisionColumns struct {
	run               uuidColumn
	path, kind, label textColumn
	count             intColumn
	wait              longColumn
	value, err        textColumn
	blob              bytesColumn
}

func (c *decisionColumns) add(d *Decision) {
	c.run = append(c.run, uid(d.Run))
	c.path = append(c.path, str(d.Path))
	c.kind = append(c.kind, str(d.Kind))
	c.label = append(c.label, str(d.Label))
	c.count = append(c.count, numberOf(d.Count))
	var wait pgtype.Int8
	if d.In != nil {
		wait = micros(*d.In)
	}
	c.wait = append(c.wait, wait)
	o := outcome{output: d.Value, err: d.Error}.columns()
	c.value = append(c.value, o.output)
	c.blob = append(c.blob, o.blob)
	c.err = append(c.err, o.error)
}

func (c *decisionColumns) args() []any {
	return []any{c.run, c.path, c.kind, c.label, c.count, c.wait, c.value, c.blob, c.err}
}

func scanDecision(rows pgx.Rows) (*Decision, error) {
	var d Decision
	var wait *int64
	var value, errText *string
	if err := rows.Scan(&d.Run, &d.Path, &d.Kind, &d.Label, &d.Count, &wait, &value, &errText); err != nil {
		return nil, err
	}
	if wait != nil {
		in := time.Duration(*wait) * time.Microsecond
		d.In = &in
	}
	if value != nil {
		d.Value = []byte(*value)
	}
	if errText != nil {
		d.Error = fault.FromJSON([]byte(*errText))
	}
	return &d, nil
}
