package auth_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"pawl/internal/auth"
	"pawl/internal/fault"
)

// clock is a time that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// wait is what a refusal says of the time until the next try, in seconds; 0 for none.
func wait(err error) int {
	if err == nil {
		return 0
	}
	seconds, _ := fault.From(err).Details["retry_after"].(int)
	return seconds
}

func TestTriesAreBoundedByAddressAndByName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		try      func(*auth.Throttle) (auth.Try, error)
		same     func(*auth.Throttle) (auth.Try, error) // counts with it
		other    func(*auth.Throttle) (auth.Try, error) // does not
		free     int
		nextIn   int // seconds
		thenOnly int // tries after a long pause
	}{
		{
			name: "address", free: 30, nextIn: 2, thenOnly: 30,
			try: func(th *auth.Throttle) (auth.Try, error) { return th.Address(netip.MustParseAddr("203.0.113.7")) },
			same: func(th *auth.Throttle) (auth.Try, error) {
				return th.Address(netip.MustParseAddr("::ffff:203.0.113.7"))
			},
			other: func(th *auth.Throttle) (auth.Try, error) { return th.Address(netip.MustParseAddr("203.0.113.8")) },
		},
		{
			name: "network of IPv6", free: 30, nextIn: 2, thenOnly: 30,
			try: func(th *auth.Throttle) (auth.Try, error) { return th.Address(netip.MustParseAddr("2001:db8:0:1::7")) },
			same: func(th *auth.Throttle) (auth.Try, error) {
				return th.Address(netip.MustParseAddr("2001:db8:0:1:ffff::8%eth0"))
			},
			other: func(th *auth.Throttle) (auth.Try, error) { return th.Address(netip.MustParseAddr("2001:db8:0:2::7")) },
		},
		{
			name: "no address", free: 30, nextIn: 2, thenOnly: 30,
			try:   func(th *auth.Throttle) (auth.Try, error) { return th.Address(netip.Addr{}) },
			same:  func(th *auth.Throttle) (auth.Try, error) { return th.Address(netip.Addr{}) },
			other: func(th *auth.Throttle) (auth.Try, error) { return th.Address(netip.MustParseAddr("0.0.0.0")) },
		},
		{
			name: "e-mail address", free: 10, nextIn: 30, thenOnly: 10,
			try:   func(th *auth.Throttle) (auth.Try, error) { return th.Name("ana@example.org") },
			same:  func(th *auth.Throttle) (auth.Try, error) { return th.Name(" Ana@Example.org ") },
			other: func(th *auth.Throttle) (auth.Try, error) { return th.Name("bea@example.org") },
		},
	}
	for _, tt := range tests {
		c := &clock{time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}
		th := auth.NewThrottle(c.now)
		for i := range tt.free {
			if _, err := tt.try(th); err != nil {
				t.Fatalf("%s: try %d: %v", tt.name, i+1, err)
			}
		}
		if _, err := tt.same(th); !fault.Is(err, fault.RateLimited) || wait(err) != tt.nextIn {
			t.Errorf("%s: the try behind the free ones gives %v, want the next in %d s", tt.name, err, tt.nextIn)
		}
		if _, err := tt.other(th); err != nil {
			t.Errorf("%s: another one gives %v", tt.name, err)
		}
		c.at = c.at.Add(time.Duration(tt.nextIn) * time.Second)
		_, first := tt.try(th)
		if _, second := tt.try(th); first != nil || wait(second) != tt.nextIn {
			t.Errorf("%s: after the pause %v, then %v, want one try", tt.name, first, second)
		}
		c.at = c.at.Add(24 * time.Hour)
		for range tt.thenOnly {
			if _, err := tt.try(th); err != nil {
				t.Fatalf("%s: after a day: %v", tt.name, err)
			}
		}
		if _, err := tt.try(th); err == nil {
			t.Errorf("%s: the free tries add up", tt.name)
		}
	}
}

// TestWhatSucceedsDoesNotCount: neither does it give more tries than there were, nor the time again that it took.
func TestWhatSucceedsDoesNotCount(t *testing.T) {
	t.Parallel()
	c := &clock{time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}
	th := auth.NewThrottle(c.now)
	for range 100 {
		try, err := th.Name("ana@example.org")
		if err != nil {
			t.Fatal(err)
		}
		try.Succeeded()
		try.Succeeded()
	}
	var slow []auth.Try // as many as there are, begun together, which take their time
	for range 10 {
		try, err := th.Name("ana@example.org")
		if err != nil {
			t.Fatal(err)
		}
		slow = append(slow, try)
	}
	if _, err := th.Name("ana@example.org"); err == nil {
		t.Error("tries that have not ended don't count")
	}
	c.at = c.at.Add(30 * time.Second)
	failed := 0
	for _, try := range slow[:5] {
		try.Succeeded()
	}
	for {
		if _, err := th.Name("ana@example.org"); err != nil {
			break
		}
		failed++
	}
	if failed != 6 {
		t.Errorf("after five that succeeded and a pause there are %d tries, want 6", failed)
	}
}

// TestManyNamesTakeNoMoreMemory tries a hundred times as many names as are remembered, each as long as a body allows.
func TestManyNamesTakeNoMoreMemory(t *testing.T) {
	t.Parallel()
	c := &clock{time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}
	th := auth.NewThrottle(c.now)
	long := strings.Repeat("x", 300)
	for range 10 {
		if _, err := th.Name("ana@example.org"); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 9_000 {
		if _, err := th.Name(fmt.Sprint(long, i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := th.Name("ana@example.org"); err == nil {
		t.Error("a name is forgotten although there is place")
	}
	for i := range 200_000 {
		if _, err := th.Name(fmt.Sprint(long, "more", i)); err != nil {
			t.Fatal(err)
		}
	}
	if got := th.Remembered(); got > 10_000 {
		t.Errorf("%d names are remembered", got)
	}
}
