package jsbox

import "time"

// What the seed genisys-plugin@1 fixes for a call.
const (
	// MaxTime is how long a call may take, waiting for its requests included.
	MaxTime = 10 * time.Second
	// MaxOutputBytes is the largest output: 100 KB, which everywhere in Pawl means 100,000 bytes of UTF-8 JSON.
	MaxOutputBytes = 100_000
	// MaxLogLines is how many lines one call logs; what comes after them is counted, and the last line says so.
	MaxLogLines = 200
)

// What the seed leaves open.
const (
	// MaxMemoryBytes is what the values of one call may take: 48 MiB, four hundred times the largest output.
	MaxMemoryBytes = 48 << 20
	// MaxLogUnits bounds one line, in UTF-16 units as JavaScript counts; a stack trace fits.
	MaxLogUnits = 2_000
	// MaxFetches is how many requests one call sends: five a second.
	MaxFetches = 50
	// MaxFetchBodyBytes bounds the body of one request: 1 MB. It crosses the border as JSON.
	MaxFetchBodyBytes = 1_000_000
	// MaxFetchTextBytes bounds the text of one answer: 4 MiB, of which JavaScript needs up to six times as memory while
	// it reads it.
	MaxFetchTextBytes = 4 << 20
	// MaxDepth is how deep inputs and outputs nest, in lists and objects, as in every JSON document of Pawl.
	MaxDepth = 200
	// MaxCodeBytes is the largest module, as genisys-plugin@1 has it.
	MaxCodeBytes = 1 << 20
	// MaxInputBytes is the largest input: 1 MiB of JSON, what a step may be given.
	MaxInputBytes = 1 << 20
	// DefaultConcurrency is how many calls run at once where the configuration says nothing: at most 1 GiB of memory.
	// Most of them wait for an answer; those that compute share the cores.
	DefaultConcurrency = 16
	// DefaultModules is how many loaded modules are kept for their next call; each takes 0.1 to 1 MiB.
	DefaultModules = 128
)

const (
	// memoryPages bounds the memory of one instance, in pages of 64 KiB: 64 MiB, so that MaxMemoryBytes is reached first.
	memoryPages = 1024
	// stackBytes bounds the stack of JavaScript calls; a deeper recursion is a RangeError that a module can catch.
	stackBytes = 256 << 10
	// grace is how long after its time a call may still say where it was; then it is cut off.
	grace = 50 * time.Millisecond
	// maxReplyBytes bounds what the harness says at once: an output, and all lines of the log with every unit escaped.
	maxReplyBytes = 4 << 20
	// maxMessageBytes bounds the text of a fault that a module had a say in.
	maxMessageBytes = 2_000
	// maxSpecifierBytes bounds the name of a module in a message.
	maxSpecifierBytes = 200
	// maxUnhandled is how many rejected promises that nobody awaits a call reports in its log.
	maxUnhandled = 20
	// maxRandomBytes bounds what the page's crypto asks for at once (Web Cryptography, getRandomValues).
	maxRandomBytes = 65_536
	// pooledBytes is the capacity of memories that are kept for the next instance. Few calls need more, and those give
	// theirs back to the runtime.
	pooledBytes = 4 << 20
)
