package main

import "time"

const (
	// tailBytes is how much of what a failed part printed is shown: a few screens.
	tailBytes = 20_000
	// hang is how much longer than its time a test may take before it counts as hanging: its last round has to end, and
	// the runs that are under way.
	hang = 10 * time.Minute
)
