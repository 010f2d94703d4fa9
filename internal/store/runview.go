package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

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
	Request    *json.RawMessage // as the adapter summed it up, without a credential
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
	Logs       *string // of a tool: a sandbox.Trace as JSON
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

// WaitRow is an open wait.
type WaitRow struct {
	Path  string
	Kind  string
	Key   string
	Since time.Time
	Until *time.Time
}

// RunRows are the rows of some positions of a run.
type RunRows struct {
	Attempts  []AttemptRow // by path and number
	Decisions []DecisionRow
	Blobs     map[string]Blob // by digest; Body is nil where it was too large to read with the rest
}

// StepRows reads the rows at some paths, marks included. Bodies of blobs up to each bytes are read too, until they make up
// budget bytes together.
func (s *Store) StepRows(ctx context.Context, run uuid.UUID, paths []string, each, budget int64) (RunRows, error) {
	var out RunRows
	args := pgx.NamedArgs{"run": run, "paths": paths}
	rows, err := s.pool.Query(ctx, `select path, n, action, effect, state, again, input, input_blob, request, claimed_at, finished_at, status, output, output_blob, error,
		retry_after, settled_as, settled_by, settled_at, logs from attempt where run_id = @run and path = any(@paths) order by path, n`, args)
	if out.Attempts, err = collect[AttemptRow](rows, err, "read attempts"); err != nil {
		return out, err
	}
	rows, err = s.pool.Query(ctx, `select path, kind, label, count, instant, value, value_blob, error, created_at from decision
		where run_id = @run and path = any(@paths) order by path`, args)
	if out.Decisions, err = collect[DecisionRow](rows, err, "read decisions"); err != nil {
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
