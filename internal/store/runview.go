package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// PathMarks begin the suffixes with which the walk marks decisions and waits about a part of a position: ? its if,
// ! its deadline, & that it has begun, ^ its catch, # a round of its retries.
const PathMarks = "?!&^#"

// Position is a step of a run at one set of loop indexes, and when it was first seen.
type Position struct {
	Path string   // without a mark
	Rows []string // the paths of its rows, with their marks
	Seen time.Time
}

// AttemptRow is one attempt as the ledger has it.
type AttemptRow struct {
	Path       string
	N          int
	Action     string
	Effect     string
	State      string
	Again      bool
	Input      *json.RawMessage
	InputBlob  []byte
	ClaimedAt  time.Time
	FinishedAt *time.Time
	Status     *int
	Output     *json.RawMessage
	OutputBlob []byte
	Error      *json.RawMessage
	RetryAfter *time.Time
	SettledAs  *string
	SettledBy  *string
	SettledAt  *time.Time
}

// DecisionRow is a frozen decision.
type DecisionRow struct {
	Path      string
	Kind      string
	Label     string
	Count     *int
	Instant   *time.Time
	Value     *json.RawMessage
	ValueBlob []byte
	Error     *json.RawMessage
	CreatedAt time.Time
}

// WaitRow is a durable wait.
type WaitRow struct {
	Path   string
	Kind   string
	Key    string
	Since  time.Time
	Until  *time.Time
	DoneAt *time.Time
}

// RunRows are the rows of some positions of a run.
type RunRows struct {
	Attempts  []AttemptRow // by path and number
	Decisions []DecisionRow
	Waits     []WaitRow
	Open      []WaitRow       // of the whole run, at most 1,000
	Blobs     map[string]Blob // by digest; Body is nil where it was too large to read with the rest
}

// unmarkSQL takes the mark off a path.
const unmarkSQL = `regexp_replace(path, '[?!&^#].*$', '')`

// Positions lists a run's positions by first sight, then by path, after a position; at most limit.
func (s *Store) Positions(ctx context.Context, run uuid.UUID, after Position, limit int) ([]Position, error) {
	rows, err := s.pool.Query(ctx, `with seen as (select `+unmarkSQL+` as step, array_agg(distinct path) as rows, min(at) as at from (
		  select path, claimed_at as at from attempt where run_id = @run and n = 1
		  union all select path, created_at from decision where run_id = @run
		  union all select path, since from wait where run_id = @run) q group by 1)
		select step as path, rows, at as seen from seen where (at, step) > (@at::timestamptz, @path::text) order by at, step limit @limit`,
		pgx.NamedArgs{"run": run, "at": after.Seen, "path": after.Path, "limit": limit})
	return collect[Position](rows, err, "list the steps of a run")
}

// ChangedPositions lists the positions with a row that changed at or after an instant of the database's clock,
// earliest first and at most limit, and gives that clock's present instant.
func (s *Store) ChangedPositions(ctx context.Context, run uuid.UUID, since time.Time, limit int) ([]Position, time.Time, error) {
	var now time.Time
	if err := s.pool.QueryRow(ctx, `select clock_timestamp()`).Scan(&now); err != nil {
		return nil, now, fmt.Errorf("read the database's clock: %w", err)
	}
	rows, err := s.pool.Query(ctx, `with changed as (select `+unmarkSQL+` as step, min(at) as at from (
		  select path, greatest(claimed_at, finished_at, settled_at) as at from attempt where run_id = @run and greatest(claimed_at, finished_at, settled_at) >= @since
		  union all select path, created_at from decision where run_id = @run and created_at >= @since
		  union all select path, greatest(since, woken_at, done_at) from wait where run_id = @run and greatest(since, woken_at, done_at) >= @since) q
		group by 1 order by 2, 1 limit @limit)
		select c.step as path, c.at as seen, array_prepend(c.step, coalesce((select array_agg(distinct path) from (
		  select path from decision where run_id = @run union all select path from wait where run_id = @run) m
		  where `+unmarkSQL+` = c.step and path <> c.step), '{}')) as rows
		from changed c order by c.at, c.step`, pgx.NamedArgs{"run": run, "since": since, "limit": limit})
	list, err := collect[Position](rows, err, "list the changed steps of a run")
	return list, now, err
}

// StepRows reads the rows of some positions, and the run's open waits. Bodies of blobs up to each bytes are read too, until they make up
// budget bytes together.
func (s *Store) StepRows(ctx context.Context, run uuid.UUID, at []Position, each, budget int64) (RunRows, error) {
	var out RunRows
	var paths []string
	for i := range at {
		paths = append(paths, at[i].Rows...)
	}
	args := pgx.NamedArgs{"run": run, "paths": paths}
	rows, err := s.pool.Query(ctx, `select path, n, action, effect, state, again, input, input_blob, claimed_at, finished_at, status, output, output_blob, error,
		retry_after, settled_as, settled_by, settled_at from attempt where run_id = @run and path = any(@paths) order by path, n`, args)
	if out.Attempts, err = collect[AttemptRow](rows, err, "read attempts"); err != nil {
		return out, err
	}
	rows, err = s.pool.Query(ctx, `select path, kind, label, count, instant, value, value_blob, error, created_at from decision
		where run_id = @run and path = any(@paths) order by path`, args)
	if out.Decisions, err = collect[DecisionRow](rows, err, "read decisions"); err != nil {
		return out, err
	}
	rows, err = s.pool.Query(ctx, `select path, kind, key, since, until, done_at from wait where run_id = @run and path = any(@paths) order by path, since`, args)
	if out.Waits, err = collect[WaitRow](rows, err, "read waits"); err != nil {
		return out, err
	}
	rows, err = s.pool.Query(ctx, `select path, kind, key, since, until, done_at from wait where run_id = @run and done_at is null order by since, path limit 1000`, args)
	if out.Open, err = collect[WaitRow](rows, err, "read the open waits"); err != nil {
		return out, err
	}
	out.Blobs, err = s.RunBlobs(ctx, run, out.digests(), each, budget)
	return out, err
}

func (r *RunRows) digests() [][]byte {
	var all [][]byte
	add := func(d []byte) {
		if d != nil {
			all = append(all, d)
		}
	}
	for i := range r.Attempts {
		add(r.Attempts[i].InputBlob)
		add(r.Attempts[i].OutputBlob)
	}
	for i := range r.Decisions {
		add(r.Decisions[i].ValueBlob)
	}
	return all
}

// RunBlobs describes blobs of a run by digest, with the body of those up to each bytes, until they make up
// budget bytes together.
func (s *Store) RunBlobs(ctx context.Context, run uuid.UUID, digests [][]byte, each, budget int64) (map[string]Blob, error) {
	found := make(map[string]Blob, len(digests))
	if len(digests) == 0 {
		return found, nil
	}
	rows, err := s.pool.Query(ctx, `with b as (select digest, media_type, size, sum(case when size <= $3 then size else 0 end) over (order by size, digest) as total
		  from blob where run_id = $1 and digest = any($2))
		select b.digest, b.media_type, b.size, x.body from b
		left join blob x on x.run_id = $1 and x.digest = b.digest and b.size <= $3 and b.total <= $4`, run, digests, each, budget)
	list, err := collect[Blob](rows, err, "read outputs")
	if err != nil {
		return nil, err
	}
	for _, b := range list {
		found[string(b.Digest)] = b
	}
	return found, nil
}

func collect[T any](rows pgx.Rows, err error, op string) ([]T, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	return list, nil
}
