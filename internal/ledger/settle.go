package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"pawl/internal/fault"
)

// Settle is a person's word about an attempt whose outcome is unknown.
type Settle struct {
	Run    uuid.UUID
	Path   string
	As     string // succeeded, failed or retry
	Output []byte // of succeeded
	By     string
	// Fits says whether the action gives such an output; it is asked of succeeded.
	Fits func(action string, output []byte) error
}

// SettleUnknown decides an unknown attempt by compare-and-set and opens the way: succeeded takes the given output, failed
// lets the step fail, retry says that nothing happened, so that another attempt may be made. The second decision
// says who decided and when.
func SettleUnknown(ctx context.Context, pool *pgxpool.Pool, s *Settle) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if err := settle(ctx, tx, s); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `update wait set woken_at = clock_timestamp() where run_id = $1 and path = $2 and kind = 'settle' and done_at is null`, s.Run, s.Path); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `update run set nudge_at = clock_timestamp() where id = $1`, s.Run); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, stateSQL, []uuid.UUID{s.Run})
		return err
	})
	if err != nil {
		return fmt.Errorf("settle %s: %w", s.Path, err)
	}
	return nil
}

func settle(ctx context.Context, tx pgx.Tx, s *Settle) error {
	var n int
	var action, runState string
	err := tx.QueryRow(ctx, `select a.n, a.action, r.state from attempt a join run r on r.id = a.run_id
		where a.run_id = $1 and a.path = $2 and a.state = 'unknown' and a.effect <> 'read' for update`, s.Run, s.Path).Scan(&n, &action, &runState)
	if errors.Is(err, pgx.ErrNoRows) {
		return notUnknown(ctx, tx, s)
	}
	if err != nil {
		return err
	}
	if s.As == "retry" && (runState == "succeeded" || runState == "failed" || runState == "cancelled") {
		return fault.New(fault.Conflict, "run_ended", "The run has ended (%s): nothing would make another attempt. Settle %s as succeeded or failed, as it was, and replay the run if it is still needed.", runState, s.Path)
	}
	if s.As == "succeeded" {
		if err := s.Fits(action, s.Output); err != nil {
			return err
		}
	}
	var blob []byte
	o := outcome{output: s.Output}.columns()
	if b, large := OutputBlob(s.Output); large {
		blob = b.Digest[:]
		if _, err := tx.Exec(ctx, blobSQL, []uuid.UUID{s.Run}, [][]byte{blob}, []string{b.MediaType}, [][]byte{b.Body}); err != nil {
			return err
		}
	}
	state, again, keep := Answered, false, false
	switch s.As {
	case "retry":
		state, again, keep = NotSent, true, true
	case "failed":
		keep = true
	}
	_, err = tx.Exec(ctx, `update attempt set state = $4, again = $5, settled_as = $6, settled_by = $7, settled_at = clock_timestamp(), finished_at = clock_timestamp(),
		output = $8, output_blob = $9, error = case when $10 then error end where run_id = $1 and path = $2 and n = $3`,
		s.Run, s.Path, n, string(state), again, s.As, s.By, o.output, blob, keep)
	return err
}

func notUnknown(ctx context.Context, tx pgx.Tx, s *Settle) error {
	var as, by *string
	var at *string
	err := tx.QueryRow(ctx, `select settled_as, settled_by, to_char(settled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') from attempt
		where run_id = $1 and path = $2 order by n desc limit 1`, s.Run, s.Path).Scan(&as, &by, &at)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fault.New(fault.NotFound, "step", "Run %s has no step at %q.", s.Run, s.Path)
	case err != nil:
		return err
	case as != nil:
		return fault.New(fault.Conflict, "settled", "%s was settled as %s by %s at %s.", s.Path, *as, *by, *at)
	}
	return fault.New(fault.Conflict, "not_unknown", "The outcome of %s is known: there is nothing to settle.", s.Path)
}
