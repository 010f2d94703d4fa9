package ledger

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const blobSQL = `insert into blob (run_id, digest, media_type, size, body)
select distinct on (q.run_id, q.digest) q.run_id, q.digest, q.media_type, length(q.body), q.body
from unnest($1::uuid[], $2::bytea[], $3::text[], $4::bytea[]) as q(run_id, digest, media_type, body)
order by q.run_id, q.digest
on conflict do nothing`

const answerSQL = `update attempt t set state = q.state, again = q.again, status = q.status, output = q.output, output_blob = q.blob,
  error = q.error, logs = q.logs, retry_after = clock_timestamp() + q.retry_after * interval '1 microsecond', finished_at = clock_timestamp()
from unnest($1::uuid[], $2::text[], $3::int[], $4::uuid[], $5::text[], $6::bool[], $7::int[], $8::text[], $9::bytea[], $10::text[], $11::bigint[], $12::text[])
  as q(run_id, path, n, owner, state, again, status, output, blob, error, retry_after, logs)
where t.run_id = q.run_id and t.path = q.path and t.n = q.n and t.owner = q.owner
  and t.state in ('sending', 'unknown') and t.settled_at is null
returning t.owner`

// Answer closes an attempt. It is not won when the attempt is no longer the caller's to close: a person has
// settled it, or a safe one was given up. The answer is then kept beside the row as evidence.
func (l *Ledger) Answer(ctx context.Context, a *Answer) (Written, error) {
	r, err := l.write.Do(ctx, op{answer: a})
	if err != nil {
		return Written{}, fmt.Errorf("record the answer: %w", err)
	}
	if r.won {
		return Written{Won: true, Next: r.next}, nil
	}
	closed, err := l.lateAnswer(ctx, a)
	return Written{Won: closed}, err
}

// lateAnswer keeps an answer that came too late, unless this very answer is there already.
func (l *Ledger) lateAnswer(ctx context.Context, a *Answer) (closed bool, err error) {
	var state string
	err = l.pool.QueryRow(ctx, `update attempt set late_answer = case when state in ('lost', 'unknown') or settled_at is not null then $5 else late_answer end
		where run_id = $1 and path = $2 and n = $3 and owner = $4 returning state`, a.Run, a.Path, a.N, a.Owner, text(evidence(a))).Scan(&state)
	if err != nil {
		return false, fmt.Errorf("keep a late answer: %w", err)
	}
	return state == string(a.State), nil
}

func evidence(a *Answer) []byte {
	if a.Output != nil {
		return a.Output
	}
	if a.Error != nil {
		return a.Error.JSON()
	}
	return []byte("null")
}

func answerParts(ops []op, results []result) []part {
	is := pick(ops, func(o op) (uuid.UUID, string, bool) {
		if o.answer == nil {
			return uuid.Nil, "", false
		}
		return o.answer.Run, o.answer.Path, true
	})
	if len(is) == 0 {
		return nil
	}
	byOwner := make(map[uuid.UUID]int, len(is))
	var c answerColumns
	var blobs blobColumns
	for _, i := range is {
		a := ops[i].answer
		byOwner[a.Owner] = i
		c.add(a)
		blobs.add(a.Run, a.Blobs)
	}
	parts := blobs.parts()
	return append(parts, part{sql: answerSQL, args: c.args(), scan: func(rows pgx.Rows) error {
		var owner uuid.UUID
		if err := rows.Scan(&owner); err != nil {
			return err
		}
		results[byOwner[owner]].won = true
		return nil
	}})
}

type answerColumns struct {
	run, owner    uuidColumn
	path, state   textColumn
	n             intColumn
	again         boolColumn
	status        intColumn
	output, error textColumn
	logs          textColumn
	blob          bytesColumn
	retry         longColumn
}

func (c *answerColumns) add(a *Answer) {
	c.run = append(c.run, uid(a.Run))
	c.path = append(c.path, str(a.Path))
	c.n = append(c.n, number(a.N))
	c.owner = append(c.owner, uid(a.Owner))
	c.state = append(c.state, str(string(a.State)))
	c.again = append(c.again, yes(a.Again))
	o := outcome{a.Status, a.Output, a.Error, a.RetryAfter}.columns()
	c.status = append(c.status, o.status)
	c.output = append(c.output, o.output)
	c.blob = append(c.blob, o.blob)
	c.error = append(c.error, o.error)
	c.retry = append(c.retry, o.retry)
	c.logs = append(c.logs, text(a.Trace))
}

func (c *answerColumns) args() []any {
	return []any{c.run, c.path, c.n, c.owner, c.state, c.again, c.status, c.output, c.blob, c.error, c.retry, c.logs}
}
