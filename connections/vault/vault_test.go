package vault_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"pawl/connections/vault"
	"pawl/internal/fault"
)

func newKey(t testing.TB) vault.MasterKey {
	t.Helper()
	k, err := vault.NewMasterKey()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func newVault(t testing.TB, k vault.MasterKey) *vault.Vault {
	t.Helper()
	v, err := vault.New(k)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func seal(t testing.TB, v *vault.Vault, row vault.Row, text string) []byte {
	t.Helper()
	b, err := v.Seal(row, vault.NewSecret(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSealedOpensInItsRowOnly(t *testing.T) {
	t.Parallel()
	v := newVault(t, newKey(t))
	row := vault.Row{ID: uuid.New(), Version: 3}
	sealed := seal(t, v, row, canary)
	tests := []struct {
		name  string
		vault *vault.Vault
		row   vault.Row
		want  bool
	}{
		{"its row", v, row, true},
		{"another row", v, vault.Row{ID: uuid.New(), Version: 3}, false},
		{"an older version", v, vault.Row{ID: row.ID, Version: 2}, false},
		{"a newer version", v, vault.Row{ID: row.ID, Version: 4}, false},
		{"another master key", newVault(t, newKey(t)), row, false},
	}
	for _, tt := range tests {
		s, err := tt.vault.Open(tt.row, sealed)
		if (err == nil) != tt.want {
			t.Errorf("%s: error %v, want opened %v", tt.name, err, tt.want)
		}
		if tt.want && s.Expose() != canary {
			t.Errorf("%s: got another text", tt.name)
		}
		if err != nil && (!fault.Is(err, fault.Internal) || strings.Contains(err.Error(), canary)) {
			t.Errorf("%s: error %v", tt.name, err)
		}
	}
}

func TestEveryChangedByteIsSeen(t *testing.T) {
	t.Parallel()
	v := newVault(t, newKey(t))
	row := vault.Row{ID: uuid.New(), Version: 1}
	sealed := seal(t, v, row, canary)
	for i := range sealed {
		for _, bit := range []byte{1, 0x80} {
			b := bytes.Clone(sealed)
			b[i] ^= bit
			if _, err := v.Open(row, b); err == nil {
				t.Errorf("byte %d changed by %#x still opens", i, bit)
			}
		}
		if _, err := v.Open(row, sealed[:i]); err == nil {
			t.Errorf("cut to %d bytes still opens", i)
		}
	}
	if _, err := v.Open(row, append(bytes.Clone(sealed), 0)); err == nil {
		t.Error("one byte more still opens")
	}
}

func TestSealHidesAndVaries(t *testing.T) {
	t.Parallel()
	v := newVault(t, newKey(t))
	row := vault.Row{ID: uuid.New(), Version: 1}
	a, b := seal(t, v, row, canary), seal(t, v, row, canary)
	if bytes.Equal(a, b) {
		t.Error("sealing twice gives the same bytes")
	}
	if bytes.Contains(a, []byte(canary)) {
		t.Error("the sealed bytes show the secret")
	}
	_, err := v.Seal(row, vault.NewSecret(strings.Repeat("x", vault.MaxSecret+1)))
	if !fault.Is(err, fault.TooLarge) {
		t.Errorf("a secret over the limit gives %v", err)
	}
}

func TestRotationOfTheMasterKey(t *testing.T) {
	t.Parallel()
	row := vault.Row{ID: uuid.New(), Version: 1}
	k1 := newKey(t)
	v1 := newVault(t, k1)
	old := seal(t, v1, row, canary)

	k2, id, err := k1.Add()
	if err != nil {
		t.Fatal(err)
	}
	v2 := newVault(t, k2)
	if b := seal(t, v2, row, canary); !v1.Current(b) || !v2.Current(old) {
		t.Error("a key that was only added seals already")
	}

	k3, err := k2.MakePrimary(id)
	if err != nil {
		t.Fatal(err)
	}
	v3 := newVault(t, k3)
	if v3.Current(old) {
		t.Error("bytes of the old key count as current")
	}
	fresh, err := v3.Reseal(row, old)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := v2.Open(row, fresh); err != nil || s.Expose() != canary || !v3.Current(fresh) {
		t.Errorf("resealed bytes: %v, current %v", err, v3.Current(fresh))
	}

	k4, err := k3.Drop(k1.Keys()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	v4 := newVault(t, k4)
	if _, err := v4.Open(row, old); err == nil {
		t.Error("bytes of a dropped key still open")
	}
	if s, err := v4.Open(row, fresh); err != nil || s.Expose() != canary {
		t.Errorf("resealed bytes don't open after the old key was dropped: %v", err)
	}
	if _, err := k4.Drop(id); err == nil {
		t.Error("the primary key can be dropped")
	}
}

func TestParseMasterKeyQuotesNothing(t *testing.T) {
	t.Parallel()
	good := newKey(t).Text()
	if k, err := vault.ParseMasterKey("\n " + good + " \n"); err != nil || k.Text() != good {
		t.Errorf("the text does not parse back: %v", err)
	}
	tests := []struct{ name, text string }{
		{"empty", ""},
		{"no base64", "?? " + canary},
		{"base64 of something else", "Y2FuYXJ5LTdmM2E="},
		{"cut", good[:len(good)/2/4*4]},
		{"long", strings.Repeat("A", 1<<20)},
	}
	for _, tt := range tests {
		_, err := vault.ParseMasterKey(tt.text)
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.InvalidInput || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: error %v", tt.name, err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	v := newVault(b, newKey(b))
	row := vault.Row{ID: uuid.New(), Version: 1}
	sealed := seal(b, v, row, canary)
	for b.Loop() {
		if _, err := v.Open(row, sealed); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSeal(b *testing.B) {
	v := newVault(b, newKey(b))
	row := vault.Row{ID: uuid.New(), Version: 1}
	for b.Loop() {
		seal(b, v, row, canary)
	}
}
