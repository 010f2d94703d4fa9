package workflows

import "time"

const (
	// taskResults is how many results of local activities one workflow task may gather before the walk yields:
	// 20,000 in one task ended in GRPC_MESSAGE_TOO_LARGE and the server terminated the workflow (tried).
	taskResults = 500
	// taskResultsBeside is the same while another branch waits: its timer is delivered only between tasks.
	taskResultsBeside = 8
	// walkResults is how many results one walk gathers before it continues as new, so that histories stay small.
	walkResults = 4000
	// walkEvents is the length of the history, in events, after which the walk continues as new.
	walkEvents = 12000
	// weightOfKnown is how many outcomes in one answer weigh as much as one result.
	weightOfKnown = 4
	// stretchMax is the most attempts that one stretch makes, and stretchTime how long it goes on to begin them: a signal
	// waits as long.
	stretchMax  = 200
	stretchTime = 500 * time.Millisecond
	// softLimit is how long a step may hold a workflow task before it detaches.
	softLimit = time.Second
	// softLimitBeside is the same while another branch waits for a timer or a signal.
	softLimitBeside = 200 * time.Millisecond
	// executeTimeout bounds one local activity: the soft limit and the database beside it.
	executeTimeout = 20 * time.Second
	// awaitTimeout bounds the wait for a step in the background; attempts end long before.
	awaitTimeout = 24 * time.Hour
	// awaitHeartbeat is how long a worker may be silent while it waits for a step.
	awaitHeartbeat = 5 * time.Second
	// retryInitial and retryMax bound the delay between tries of a failed infrastructure call.
	retryInitial = time.Second
	retryMax     = 30 * time.Second
	// settleRecheck and settleRecheckMax bound the safety timer of waits for a person or a binding: it doubles.
	settleRecheck    = 15 * time.Minute
	settleRecheckMax = 6 * time.Hour
	// yieldPause is how long a walk waits before it asks again a process that is stopping.
	yieldPause = 500 * time.Millisecond
	// frontierWindow is how many iterations a resumed walk asks for at once.
	frontierWindow = 500
)
