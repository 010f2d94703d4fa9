package httpcall

import "time"

const (
	// maxURLBytes is what common servers accept at least (RFC 9110, section 4.1, asks for 8,000 octets).
	maxURLBytes = 8192
	// maxRequestBytes bounds a request body; beyond it an upload belongs somewhere else.
	maxRequestBytes = 8 << 20
	// maxAnswerBytes bounds an answer, before and after decompression, where the configuration says nothing.
	maxAnswerBytes = 8 << 20
	// maxErrorBytes bounds how much of an error answer is read; the rest would only fill the run page.
	maxErrorBytes = 64 << 10
	// maxExcerptBytes bounds the excerpt of a body in errors and summaries; about a screenful.
	maxExcerptBytes = 2000
	// maxHeaderBytes bounds the head of an answer on the wire; generous servers stop at 32 KiB.
	maxHeaderBytes = 64 << 10
	// maxHeaders, maxHeaderValue bound what is kept of it, in fields and in bytes.
	maxHeaders     = 64
	maxHeaderValue = 2048
	// maxDepth bounds the nesting of JSON; real answers stay below 50, and every later reader recurses.
	maxDepth = 512
	// maxProblems bounds how many problems of one input are reported at once.
	maxProblems = 100
	// maxPlaces, maxPlaceBytes bound the places that one note of an answer names, and each of them; its count says
	// how many there are.
	maxPlaces     = 5
	maxPlaceBytes = 200
	// fewNames is up to how many names of one object comparing one by one is quicker than hashing.
	fewNames = 16
	// maxDigits bounds the integer that an exponent form such as 1e300 is written out to.
	maxDigits = 400
	// maxRedirects is how many same-origin redirects a read follows.
	maxRedirects = 5
	// maxEncodings is how many content codings one answer may be wrapped in.
	maxEncodings = 2
	// maxStale is how many dead kept connections are passed over before a new one is made.
	maxStale = 2
	// maxZstdWindow bounds the memory that one zstd answer may ask for (RFC 8878, section 3.1.1.1.2, names 8 MiB).
	maxZstdWindow = 8 << 20

	// minRedacted is the length in bytes from which a key is also looked for inside longer texts. A shorter one
	// would be found in ordinary words; it is redacted where it is the whole text.
	minRedacted = 8

	// defaultTimeout bounds an attempt whose exchange names no timeout.
	defaultTimeout = 30 * time.Second
	// readIdle is how long a connection of reads is kept. The shortest keep-alive of common servers is 5 s (Node).
	readIdle = 4 * time.Second
	// effectIdle is how long a connection of effects is kept: a request that meets a closing connection would
	// end as unknown.
	effectIdle = time.Second
	// idlePerHost, idleTotal bound the kept connections, so that bursts of parallel steps don't dial anew.
	idlePerHost = 64
	idleTotal   = 512
	// maxRetryAfter bounds what Retry-After may ask for; a longer wait is a mistake of the provider.
	maxRetryAfter = 30 * 24 * time.Hour
)
