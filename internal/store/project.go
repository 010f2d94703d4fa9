package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pawl/internal/fault"
)

// Project is the unit of isolation: automations, accounts, grants, runs, members.
type Project struct {
	ID        uuid.UUID
	Name      string // the handle in addresses
	Title     string
	LocalOnly bool
	CreatedAt time.Time
}

const projectColumns = `id, name, title, local_only, created_at`

// ProjectByName gives a project that was not removed, else a not_found fault.
func (s *Store) ProjectByName(ctx context.Context, name string) (Project, error) {
	rows, err := s.pool.Query(ctx, `select `+projectColumns+` from project where name = $1 and removed_at is null`, name)
	return exactlyOne[Project](rows, err, "find project "+strconv.Quote(name), NoProject(name))
}

// NoProject is the not_found fault for a project that is not there or that the caller may not know of.
func NoProject(name string) *fault.Error {
	return fault.New(fault.NotFound, "project", "There is no project %q that you can see. See which there are with: pawl project list.", name)
}

// ListProjects gives all projects by name.
func (s *Store) ListProjects(ctx context.Context) ([]Project, error) {
	rows, err := s.pool.Query(ctx, `select `+projectColumns+` from project where removed_at is null order by name`)
	if err != nil {
		return nil, fmt.Errorf("list projects: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByName[Project])
	if err != nil {
		return nil, fmt.Errorf("list projects: %w", err)
	}
	return list, nil
}

// CreateProject makes a project; a name that is taken or malformed is a conflict or invalid_input fault.
func (s *Store) CreateProject(ctx context.Context, name, title, actor string) (Project, error) {
	made := Project{ID: uuid.Must(uuid.NewV7()), Name: name, Title: title}
	err := s.InTx(ctx, "create a project", func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `insert into project (id, name, title) values ($1, $2, $3) returning created_at`,
			made.ID, name, title).Scan(&made.CreatedAt)
		if err != nil {
			return projectFault(name, err)
		}
		return noteAudit(ctx, tx, actor, &made.ID, "project.create", "project:"+name, nil)
	})
	if err != nil {
		return Project{}, err
	}
	return made, nil
}

func projectFault(name string, err error) error {
	switch constraintOf(err) {
	case "project_name_once":
		return fault.New(fault.Conflict, "project_name", "There is, or was, a project %q; choose another name.", name).At("/name")
	case "project_name_form":
		return fault.New(fault.InvalidInput, "project_name", "%q is no project name: start with a lower-case letter, go on with lower-case letters, digits and hyphens, 63 characters at most.", name).At("/name")
	}
	return fmt.Errorf("create project %q: %w", name, err)
}

// constraintOf is the name of the constraint that PostgreSQL reports as violated, or empty.
func constraintOf(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.ConstraintName
	}
	return ""
}
