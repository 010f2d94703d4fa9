//go:build chaos

package ledger_test

// crashRuns is how many runs the crash test has under make chaos.
const crashRuns = 600
