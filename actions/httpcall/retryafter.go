package httpcall

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter is what an answer says about when to try again (RFC 9110, section 10.2.3).
type RetryAfter struct {
	// Given is false where the header is absent or makes no sense: then the usual backoff applies.
	Given bool
	// Delay counts from the answer's arrival; a date that has passed gives 0. At most 30 days.
	Delay time.Duration
}

// parseRetryAfter reads both forms. A date is judged by the server's own clock, its Date header, where there is
// one. A fraction of a second is no valid form, but what it means is plain.
func parseRetryAfter(h http.Header, now time.Time) RetryAfter {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if at, err := http.ParseTime(text); err == nil {
		if date, err := http.ParseTime(h.Get("Date")); err == nil {
			now = date
		}
		return RetryAfter{true, min(max(at.Sub(now), 0), maxRetryAfter)}
	}
	if text == "" || strings.Trim(text, "0123456789.") != "" {
		return RetryAfter{}
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(seconds, 1) {
		return RetryAfter{}
	}
	if seconds >= maxRetryAfter.Seconds() {
		return RetryAfter{true, maxRetryAfter}
	}
	return RetryAfter{true, time.Duration(seconds * float64(time.Second))}
}
