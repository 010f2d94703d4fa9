package release

import (
	"github.com/google/uuid"

	"pawl/connections"
)

// TestNote is what the audit log keeps of a test call: not what went in, and not what came out.
type TestNote struct {
	Project uuid.UUID
	By      string
	Plugin  string
	Stage   Stage
	Version connections.Version
	// What was called: "tool word_count", "action list_items", "fetch POST https://api.example.com".
	What string
	// Outcome is "ok" or the kind of the fault.
	Outcome string
	Sent    bool // whether a byte may have gone out
}
