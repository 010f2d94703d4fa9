package connections

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"pawl/internal/fault"
)

// ApprovalState is what became of a call that waits for a person. A closed set.
type ApprovalState string

// The states of an approval.
const (
	ApprovalPending  ApprovalState = "pending"
	ApprovalConsumed ApprovalState = "consumed" // it was allowed, and its run was made with it, once
	ApprovalDenied   ApprovalState = "denied"
	ApprovalExpired  ApprovalState = "expired" // nobody decided in time, or what it was asked for is no longer there
)

// Approval is one call of an agent that waits for a person's word. It binds all that the call is: what is allowed is exactly
// this, once. Pending stays pending over restarts; it is never assumed given.
type Approval struct {
	ID            uuid.UUID
	ProjectID     uuid.UUID
	State         ApprovalState
	Source        Source
	Action        ActionIdentity
	ReleaseDigest []byte // SHA-256 of the release whose action it is
	Effect        string // as release.Effect
	AccountID     *uuid.UUID
	Account       string // its name; empty for none
	Target        string // where the call goes: the origin of an app, the hosts of a plugin
	// Arguments are in canonical form (RFC 8785, with exact numbers); ArgumentsDigest is their SHA-256.
	Arguments       json.RawMessage
	ArgumentsDigest []byte
	RequestedBy     string
	RequestedAt     time.Time
	Until           time.Time
	DecidedBy       string
	DecidedAt       *time.Time
	Comment         string
	RunID           *uuid.UUID // of the run that it was consumed by
}

// Denied is the fault of a call that a person refused, or that nobody allowed in time.
func (a *Approval) Denied() *fault.Error {
	if a.State == ApprovalExpired {
		return fault.New(fault.Denied, "expired", "Nobody allowed this call of %s until %s. Nothing was sent.", a.Action, a.Until.UTC().Format(time.RFC3339)).With("approval", a.ID)
	}
	said := ""
	if a.Comment != "" {
		said = " They said: " + a.Comment
	}
	return fault.New(fault.Denied, "refused", "%s refused this call of %s. Nothing was sent.%s", a.DecidedBy, a.Action, said).With("approval", a.ID)
}
