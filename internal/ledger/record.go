package ledger

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"pawl/internal/fault"
)

// InlineMax is the largest output, in bytes of JSON, that is kept in the attempt's row; a larger one is stored
// once by its digest.
const InlineMax = 16 << 10

const recordSQL = `insert into attempt as t (run_id, path, n, action, effect, state, again, owner, gen, account_id, epoch, input, request, request_digest,
  claimed_at, finished_at, status, output, output_blob, error, retry_after, lease_until, logs)
select q.run_id, q.path, q.n, q.action, q.effect, q.state, q.again, q.owner, q.gen, q.account_id, ` + now + `, q.input, q.request, q.digest,
  clock_timestamp() - q.began * interval '1 microsecond', case when q.lease > 0 then null else clock_timestamp() end, q.status, q.output, q.blob, q.error,
  clock_timestamp() + q.retry_after * interval '1 microsecond',
  case when q.lease > 0 then clock_timestamp() + q.lease * interval '1 microsecond' end, q.logs
from unnest($1::uuid[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::bool[], $8::uuid[], $9::bigint[], $10::uuid[],
            $11::text[], $12::text[], $13::bytea[], $14::bigint[], $15::int[], $16::text[], $17::bytea[], $18::text[], $19::bigint[], $20::bigint[], $21::text[])
  as q(run_id, path, n, action, effect, state, again, owner, gen, account_id, input, request, digest, began, status, output, blob, error, retry_after, lease, logs)
order by q.run_id, q.path
on conflict (run_id, path, n) do update set state = excluded.state, again = excluded.again, status = excluded.status, output = excluded.output,
  output_blob = excluded.output_blob, error = excluded.error, retry_after = excluded.retry_after, finished_at = excluded.finished_at, owner = excluded.owner,
  lease_until = excluded.lease_until, logs = excluded.logs
  where t.state = 'sending' and t.effect = 'read'
returning owner`

// Record writes a whole attempt at once. It is not won when another one was first; Facts then have it.
func (l *Ledger) Record(ctx context.Context, r *Record) (Written, error) {
	res, err := l.write.Do(ctx, op{record: r})
	if err != nil {
		return Written{}, fmt.Errorf("record an attempt: %w", err)
	}
	return Written{Won: res.won, Next: res.next}, nil
}

func (l *Ledger) recordParts(ops []op, results []result) []part {
	is := pick(ops, func(o op) (uuid.UUID, string, bool) {
		if o.record == nil {
			return uuid.Nil, "", false
		}
		return o.record.Run, o.record.Path, true
	})
	// One statement can't touch a row twice: a second record of a position goes into a statement of its own.
	var parts []part
	for len(is) > 0 {
		var now, later []int
		seen := make(map[attemptKey]bool, len(is))
		for _, i := range is {
			r := ops[i].record
			k := attemptKey{r.Run, r.Path, r.N}
			if seen[k] {
				later = append(later, i)
				continue
			}
			seen[k] = true
			now = append(now, i)
		}
		parts = append(parts, l.recordPart(ops, now, results)...)
		is = later
	}
	return parts
}

type attemptKey struct {
	run  uuid.UUID
	path string
	n    int
}

func (l *Ledger) recordPart(ops []op, is []int, results []result) []part {
	byOwner := make(map[uuid.UUID]int, len(is))
	var c recordColumns
	var blobs blobColumns
	for _, i := range is {
		r := ops[i].record
		byOwner[r.Owner] = i
		c.add(r)
		blobs.add(r.Run, r.Blobs)
	}
	return append(blobs.parts(), part{sql: recordSQL, args: c.args(), scan: func(rows pgx.Rows) error {
		var owner uuid.UUID
		if err := rows.Scan(&owner); err != nil {
			return err
		}
		results[byOwner[owner]].won = true
		return nil
	}})
}

type recordColumns struct {
	answerColumns
	action, effect textColumn
	gen, began     longColumn
	account        uuidColumn
	input, request textColumn
	digest         bytesColumn
	lease          longColumn
}

func (c *recordColumns) add(r *Record) {
	c.answerColumns.add(&Answer{
		Run: r.Run, Path: r.Path, N: r.N, Owner: r.Owner, State: r.State, Again: r.Again, Status: r.Status,
		Output: r.Output, Error: r.Error, RetryAfter: r.RetryAfter, Trace: r.Trace,
	})
	c.action = append(c.action, str(r.Action))
	c.effect = append(c.effect, str(string(r.Effect)))
	c.gen = append(c.gen, pgtype.Int8{Int64: r.Gen, Valid: true})
	c.account = append(c.account, maybe(r.Account))
	c.input = append(c.input, text(r.Input))
	c.request = append(c.request, text(r.Request))
	c.digest = append(c.digest, r.Digest)
	c.began = append(c.began, micros(r.Began))
	c.lease = append(c.lease, micros(r.Lease))
}

func (c *recordColumns) args() []any {
	return []any{
		c.run, c.path, c.n, c.action, c.effect, c.state, c.again, c.owner, c.gen, c.account, c.input, c.request, c.digest,
		c.began, c.status, c.output, c.blob, c.error, c.retry, c.lease, c.logs,
	}
}

// outcome is what an answer and a record have in common.
type outcome struct {
	status     int
	output     []byte
	err        *fault.Error
	retryAfter time.Duration
}

type outcomeColumns struct {
	status        pgtype.Int4
	output, error pgtype.Text
	blob          []byte
	retry         pgtype.Int8
}

// columns keeps a small output in the row; a large one is among the blobs, and the row has its digest.
func (o outcome) columns() outcomeColumns {
	var c outcomeColumns
	if o.status != 0 {
		c.status = number(o.status)
	}
	if len(o.output) > InlineMax {
		d := sha256.Sum256(o.output)
		c.blob = d[:]
	} else {
		c.output = text(o.output)
	}
	if o.err != nil {
		c.error = text(o.err.JSON())
	}
	c.retry = positive(o.retryAfter)
	return c
}

// OutputBlob is the blob of an output that is too large for the row, and whether there is one.
func OutputBlob(output []byte) (Blob, bool) {
	if len(output) <= InlineMax {
		return Blob{}, false
	}
	return Blob{Digest: sha256.Sum256(output), MediaType: "application/json", Body: output}, true
}

type blobColumns struct {
	run          uuidColumn
	digest, body bytesColumn
	media        textColumn
}

func (c *blobColumns) add(run uuid.UUID, blobs []Blob) {
	for i := range blobs {
		c.run = append(c.run, uid(run))
		c.digest = append(c.digest, blobs[i].Digest[:])
		c.media = append(c.media, str(blobs[i].MediaType))
		c.body = append(c.body, blobs[i].Body)
	}
}

func (c *blobColumns) parts() []part {
	if len(c.run) == 0 {
		return nil
	}
	return []part{{sql: blobSQL, args: []any{c.run, c.digest, c.media, c.body}}}
}
