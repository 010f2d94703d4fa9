package store

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/internal/fault"
)

// AutomationDraft is a document that is to become the draft of an automation.
type AutomationDraft struct {
	Name string
	Body []byte
	// Rev is the revision that the writer saw; 0 says that the automation must not exist yet.
	Rev int64
}

// DraftWritten says what a write did.
type DraftWritten struct {
	Name    string
	Rev     int64
	Created bool
}

// PutDrafts writes drafts in one transaction: all or none. A revision that is no longer the current one is a
// conflict fault with the reason "stale", a missing automation a not_found fault.
func (s *Store) PutDrafts(ctx context.Context, project uuid.UUID, drafts []AutomationDraft, actor string) ([]DraftWritten, error) {
	order := make([]int, len(drafts))
	for i := range order {
		order[i] = i
	}
	// Rows are locked in one order, so that two writers can't wait for each other.
	sort.Slice(order, func(a, b int) bool { return drafts[order[a]].Name < drafts[order[b]].Name })
	written := make([]DraftWritten, len(drafts))
	err := s.InTx(ctx, "write drafts", func(tx pgx.Tx) error {
		for _, i := range order {
			w, err := putDraft(ctx, tx, project, drafts[i], actor)
			if err != nil {
				return err
			}
			written[i] = w
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return written, nil
}

func putDraft(ctx context.Context, tx pgx.Tx, project uuid.UUID, d AutomationDraft, actor string) (DraftWritten, error) {
	if d.Rev == 0 {
		return createDraft(ctx, tx, project, d, actor)
	}
	a, err := automationByName(ctx, tx, project, d.Name, "for update")
	if err != nil {
		return DraftWritten{}, err
	}
	if a.DraftRev != d.Rev {
		return DraftWritten{}, staleDraft(a)
	}
	_, err = tx.Exec(ctx, `update automation set draft = $2, draft_rev = draft_rev + 1, updated_at = clock_timestamp(), updated_by = $3 where id = $1`,
		a.ID, d.Body, actor)
	if err != nil {
		return DraftWritten{}, fmt.Errorf("write the draft of %q: %w", d.Name, err)
	}
	w := DraftWritten{Name: d.Name, Rev: a.DraftRev + 1}
	return w, noteAudit(ctx, tx, actor, &project, "automation.draft", "automation:"+d.Name, map[string]any{"rev": w.Rev})
}

func createDraft(ctx context.Context, tx pgx.Tx, project uuid.UUID, d AutomationDraft, actor string) (DraftWritten, error) {
	var rev int64
	rows, err := tx.Query(ctx, `insert into automation (id, project_id, name, draft, updated_by) values ($1, $2, $3, $4, $5)
		on conflict (project_id, name) where removed_at is null do nothing returning draft_rev`,
		uuid.Must(uuid.NewV7()), project, d.Name, d.Body, actor)
	if err == nil {
		rev, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[int64])
	}
	switch {
	case err == nil:
	case errors.Is(err, pgx.ErrNoRows):
		a, err := automationByName(ctx, tx, project, d.Name, "")
		if err != nil {
			return DraftWritten{}, err
		}
		return DraftWritten{}, staleDraft(a)
	case constraintOf(err) == "automation_name_form":
		return DraftWritten{}, fault.New(fault.InvalidInput, "automation_name", "%q is no handle of an automation: use lower-case letters, digits and hyphens, start with a letter or digit, 100 characters at most.", d.Name).At("/name")
	default:
		return DraftWritten{}, fmt.Errorf("create automation %q: %w", d.Name, err)
	}
	w := DraftWritten{Name: d.Name, Rev: rev, Created: true}
	return w, noteAudit(ctx, tx, actor, &project, "automation.create", "automation:"+d.Name, map[string]any{"rev": rev})
}

func staleDraft(a Automation) error {
	return fault.New(fault.Conflict, "stale", "The draft of %q was changed by %s meanwhile (revision %d now). Read it again, compare, and write on top of that revision.", a.Name, a.UpdatedBy, a.DraftRev).
		With("rev", a.DraftRev).With("updated_by", a.UpdatedBy).With("updated_at", a.UpdatedAt)
}
