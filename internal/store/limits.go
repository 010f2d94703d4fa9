package store

import "time"

const (
	// maxTries bounds how often a transaction is run when PostgreSQL asks for it to be run again.
	maxTries = 8
	// retryPause is the base of the pause before the next try.
	retryPause = 2 * time.Millisecond
	// maxPendingApprovals is how many calls of one requester may wait for a person in a project at the same time.
	maxPendingApprovals = 100
	// resealChunk is how many secrets one transaction seals anew: about 10 ms of work, while which the rows are
	// locked against rotation but not against reading.
	resealChunk = 500
)

// lockPatience bounds how long a change of stages waits for a lock: a claim holds its lock for a few
// milliseconds, so a longer wait means that something hangs, and a clear refusal is better than hanging too.
const lockPatience = `set local lock_timeout = '15s'`
