package auth

import (
	"container/list"
	"crypto/sha256"
	"math"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"pawl/internal/fault"
)

// Throttle bounds how often sign-ins are tried: from one address, and for one e-mail address from anywhere, whether
// somebody has it or not. It counts in this process alone and remembers a bounded number of both. Its methods may be
// called from many goroutines.
type Throttle struct {
	addresses *buckets
	names     *buckets
	now       func() time.Time
}

// NewThrottle makes a throttle that reads the time from now.
func NewThrottle(now func() time.Time) *Throttle {
	return &Throttle{
		addresses: newBuckets(rate.Every(addressPause), addressBurst),
		names:     newBuckets(rate.Every(namePause), nameBurst),
		now:       now,
	}
}

// Address counts a try from an address; too many are a rate_limited fault with the detail retry_after, in seconds. The
// addresses of one IPv6 network of 64 bits, which one machine can have, count together.
func (t *Throttle) Address(from netip.Addr) error {
	from = from.Unmap().WithZone("")
	if p, err := from.Prefix(ipv6Network); err == nil && from.Is6() {
		from = p.Addr()
	}
	return tooMany(t.addresses.take(sha256.Sum256(from.AsSlice()), t.now()), "from this address")
}

// Name counts a try for an e-mail address, as Address does.
func (t *Throttle) Name(email string) error {
	return tooMany(t.names.take(sha256.Sum256([]byte(foldedEmail(email))), t.now()), "for this e-mail address")
}

// foldedEmail is the form by which people are found.
func foldedEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

func tooMany(wait time.Duration, whose string) error {
	if wait == 0 {
		return nil
	}
	seconds := int(math.Ceil(wait.Seconds()))
	return fault.New(fault.RateLimited, "sign_in", "There were too many tries to sign in %s. Try again in %d seconds, or use a sign-in link that an admin gives you.", whose, seconds).
		With("retry_after", seconds)
}

// buckets are token buckets by a digest, which takes the same space for every name. The bucket that was not used for
// longest gives way to a new one: it has filled up again by then, unless there are very many others.
type buckets struct {
	limit rate.Limit
	burst int

	mu     sync.Mutex
	byKey  map[[sha256.Size]byte]*list.Element
	recent *list.List // of *bucket, the last used first
}

type bucket struct {
	key    [sha256.Size]byte
	tokens *rate.Limiter
}

func newBuckets(limit rate.Limit, burst int) *buckets {
	return &buckets{limit: limit, burst: burst, byKey: make(map[[sha256.Size]byte]*list.Element), recent: list.New()}
}

// take takes a token, or says how long it is until there is one.
func (b *buckets) take(key [sha256.Size]byte, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.find(key).tokens.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

func (b *buckets) find(key [sha256.Size]byte) *bucket {
	if e := b.byKey[key]; e != nil {
		b.recent.MoveToFront(e)
		return e.Value.(*bucket)
	}
	if b.recent.Len() >= maxBuckets {
		last := b.recent.Back()
		delete(b.byKey, b.recent.Remove(last).(*bucket).key)
	}
	made := &bucket{key, rate.NewLimiter(b.limit, b.burst)}
	b.byKey[key] = b.recent.PushFront(made)
	return made
}
