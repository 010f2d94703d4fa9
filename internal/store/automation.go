package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/internal/fault"
)

// Automation is a draft and what is known of its published versions.
type Automation struct {
	ID          uuid.UUID
	ProjectID   uuid.UUID
	Name        string // the handle in addresses and commands
	Draft       []byte // the document as it was given; nil for none
	DraftRev    int64  // grows with every change of the draft; the ETag
	LiveVersion *int
	CreatedAt   time.Time
	UpdatedAt   time.Time
	UpdatedBy   string
}

const automationColumns = `id, project_id, name, draft, draft_rev, live_version, created_at, updated_at, updated_by`

func noAutomation(name string) *fault.Error {
	return fault.New(fault.NotFound, "automation", "There is no automation %q in this project. See which there are with: pawl automation list.", name)
}

// AutomationByName gives an automation that was not removed, else a not_found fault.
func (s *Store) AutomationByName(ctx context.Context, project uuid.UUID, name string) (Automation, error) {
	return automationByName(ctx, s.pool, project, name, "")
}

type queryer interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func automationByName(ctx context.Context, q queryer, project uuid.UUID, name, lock string) (Automation, error) {
	rows, err := q.Query(ctx, `select `+automationColumns+` from automation
		where project_id = $1 and name = $2 and removed_at is null `+lock, project, name)
	return exactlyOne[Automation](rows, err, "find automation "+strconv.Quote(name), noAutomation(name))
}

// RemoveAutomation takes an automation out of sight. Its versions and runs stay; the name can be used again.
func (s *Store) RemoveAutomation(ctx context.Context, project uuid.UUID, name, actor string) error {
	return s.InTx(ctx, "remove an automation", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `update automation set removed_at = clock_timestamp(), updated_at = clock_timestamp(), updated_by = $3
			where project_id = $1 and name = $2 and removed_at is null`, project, name, actor)
		if err != nil {
			return fmt.Errorf("remove automation %q: %w", name, err)
		}
		if tag.RowsAffected() == 0 {
			return noAutomation(name)
		}
		return noteAudit(ctx, tx, actor, &project, "automation.remove", "automation:"+name, nil)
	})
}
