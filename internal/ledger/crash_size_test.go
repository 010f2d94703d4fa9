//go:build !chaos

package ledger_test

// crashRuns is how many runs the crash test has in the ordinary suite; make chaos runs the whole of it.
const crashRuns = 60
