package auth

import (
	"container/list"
	"crypto/sha256"
	"math"
	"net/netip"
	"strings"
	"sync"
	"time"

	"pawl/internal/fault"
)

// Throttle bounds how often signing in fails: from one address, and for one e-mail address from anywhere, whether
// somebody has it or not. A try counts when it begins, so that many at once are no way around, and no longer when it has
// succeeded. It counts in this process alone and remembers a bounded number of both. Its methods may be
// called from many goroutines.
type Throttle struct {
	addresses *buckets
	names     *buckets
	now       func() time.Time
}

// NewThrottle makes a throttle that reads the time from now.
func NewThrottle(now func() time.Time) *Throttle {
	return &Throttle{
		addresses: newBuckets(addressBurst, addressPause),
		names:     newBuckets(nameBurst, namePause),
		now:       now,
	}
}

// Try is a try to sign in that counts.
type Try struct {
	in  *buckets
	key [sha256.Size]byte
}

// Succeeded takes the try out of the count.
func (y Try) Succeeded() { y.in.giveBack(y.key) }

// Address counts a try from an address; too many are a rate_limited fault with the detail retry_after, in seconds. The
// addresses of one IPv6 network of 64 bits, which one machine can have, count together.
func (t *Throttle) Address(from netip.Addr) (Try, error) {
	from = from.Unmap().WithZone("")
	if p, err := from.Prefix(ipv6Network); err == nil && from.Is6() {
		from = p.Addr()
	}
	return t.try(t.addresses, from.AsSlice(), "from this address")
}

// Name counts a try for an e-mail address, as Address does.
func (t *Throttle) Name(email string) (Try, error) {
	return t.try(t.names, []byte(foldedEmail(email)), "for this e-mail address")
}

func (t *Throttle) try(in *buckets, of []byte, whose string) (Try, error) {
	y := Try{in, sha256.Sum256(of)}
	if wait := in.take(y.key, t.now()); wait > 0 {
		return Try{}, tooMany(wait, whose)
	}
	return y, nil
}

// foldedEmail is the form by which people are found.
func foldedEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

func tooMany(wait time.Duration, whose string) error {
	seconds := int(math.Ceil(wait.Seconds()))
	return fault.New(fault.RateLimited, "sign_in", "Too many tries to sign in %s have failed. Try again in %d seconds, or use a sign-in link that an admin gives you.", whose, seconds).
		With("retry_after", seconds)
}

// buckets are token buckets by a digest, which takes the same space for every name. The bucket that was not used for
// longest gives way to a new one: it has filled up again by then, unless there are very many others.
type buckets struct {
	burst float64
	pause time.Duration // until there is one token more

	mu     sync.Mutex
	byKey  map[[sha256.Size]byte]*list.Element
	recent *list.List // of *bucket, the last used first
}

// bucket had some tokens at an instant.
type bucket struct {
	key    [sha256.Size]byte
	tokens float64
	at     time.Time
}

func newBuckets(burst int, pause time.Duration) *buckets {
	return &buckets{burst: float64(burst), pause: pause, byKey: make(map[[sha256.Size]byte]*list.Element), recent: list.New()}
}

// take takes a token, or says how long it is until there is one.
func (b *buckets) take(key [sha256.Size]byte, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.find(key, now)
	if gained := now.Sub(k.at).Seconds() / b.pause.Seconds(); gained > 0 {
		k.tokens, k.at = min(b.burst, k.tokens+gained), now
	}
	if k.tokens < 1 {
		return max(1, time.Duration((1-k.tokens)*float64(b.pause)))
	}
	k.tokens--
	return 0
}

// giveBack undoes a take. x/time/rate can't: it would let time that has passed count again.
func (b *buckets) giveBack(key [sha256.Size]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.byKey[key]; e != nil {
		k := e.Value.(*bucket)
		k.tokens = min(b.burst, k.tokens+1)
	}
}

func (b *buckets) find(key [sha256.Size]byte, now time.Time) *bucket {
	if e := b.byKey[key]; e != nil {
		b.recent.MoveToFront(e)
		return e.Value.(*bucket)
	}
	if b.recent.Len() >= maxBuckets {
		last := b.recent.Back()
		delete(b.byKey, b.recent.Remove(last).(*bucket).key)
	}
	made := &bucket{key, b.burst, now}
	b.byKey[key] = b.recent.PushFront(made)
	return made
}
