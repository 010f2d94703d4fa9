//go:build chaos

package e2e_test

import (
	"os"
	"testing"
	"time"
)

// The sizes of make chaos.
const (
	withdrawals  = 5
	processRuns  = 200
	processKills = 12
	whole        = true
)

// chaosTime is how long a disturbance is repeated: PAWL_CHAOS, which make chaos sets to CHAOSTIME.
func chaosTime(t *testing.T) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(os.Getenv("PAWL_CHAOS"))
	must(t, err)
	return d
}
