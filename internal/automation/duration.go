package automation

import (
	"regexp"
	"strconv"
	"time"

	"pawl/internal/fault"
)

// Duration is a length of time as documents write it: "30s", "1h30m", "7d". It keeps its text.
type Duration string

var durationText = regexp.MustCompile(`^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$`)

// ParseDuration reads whole numbers with the units d (24 hours), h, m, s and ms, each at most once and in this order,
// without spaces, signs or fractions; at most MaxDuration.
func ParseDuration(s string) (time.Duration, error) {
	m := durationText.FindStringSubmatch(s)
	if s == "" || m == nil {
		return 0, fault.New(fault.InvalidInput, "duration", "%q is not a duration: write whole numbers with d, h, m, s or ms, for instance 30s, 1h30m or 7d.", clip(s))
	}
	var total time.Duration
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second, time.Millisecond} {
		n, _ := strconv.ParseInt("0"+m[i+1], 10, 64) // at most nine digits
		if n > int64(MaxDuration/unit) {
			return 0, tooLong(s)
		}
		total += time.Duration(n) * unit
	}
	if total > MaxDuration {
		return 0, tooLong(s)
	}
	return total, nil
}

func tooLong(s string) error {
	return fault.New(fault.InvalidInput, "duration", "%q is longer than ten years (3650d).", clip(s))
}

// Value is the length; zero for an absent one. Reading a document has made sure that it can be read.
func (d Duration) Value() time.Duration {
	v, err := ParseDuration(string(d))
	if err != nil {
		return 0
	}
	return v
}

// The defaults of a retry's policy.
const (
	defaultInitial = time.Second
	defaultMax     = 10 * time.Minute
	defaultFactor  = 2
)

// Delays gives the policy's delays with every default filled in: the first, the greatest, the factor from one to the
// next, and whether chance spreads them.
func (p *Policy) Delays() (initial, most time.Duration, factor float64, jitter bool) {
	initial, most, factor, jitter = p.Initial.Value(), p.Max.Value(), p.Factor, p.Jitter == nil || *p.Jitter
	if p.Initial == "" {
		initial = defaultInitial
	}
	if p.Max == "" {
		most = max(defaultMax, initial)
	}
	if factor == 0 {
		factor = defaultFactor
	}
	return initial, most, factor, jitter
}
