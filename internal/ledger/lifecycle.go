package ledger

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"pawl/internal/fault"
)

// Begun are the facts of a run that never change, and what it was when it began.
type Begun struct {
	Run       uuid.UUID
	Project   uuid.UUID
	Digest    [32]byte
	Input     json.RawMessage
	Trigger   json.RawMessage
	Accounts  map[string]uuid.UUID // "<connection identity> <account name>" -> id
	Stage     string
	LocalOnly bool
	Call      bool // of an agent: of one action, outside of any automation
	StateWas  string
	Cancelled bool
	Forced    bool
}

// End is how a run ended.
type End struct {
	Run    uuid.UUID
	State  string // succeeded, failed or cancelled
	Output []byte
	Error  *fault.Error
}

const beginSQL = `with q as (select id, state from run where id = any($1::uuid[]) for update),
u as (update run r set state = 'running', started_at = clock_timestamp() from q where r.id = q.id and q.state = 'queued')
select r.id, r.project_id, r.digest, r.input, r.trigger_data, r.accounts, r.stage, r.local_only, r.action is not null, q.state, r.cancel_requested_at is not null, r.cancel_force
from q join run r on r.id = q.id`

const endSQL = `update run r set state = q.state, output = q.output, output_blob = q.blob, error = q.error, finished_at = clock_timestamp(), stuck = null
from unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[], $5::text[]) as q(id, state, output, blob, error)
where r.id = q.id and r.state in ('queued', 'running', 'waiting', 'needs_attention')
returning r.id`

const endWaitsSQL = `update wait set done_at = clock_timestamp() where run_id = any($1::uuid[]) and done_at is null`

// Begin takes a queued run to running and returns its facts. A run that began before gives the same facts with
// its present state in StateWas; a run that has ended is never begun again.
func (l *Ledger) Begin(ctx context.Context, run uuid.UUID) (Begun, error) {
	r, err := l.write.Do(ctx, op{begin: &run})
	if err != nil {
		return Begun{}, fmt.Errorf("begin run %s: %w", run, err)
	}
	if !r.won {
		return Begun{}, fault.New(fault.NotFound, "run", "There is no run %s.", run)
	}
	return r.begin, nil
}

// End records the end of a run. It returns false when the run had ended before: end states are final.
func (l *Ledger) End(ctx context.Context, e *End) (bool, error) {
	r, err := l.write.Do(ctx, op{end: e})
	if err != nil {
		return false, fmt.Errorf("end run %s: %w", e.Run, err)
	}
	return r.won, nil
}

func runParts(ops []op, results []result) []part {
	return append(beginParts(ops, results), endParts(ops, results)...)
}

func beginParts(ops []op, results []result) []part {
	at := make(map[uuid.UUID][]int)
	var ids uuidColumn
	for i, o := range ops {
		if o.begin != nil {
			at[*o.begin] = append(at[*o.begin], i)
			ids = append(ids, uid(*o.begin))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return []part{{sql: beginSQL, args: []any{ids}, scan: func(rows pgx.Rows) error {
		b, err := scanBegun(rows)
		if err != nil {
			return err
		}
		for _, i := range at[b.Run] {
			results[i] = result{won: true, begin: b}
		}
		return nil
	}}}
}

func scanBegun(rows pgx.Rows) (Begun, error) {
	var b Begun
	var digest []byte
	var input, accounts string
	var trigger *string
	if err := rows.Scan(&b.Run, &b.Project, &digest, &input, &trigger, &accounts, &b.Stage, &b.LocalOnly, &b.Call, &b.StateWas, &b.Cancelled, &b.Forced); err != nil {
		return b, err
	}
	copy(b.Digest[:], digest)
	b.Input = json.RawMessage(input)
	if trigger != nil {
		b.Trigger = json.RawMessage(*trigger)
	}
	return b, json.Unmarshal([]byte(accounts), &b.Accounts)
}

func endParts(ops []op, results []result) []part {
	at := make(map[uuid.UUID]int)
	var c endColumns
	var blobs blobColumns
	for _, i := range pick(ops, func(o op) (uuid.UUID, string, bool) {
		if o.end == nil {
			return uuid.Nil, "", false
		}
		return o.end.Run, "", true
	}) {
		e := ops[i].end
		if _, twice := at[e.Run]; twice {
			continue
		}
		at[e.Run] = i
		if blob, large := OutputBlob(e.Output); large {
			blobs.add(e.Run, []Blob{blob})
		}
		c.add(e)
	}
	if len(c.run) == 0 {
		return nil
	}
	return append(blobs.parts(),
		part{sql: endSQL, args: c.args(), scan: func(rows pgx.Rows) error {
			var id uuid.UUID
			if err := rows.Scan(&id); err != nil {
				return err
			}
			results[at[id]] = result{won: true}
			return nil
		}},
		part{sql: endWaitsSQL, args: []any{c.run}})
}

type endColumns struct {
	run           uuidColumn
	state         textColumn
	output, error textColumn
	blob          bytesColumn
}

func (c *endColumns) add(e *End) {
	o := outcome{output: e.Output, err: e.Error}.columns()
	c.run = append(c.run, uid(e.Run))
	c.state = append(c.state, str(e.State))
	c.output = append(c.output, o.output)
	c.blob = append(c.blob, o.blob)
	c.error = append(c.error, o.error)
}

func (c *endColumns) args() []any { return []any{c.run, c.state, c.output, c.blob, c.error} }
