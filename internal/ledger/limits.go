package ledger

import "time"

const (
	// SendWindow is how long after the moment before its claim a request may begin. A withdrawal that has
	// returned is therefore followed by no request later than this.
	SendWindow = 2 * time.Second
	// LeaseSlack is added to SendWindow and the request's timeout to make the lease: room for recording.
	LeaseSlack = 5 * time.Second
	// GroupMax is the most operations that share one transaction.
	GroupMax = 64
	// GroupLinger is how long a first operation waits for others, when several are to be expected in that time.
	GroupLinger = time.Millisecond
	// groupLanes is how many transactions of groups run at once: one fills while the other commits.
	groupLanes = 2
	// groupTimeout bounds one transaction.
	groupTimeout = 15 * time.Second
	// LoopChunk is how many items of an each one row holds.
	LoopChunk = 256
	// FrontierMax is the most known positions that one answer carries.
	FrontierMax = 2000
	// HoldFor is how long a held step waits for its binding before it fails unavailable.
	HoldFor = 7 * 24 * time.Hour
)
