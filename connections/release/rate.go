package release

import (
	"strconv"
	"time"

	"pawl/internal/canon"
)

// Rate is a limit of what is sent: so many requests in a length of time, so many at once, or both.
type Rate struct {
	// Requests is how many requests may be sent in Per; 0 for any number.
	Requests int
	Per      time.Duration
	// Burst is how many of them may be sent without a pause in between, 1 to Requests; 0 without Requests.
	Burst int
	// Concurrent is how many requests may be under way at once; 0 for any number.
	Concurrent int
}

// rate reads {"requests": 100, "per": "1m", "burst": 20, "concurrent": 4}; nil when it is absent.
func rate(p canon.Place) *Rate {
	if !p.Object("requests", "per", "burst", "concurrent") {
		return nil
	}
	r := &Rate{Requests: whole(p.Member("requests"), 1, MaxRequests), Concurrent: whole(p.Member("concurrent"), 1, MaxConcurrent)}
	requests, per, burst := p.Member("requests"), p.Member("per"), p.Member("burst")
	switch {
	case requests.Present():
		r.Per = length(p.Need("per"), "per", MinPer, MaxPer)
		r.Burst = r.burst(burst)
	case per.Present():
		per.Refuse("rate", "\"per\" is the time for \"requests\"; add \"requests\" or leave it out.")
	case burst.Present():
		burst.Refuse("rate", "\"burst\" is a part of \"requests\"; add \"requests\" and \"per\" or leave it out.")
	case !p.Member("concurrent").Present():
		p.Refuse("rate", "This limits nothing; say \"requests\" and \"per\", or \"concurrent\", or leave it out.")
	}
	return r
}

func (r *Rate) burst(p canon.Place) int {
	if !p.Present() {
		return r.Requests
	}
	return whole(p, 1, max(r.Requests, 1))
}

// whole reads a whole number, 0 when it is absent. Its text has digits only: 1.0 and 1e3 are refused.
func whole(p canon.Place, least, most int) int {
	if !p.Is(canon.Number) {
		return 0
	}
	n, err := strconv.Atoi(p.Value().Text())
	if err != nil || n < least || n > most {
		p.Refuse("number", "%s is not a whole number from %d to %d.", clip(p.Value().Text()), least, most)
		return 0
	}
	return n
}

// clip cuts the text of a number for a message.
func clip(text string) string {
	const most = 30
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
