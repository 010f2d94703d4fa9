package store

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"pawl/internal/fault"
)

// Explain turns what PostgreSQL reports into a fault where a user can act on it: a violated named constraint, or
// a lock that could not be had in time. Other errors come back as they are.
func Explain(err error) error {
	var f *fault.Error
	if err == nil || errors.As(err, &f) {
		return err
	}
	if worthAgain(err) || codeOf(err) == lockNotAvailable {
		return fault.New(fault.Timeout, "lock", "Something else is changing this at the moment. Nothing was changed; try again.").Because(err)
	}
	if f := violated(constraintOf(err)); f != nil {
		return f.Because(err)
	}
	return err
}

// The codes of PostgreSQL with which a transaction ends because of others at work.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	lockNotAvailable     = "55P03"
)

// codeOf is the SQLSTATE of what PostgreSQL reports, or empty.
func codeOf(err error) string {
	var p *pgconn.PgError
	if errors.As(err, &p) {
		return p.Code
	}
	return ""
}

// violated is the sentence of a named constraint of the schema, or nil for one that only a fault of Pawl itself
// can violate.
func violated(constraint string) *fault.Error {
	switch constraint {
	case "plugin_id_form":
		return fault.New(fault.InvalidInput, "plugin_id", "A plugin's id starts with a lower-case letter and goes on with 1 to 40 lower-case letters, digits and hyphens.").At("/manifest/id")
	case "preview_project_project_id_fkey":
		return fault.New(fault.NotFound, "project", "One of the chosen preview projects does not exist. See which there are: pawl project list")
	case "account_project_id_fkey", "standing_grant_project_id_fkey":
		return fault.New(fault.NotFound, "project", "This project does not exist. See which there are: pawl project list")
	case "account_name_form":
		return fault.New(fault.InvalidInput, "account_name", "An account's name starts with a letter or digit and goes on with letters, digits, spaces, dots, hyphens and underscores, 63 characters at most.").At("/name")
	case "release_immutable", "document_immutable", "automation_version_immutable", "audit_immutable":
		return fault.New(fault.Conflict, "immutable", "This record never changes.")
	case "run_end_state_final":
		return fault.New(fault.Conflict, "run_ended", "This run has ended, and an end state is final.")
	default:
		return nil
	}
}
