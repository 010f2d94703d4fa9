//go:build !chaos

package e2e_test

// The sizes of the ordinary suite; make chaos runs the whole.
const (
	loopItems    = 20_000
	withdrawals  = 2
	processRuns  = 60
	processKills = 4
)
