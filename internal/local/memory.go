package local

import "runtime/debug"

const (
	// gcPercent lets the heap grow further before a collection: the embedded Temporal allocates much and keeps little
	// (measured: a fifth more runs a second).
	gcPercent = 400
	// memoryLimit is where the collector works harder instead, in bytes: under load a heap of 200 to 300 MB would grow to five
	// times that.
	memoryLimit = 1 << 30
)

// SetMemory tunes the collector for a process that embeds Temporal. GOGC and GOMEMLIMIT of the environment, which lookup
// reads, count more.
func SetMemory(lookup func(string) (string, bool)) {
	if _, given := lookup("GOGC"); !given {
		debug.SetGCPercent(gcPercent)
	}
	if _, given := lookup("GOMEMLIMIT"); !given {
		debug.SetMemoryLimit(memoryLimit)
	}
}
