package automation_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pawl/internal/automation"
)

func TestPath(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		loops []automation.LoopIndex
		step  string
		want  string
	}{
		{"top", nil, "a", "a"},
		{"loop", []automation.LoopIndex{{ID: "each", Index: 3}}, "ticket", "each.3.ticket"},
		{"loops", []automation.LoopIndex{{ID: "e", Index: 0}, {ID: "f", Index: 20000}}, "a", "e.0.f.20000.a"},
		{"round", []automation.LoopIndex{{ID: "e", Index: 1}, {ID: "again", Round: 2}}, "a", "e.1.again~2.a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := automation.Path(test.loops, test.step)
			if got != test.want {
				t.Errorf("got %s; want %s", got, test.want)
			}
			loops, step, err := automation.ParsePath(got)
			if d := cmp.Diff(test.loops, loops); d != "" || step != test.step || err != nil {
				t.Errorf("read back: %v, %s, %v", loops, step, err)
			}
		})
	}
}

func TestParsePathRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", ".", "a.", ".a", "a.b", "a.1", "a.1.", "a.-1.b", "a.01.b", "a.+1.b", "a.1.2.b", "A", "a~1.b", "a~02.b", "a~2", "a..b", "a.1.b ", "a.1.b/c", "a.99999999999999999999.b"} {
		if loops, step, err := automation.ParsePath(s); err == nil {
			t.Errorf("%q gave %v, %s", s, loops, step)
		}
	}
}

func TestPathRoundTrip(t *testing.T) {
	t.Parallel()
	id := rapid.StringMatching(`[a-z][a-z0-9_]{0,39}`)
	segment := rapid.Custom(func(t *rapid.T) automation.LoopIndex {
		if rapid.Bool().Draw(t, "round") {
			return automation.LoopIndex{ID: id.Draw(t, "id"), Round: rapid.IntRange(2, 100).Draw(t, "n")}
		}
		return automation.LoopIndex{ID: id.Draw(t, "id"), Index: rapid.IntRange(0, 100_000).Draw(t, "n")}
	})
	rapid.Check(t, func(t *rapid.T) {
		loops, step := rapid.SliceOfN(segment, 1, 20).Draw(t, "loops"), id.Draw(t, "step")
		back, last, err := automation.ParsePath(automation.Path(loops, step))
		if d := cmp.Diff(loops, back); d != "" || last != step || err != nil {
			t.Fatalf("%s %s %v", d, last, err)
		}
	})
}

func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"a", "each.3.ticket", "a~2.b.0.c", "a.1", "..", "a.00.b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if loops, step, err := automation.ParsePath(s); err == nil && automation.Path(loops, step) != s {
			t.Errorf("%q became %q", s, automation.Path(loops, step))
		}
	})
}

func TestParseDuration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want time.Duration
	}{
		{"0s", 0},
		{"1s", time.Second},
		{"10m", 10 * time.Minute},
		{"48h", 48 * time.Hour},
		{"7d", 7 * 24 * time.Hour},
		{"1h30m", 90 * time.Minute},
		{"1d2h3m4s5ms", 26*time.Hour + 3*time.Minute + 4*time.Second + 5*time.Millisecond},
		{"250ms", 250 * time.Millisecond},
		{"3650d", automation.MaxDuration},
	} {
		if got, err := automation.ParseDuration(test.text); err != nil || got != test.want || automation.Duration(test.text).Value() != test.want {
			t.Errorf("%s: got %v, %v", test.text, got, err)
		}
	}
	for _, text := range []string{"", "1", "s", "-1s", "+1s", "1.5s", "1 s", "1s1m", "1m1m", "3651d", "3650d1ms", "999999999d", "1w", "1S", "1s ", "9999999999s", "1ms1s", "١s"} {
		if got, err := automation.ParseDuration(text); err == nil {
			t.Errorf("%q gave %v", text, got)
		}
	}
}

func TestPolicyDelays(t *testing.T) {
	t.Parallel()
	initial, most, factor, jitter := (&automation.Policy{MaxAttempts: 3}).Delays()
	if initial != time.Second || most != 10*time.Minute || factor != 2 || !jitter {
		t.Errorf("defaults: %v, %v, %v, %v", initial, most, factor, jitter)
	}
	off := false
	initial, most, factor, jitter = (&automation.Policy{MaxAttempts: 3, Initial: "1h", Factor: 1.5, Jitter: &off}).Delays()
	if initial != time.Hour || most != time.Hour || factor != 1.5 || jitter {
		t.Errorf("with a long first delay: %v, %v, %v, %v", initial, most, factor, jitter)
	}
}
