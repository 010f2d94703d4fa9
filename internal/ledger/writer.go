package ledger

import (
	"context"
	"fmt"
	"sort"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"pawl/internal/group"
)

// Ledger reads and writes the effect ledger of one database.
type Ledger struct {
	pool  *pgxpool.Pool
	write *group.Group[op, result]
	ask   *group.Group[Ask, Facts]
}

// New opens the ledger on a pool of store.Open, whose connections know their epoch.
func New(pool *pgxpool.Pool) *Ledger {
	l := &Ledger{pool: pool}
	cfg := group.Config{Max: GroupMax, Linger: GroupLinger, Lanes: groupLanes, Timeout: groupTimeout}
	l.write = group.New(cfg, l.serve)
	l.ask = group.New(cfg, l.askAll)
	return l
}

// Close ends the ledger's goroutines after what is under way.
func (l *Ledger) Close() {
	l.ask.Close()
	l.write.Close()
}

// op is one write; exactly one member is set.
type op struct {
	claim    *Claim
	answer   *Answer
	record   *Record
	decision *Decision
	begin    *uuid.UUID
	end      *End
}

type result struct {
	won      bool
	gen      int64
	decision *Decision
	begin    Begun
	next     *Facts
}

// asks is what an operation wants to know beside what it writes.
func (o op) asks() *Ask {
	switch {
	case o.answer != nil:
		return o.answer.Next
	case o.record != nil:
		return o.record.Next
	}
	return nil
}

// part is one statement of a transaction with what to do with its rows.
type part struct {
	sql  string
	args []any
	scan func(pgx.Rows) error
}

// serve carries out many writes in one transaction and one round trip: a pipeline without an explicit begin is
// one implicit transaction.
func (l *Ledger) serve(ctx context.Context, ops []op) ([]result, error) {
	results := make([]result, len(ops))
	var parts []part
	parts = append(parts, answerParts(ops, results)...) // before the claims that follow them
	parts = append(parts, l.claimParts(ops, results)...)
	parts = append(parts, l.recordParts(ops, results)...)
	parts = append(parts, decisionParts(ops, results)...)
	parts = append(parts, runParts(ops, results)...)
	parts = append(parts, l.nextParts(ops, results)...)
	if err := pipeline(ctx, l.pool, parts); err != nil {
		return nil, err
	}
	return results, nil
}

func pipeline(ctx context.Context, pool *pgxpool.Pool, parts []part) error {
	var b pgx.Batch
	for _, p := range parts {
		b.Queue(p.sql, p.args...)
	}
	br := pool.SendBatch(ctx, &b)
	for _, p := range parts {
		if err := scanPart(br, p); err != nil {
			_ = br.Close() // the first error is the one to tell
			return err
		}
	}
	if err := br.Close(); err != nil {
		return fmt.Errorf("ledger: commit: %w", err)
	}
	return nil
}

func scanPart(br pgx.BatchResults, p part) error {
	rows, err := br.Query()
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		if p.scan == nil {
			continue
		}
		if err := p.scan(rows); err != nil {
			return fmt.Errorf("ledger: scan: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// pick gives the indexes of the operations that want, ordered so that all transactions lock in one order.
func pick(ops []op, want func(op) (run uuid.UUID, path string, ok bool)) []int {
	type at struct {
		i    int
		run  uuid.UUID
		path string
	}
	var found []at
	for i, o := range ops {
		if run, path, ok := want(o); ok {
			found = append(found, at{i, run, path})
		}
	}
	sort.SliceStable(found, func(a, b int) bool {
		x, y := found[a], found[b]
		if x.run != y.run {
			return string(x.run[:]) < string(y.run[:])
		}
		return x.path < y.path
	})
	is := make([]int, len(found))
	for k, f := range found {
		is[k] = f.i
	}
	return is
}
