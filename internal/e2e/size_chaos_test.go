//go:build chaos

package e2e_test

// The sizes of make chaos.
const (
	loopItems    = 20_000
	withdrawals  = 30
	processRuns  = 200
	processKills = 12
)
