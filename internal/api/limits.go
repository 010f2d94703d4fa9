package api

import "time"

// Numbers with meaning of this package.
const (
	// smallBody is the largest body of a request that carries no document, in bytes.
	smallBody = 64 << 10
	// noBodyMax is how much is read of a body where none is taken, in bytes: enough for an empty object.
	noBodyMax = 64
	// runBody is the largest body of a run start or a settlement: the input of a run, in bytes.
	runBody = 4 << 20
	// documentBody is the largest body with one document, in bytes; the formats have smaller limits of their own.
	documentBody = 4 << 20
	// manyDocumentsBody is the largest body of an apply with many documents, in bytes.
	manyDocumentsBody = 16 << 20
	// maxIdempotencyKey is the longest Idempotency-Key, in characters, as others have it (Stripe: 255).
	maxIdempotencyKey = 255
	// bodyDepth is how deep a body may nest.
	bodyDepth = 200

	// pageMax is the most items that a list is asked for at once (Paging has the same number).
	pageMax = 200
	// credentialsMax is how many connection identities a server remembers the form of authentication of.
	credentialsMax = 2000
	// stepsPage is how many steps a run object carries at once.
	stepsPage = 500
	// inlineOutput is the largest stored output, in bytes, that a run object carries itself; a larger one is a
	// reference. inlineTotal bounds them together.
	inlineOutput = 256 << 10
	inlineTotal  = 8 << 20

	// leastCompressed is the shortest answer that is compressed, in bytes: a shorter one is a packet with and without.
	leastCompressed = 1400
	// brotliLevel is how hard the files of the UI are compressed, once a process: 635 kB become 183 kB in 50 ms, and
	// with the highest level, 11, 168 kB in 2 s.
	brotliLevel = 6

	// bodyTimeout is how long a client may take to send a body.
	bodyTimeout = 60 * time.Second
	// writeTimeout is how long one write of a stream may take before the client counts as gone.
	writeTimeout = 15 * time.Second
	// streamPoll is how often an event stream looks by itself, in case a notification was lost.
	streamPoll = 2 * time.Second
	// streamPause is the least time between two looks of one stream.
	streamPause = 200 * time.Millisecond
	// streamBeat is how often a silent stream sends a comment, so that proxies keep it open.
	streamBeat = 15 * time.Second
	// streamOverlap is how far a look reaches back behind the last one: a row's instant is taken before its
	// transaction commits.
	streamOverlap = 10 * time.Second
	// streamKnown is how many steps a stream remembers in order to send each change once.
	streamKnown = 20000
	// streamPass is how many changed steps a stream looks at before it reads the traces of the run once more, so that its
	// memory does not grow with the run.
	streamPass = 20000
	// streamRest is how many times as long as a look took a stream rests after it, so that a run of many steps does not
	// keep the database busy.
	streamRest = 4
	// readyTimeout bounds the look at the database by /readyz.
	readyTimeout = 2 * time.Second
	// listenRetry is the pause before the listener connects again.
	listenRetry = time.Second
)
