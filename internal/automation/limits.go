package automation

import "time"

// The bounds of one document. They are part of the documentation (docs/formats/pawl-automation.md).
const (
	// MaxBytes is the largest document, in bytes of its text: 2,000 steps with inputs of 500 bytes.
	MaxBytes = 1 << 20
	// MaxDepth is how deep steps nest; a step at the top has depth 1.
	MaxDepth = 20
	// MaxSteps is how many steps a document has, all levels together.
	MaxSteps = 2_000
	// MaxBranches is how many cases a branch and how many branches a parallel may have.
	MaxBranches = 50
	// MaxTriggers is how many triggers a document has.
	MaxTriggers = 50
	// MaxConcurrency is how many iterations of an each run side by side.
	MaxConcurrency = 100
	// MaxAttempts is how many attempts a retry makes.
	MaxAttempts = 100
	// MaxFactor is by how much a retry's delay may grow from one attempt to the next.
	MaxFactor = 100
	// MaxItems is how many items an each takes unless it says otherwise, and the most that it may say.
	MaxItems = 100_000
	// MaxName is the longest readable name, in code points.
	MaxName = 200
	// MaxNote is the longest note, in code points.
	MaxNote = 10_000
	// MaxDuration is the longest wait, timeout or delay: ten years.
	MaxDuration = 3650 * 24 * time.Hour
	// jsonDepth is how deep the JSON text nests: four levels for each level of steps, and 100 for what a step holds.
	jsonDepth = 4*MaxDepth + 100
	// jsonValues is how many values the JSON text holds: far above what MaxBytes of sensible text has.
	jsonValues = 200_000
)
