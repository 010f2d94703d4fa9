package auth_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"pawl/internal/auth"
	"pawl/internal/fault"
)

func TestKeysAreRandomAndKnownByTheirHash(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, kind := range []auth.KeyKind{auth.TestKey, auth.LiveKey, auth.ResearchKey} {
		k, text, err := auth.NewKey(kind, uuid.New(), nil, "ci", nil)
		if err != nil {
			t.Fatal(err)
		}
		hash, ok := auth.HashKey(text)
		again, _ := auth.HashKey(text)
		if !ok || len(hash) != 32 || !bytes.Equal(hash, again) || seen[text] {
			t.Errorf("%s: the hash of %q is %x, %t", kind, text, hash, ok)
		}
		seen[text] = true
		if !strings.HasPrefix(text, k.Prefix) || len(text)-len(k.Prefix) < 32 {
			t.Errorf("%s: the prefix %q gives too much of the key away", kind, k.Prefix)
		}
	}
	if _, _, err := auth.NewKey("root", uuid.New(), nil, "", nil); err == nil {
		t.Error("an unknown kind makes a key")
	}
}

func TestExpiryIsAheadOfNow(t *testing.T) {
	t.Parallel()
	now := time.Now()
	tests := []struct {
		name    string
		expires time.Time
		want    string // pointer of the fault
	}{
		{name: "tomorrow", expires: now.Add(24 * time.Hour)},
		{name: "far away", expires: now.AddDate(1000, 0, 0)},
		{name: "now", expires: now, want: "/expires_at"},
		{name: "yesterday, elsewhere", expires: now.Add(-time.Hour).In(time.FixedZone("", 14*3600)), want: "/expires_at"},
		{name: "no year", expires: time.Time{}, want: "/expires_at"},
	}
	for _, tt := range tests {
		got := ""
		if _, _, err := auth.NewKey(auth.LiveKey, uuid.New(), nil, "ci", &tt.expires); err != nil {
			got = fault.From(err).Where.Pointer
		}
		if got != tt.want {
			t.Errorf("%s: the fault points at %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWhatIsNoKeyIsNotLookedUp(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "pawl_live_", "pawl_live_" + strings.Repeat("a", 42), "pawl_root_" + strings.Repeat("a", 43), "pawl_live_" + strings.Repeat("a", 42) + "\x00", " pawl_live_" + strings.Repeat("a", 43), strings.Repeat("a", 1<<16)} {
		if _, ok := auth.HashKey(text); ok {
			t.Errorf("%.60q counts as a key", text)
		}
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	p, err := auth.NewPasswords()
	if err != nil {
		t.Fatal(err)
	}
	hash, err := p.Hash(t.Context(), "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$") {
		t.Errorf("the hash is %q", hash)
	}
	tests := []struct {
		name, password, hash string
		want                 bool
	}{
		{name: "right", password: "correct horse battery", hash: hash, want: true},
		{name: "wrong", password: "correct horse batterz", hash: hash, want: false},
		{name: "empty", password: "", hash: hash, want: false},
		{name: "nobody", password: "correct horse battery", hash: "", want: false},
		{name: "nobody, empty", password: "", hash: "", want: false},
		{name: "far too long", password: strings.Repeat("a", 1<<20), hash: hash, want: false},
	}
	for _, tt := range tests {
		got, err := p.Matches(t.Context(), tt.password, tt.hash)
		if err != nil || got != tt.want {
			t.Errorf("%s: got %t %v, want %t", tt.name, got, err, tt.want)
		}
	}
	for _, bad := range []string{"", "elevenchars", strings.Repeat("a", auth.MaxPassword+1)} {
		if _, err := p.Hash(t.Context(), bad); err == nil {
			t.Errorf("%.20q is taken as a password", bad)
		}
	}
}

func TestLinksKeepTheTokenFromServers(t *testing.T) {
	t.Parallel()
	path, token, _ := strings.Cut(auth.LinkPath("secret"), "#")
	if path != "/sign-in" || !strings.Contains(token, "secret") {
		t.Errorf("the link is %q", auth.LinkPath("secret"))
	}
}
