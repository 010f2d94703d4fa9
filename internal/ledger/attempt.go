package ledger

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"pawl/actions"
	"pawl/internal/fault"
)

// State is what is known of an attempt. A closed set.
type State string

// The states of an attempt.
const (
	Sending  State = "sending"  // claimed; bytes may be on the wire
	NotSent  State = "not_sent" // provably nothing was sent
	Answered State = "answered"
	Unknown  State = "unknown" // sent, perhaps partly, and no answer
	Lost     State = "lost"    // safe: the answer is lost, the request may be sent again
)

// Attempt is a row of the ledger, as a walker needs it.
type Attempt struct {
	Run        uuid.UUID
	Path       string
	N          int
	Effect     actions.Effect
	State      State
	Again      bool
	Owner      uuid.UUID
	LeaseLeft  time.Duration // by the database's clock; negative when over; only meaningful while Sending
	Input      json.RawMessage
	Digest     []byte // of the request
	AccountID  uuid.UUID
	FirstSent  time.Duration // since the first attempt of the position was claimed
	Status     int
	Error      *fault.Error
	RetryAfter time.Duration // until the provider wants to be asked again, by the database's clock; 0 = not said
	SettledAs  string
}

// Claim asks for the right to send one attempt of an effect.
type Claim struct {
	Run        uuid.UUID
	Path       string
	N          int
	Action     string
	Identity   string
	Scope      uuid.UUID
	Effect     actions.Effect
	Owner      uuid.UUID
	Account    uuid.UUID // the nil UUID for none
	NeedsGrant bool
	Finally    bool
	Input      []byte
	Request    []byte
	Digest     []byte
	Lease      time.Duration
	After      *After // nil for none
}

// After is a condition of a claim: the attempt of the step before, on the same run, is answered by its owner, and no person
// has settled it. An answer and a claim after it may be on their way at the same time.
type After struct {
	Path  string
	N     int
	Owner uuid.UUID
}

// Answer closes an attempt of an effect that its owner claimed.
type Answer struct {
	Run        uuid.UUID
	Path       string
	N          int
	Owner      uuid.UUID
	State      State // NotSent, Answered or Unknown
	Again      bool
	Status     int
	Output     []byte
	Blobs      []Blob
	Error      *fault.Error
	RetryAfter time.Duration
	Trace      []byte // JSON of a tool's call: what it logged and requested; nil for none
	Next       *Ask   // what the step after this one has to know, read in the same round trip; nil for none
}

// Written is what became of an Answer or a Record.
type Written struct {
	// Won says that the row is the caller's: the attempt was its to close, or no other one was first.
	Won bool
	// Next are the facts that Next asked for, as they were just before the commit; nil without one, or where the run is gone.
	Next *Facts
}

// Record writes a whole attempt at once: a read with its answer, or an attempt of any effect that never came
// as far as a claim. The first one wins.
type Record struct {
	Run        uuid.UUID
	Path       string
	N          int
	Action     string
	Effect     actions.Effect
	State      State
	Again      bool
	Owner      uuid.UUID
	Gen        int64
	Account    uuid.UUID
	Input      []byte
	Request    []byte
	Digest     []byte
	Status     int
	Output     []byte
	Blobs      []Blob
	Error      *fault.Error
	RetryAfter time.Duration
	Trace      []byte        // as in Answer
	Began      time.Duration // how long ago the attempt began
	Lease      time.Duration // for a read that goes on in the background; 0 otherwise
	Next       *Ask          // as in Answer
}

// Blob is a body that belongs to a run, named by its SHA-256.
type Blob struct {
	Digest    [32]byte
	MediaType string
	Body      []byte
}

// Decision is a frozen decision. Value is JSON text.
type Decision struct {
	Run   uuid.UUID
	Path  string
	Kind  string
	Label string
	Count *int
	// In is when the instant of a wait lies, from now, by the database's clock; nil for other decisions.
	In    *time.Duration
	Value []byte
	Error *fault.Error
}
