//go:build !chaos

package e2e_test

import (
	"testing"
	"time"
)

// The sizes of the ordinary suite; make chaos runs the whole.
const (
	withdrawals  = 2
	processRuns  = 60
	processKills = 4
	whole        = false
)

// chaosTime is how long a disturbance is repeated: in the ordinary suite it happens once.
func chaosTime(*testing.T) time.Duration { return 0 }
