package api

import (
	"context"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/internal/fault"
	"pawl/internal/launch"
)

// Runs starts runs and changes their course.
type Runs interface {
	// Start makes a run; existing says that an earlier start had the same key and input.
	Start(ctx context.Context, req launch.StartRequest) (id uuid.UUID, existing bool, err error)
	// Cancel lets no further step start but those of finally; force stops these too.
	Cancel(ctx context.Context, run uuid.UUID, actor string, force bool) error
	Settle(ctx context.Context, req launch.SettleRequest) error
	// Replay makes a new run with the same document and input, under new keys.
	Replay(ctx context.Context, run uuid.UUID, actor string) (uuid.UUID, error)
	// Allow lets a call of an agent happen that waits for a person, once; Deny refuses it.
	Allow(ctx context.Context, a *connections.Approval, by, comment string, localOnly bool) (run uuid.UUID, err error)
	Deny(ctx context.Context, a *connections.Approval, by, comment string) error
}

// CheckedDocument is an automation document that could be read.
type CheckedDocument struct {
	// Body is the form that the digest covers and that runs follow.
	Body   []byte
	Digest [32]byte
	// Problems is what keeps it from being published.
	Problems fault.List
	// Warnings is what its author should know.
	Warnings fault.List
}

// Documents reads and checks automation documents.
type Documents interface {
	// Check reads a document and checks it against the catalogue, accounts and grants of a project. Text that is
	// no pawl-automation@1 at all is an error, a fault.List of all problems.
	Check(ctx context.Context, project uuid.UUID, body []byte) (CheckedDocument, error)
}
