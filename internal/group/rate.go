package group

import (
	"math"
	"sync/atomic"
	"time"
)

// rateWindow is how long arrivals are counted before the rate is taken anew.
const rateWindow = 20 * time.Millisecond

// rate estimates how fast requests arrive.
type rate struct {
	arrived atomic.Int64
	since   atomic.Int64  // start of the window, in nanoseconds of the process's clock
	latest  atomic.Uint64 // requests a second in the window before, as a float's bits
}

// arrive counts a request. The first one after a window ends it.
func (r *rate) arrive() {
	n := r.arrived.Add(1)
	now := time.Now().UnixNano()
	began := r.since.Load()
	took := time.Duration(now - began)
	if took >= rateWindow && r.since.CompareAndSwap(began, now) {
		r.arrived.Add(-n)
		r.latest.Store(math.Float64bits(float64(n) / took.Seconds()))
	}
}

// expected is how many requests arrive in a time at the present rate.
func (r *rate) expected(in time.Duration) int {
	return int(math.Float64frombits(r.latest.Load()) * in.Seconds())
}
