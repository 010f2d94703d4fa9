package activities

import "time"

const (
	// readRecheck is how old the facts may be when a read begins; older ones are read again.
	readRecheck = 500 * time.Millisecond
	// chainedFacts is how old the facts may be that a step of a stretch takes over from those before it. An effect's claim
	// looks at them again in any case.
	chainedFacts = 100 * time.Millisecond
	// timeoutDefault and timeoutMax bound one attempt on the wire.
	timeoutDefault = 30 * time.Second
	timeoutMax     = 10 * time.Minute
	// busyPoll is how often a step that another process has under way is looked at.
	busyPoll = 500 * time.Millisecond
	// beat is how often the wait for a step in the background tells that it lives.
	beat = 2 * time.Second
	// recordTimeout bounds the recording of an outcome; it is tried until the lease is over.
	recordTimeout = 20 * time.Second
	// factsTries is how often an attempt looks again after it lost a race for its claim.
	factsTries = 5
	// durableWait is the shortest wait that gets a row: shorter ones are timers only.
	durableWait = time.Second
	// loopOutputMax is the most bytes that the outputs of a loop may have together when an expression reads them.
	loopOutputMax = 16 << 20
	// The caches hold what never changes; the numbers are entries and bytes.
	runsMax        = 20_000
	plansMax       = 500
	releasesMax    = 500
	readsMax       = 5_000
	outputsMax     = 50_000
	outputBytesMax = 128 << 20
	chunksMax      = 2_000
	chunkBytesMax  = 64 << 20
)
