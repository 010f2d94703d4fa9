package store_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/connections/release"
	"pawl/connections/vault"
	"pawl/internal/fault"
)

const canary = "canary-5c1e"

// project makes a project and gives its id.
func (s stage) project(name string) uuid.UUID {
	s.t.Helper()
	p, err := s.store.CreateProject(s.t.Context(), name, "", "ana")
	if err != nil {
		s.t.Fatal(err)
	}
	return p.ID
}

func (s stage) accounts() connections.Accounts {
	s.t.Helper()
	return connections.Accounts{Store: s.store, Vault: newVault(s.t, newMasterKey(s.t)), Declarations: release.Declared{Store: s.store}}
}

func newMasterKey(t testing.TB) vault.MasterKey {
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

// key opens the key of an account.
func (s stage) key(v *vault.Vault, account uuid.UUID) string {
	s.t.Helper()
	row, sealed, err := s.store.SealedKey(s.t.Context(), account)
	if err != nil {
		s.t.Fatal(err)
	}
	secret, err := v.Open(row, sealed)
	if err != nil {
		s.t.Fatal(err)
	}
	return secret.Expose()
}

func TestAccountRotationKeepsTheID(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	a := s.accounts()
	k := connections.AccountKey{Project: s.project("p1"), Identity: "developer.shop.v1-0-0", Name: "main"}
	first, err := a.Set(t.Context(), k, vault.NewSecret(canary), "ana")
	if err != nil {
		t.Fatal(err)
	}
	row, sealed, err := s.store.SealedKey(t.Context(), first.ID)
	if err != nil {
		t.Fatal(err)
	}
	second, err := a.Set(t.Context(), k, vault.NewSecret(canary+"-2"), "bob")
	if err != nil {
		t.Fatal(err)
	}
	if second.ID != first.ID || second.KeyVersion != 2 || second.Status != connections.Unchecked {
		t.Errorf("after a rotation: %+v, want the id %s and key version 2", second, first.ID)
	}
	if got := s.key(a.Vault, first.ID); got != canary+"-2" {
		t.Error("the rotated account has another key")
	}
	newRow, _, err := s.store.SealedKey(t.Context(), first.ID)
	if err != nil || newRow.ID != row.ID || newRow.Version != 2 {
		t.Errorf("the sealed row is %+v, %v, want version 2 of %s", newRow, err, row.ID)
	}
	if _, err := a.Vault.Open(newRow, sealed); err == nil {
		t.Error("the old bytes open as the new version")
	}
}

func TestRemovedAccountKeepsItsKeyAndGivesAnotherID(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	a := s.accounts()
	k := connections.AccountKey{Project: s.project("p1"), Identity: "developer.shop.v1-0-0", Name: "main"}
	first, err := a.Set(t.Context(), k, vault.NewSecret(canary), "ana")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Remove(t.Context(), k, "ana"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Remove(t.Context(), k, "ana"); !fault.Is(err, fault.NotFound) {
		t.Errorf("removing twice gives %v", err)
	}
	if _, _, err := s.store.SealedKey(t.Context(), first.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("the key of a removed account can be had: %v", err)
	}
	second, err := a.Set(t.Context(), k, vault.NewSecret(canary), "ana")
	if err != nil || second.ID == first.ID {
		t.Errorf("set after a removal gives id %s, %v, want another than %s", second.ID, err, first.ID)
	}
	var kept int
	if err := s.pool.QueryRow(t.Context(), `select count(*) from account a join secret s on s.id = a.secret_id`).Scan(&kept); err != nil || kept != 2 {
		t.Errorf("%d accounts with keys are kept, %v, want 2", kept, err)
	}
}

func TestAccountIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	s.preview("shop", "1.1.0")
	a := s.accounts()
	p := s.project("p1")
	tests := []struct {
		name     string
		key      connections.AccountKey
		secret   string
		wantKind fault.Kind
	}{
		{"preview only", connections.AccountKey{Project: p, Identity: "developer.shop.v1-1-0", Name: "a"}, canary, fault.NotFound},
		{"never pushed", connections.AccountKey{Project: p, Identity: "developer.none.v1-0-0", Name: "a"}, canary, fault.NotFound},
		{"an action", connections.AccountKey{Project: p, Identity: "developer.shop.v1-0-0.list_items", Name: "a"}, canary, fault.InvalidInput},
		{"no identity", connections.AccountKey{Project: p, Identity: "shop", Name: "a"}, canary, fault.InvalidInput},
		{"bad name", connections.AccountKey{Project: p, Identity: "developer.shop.v1-0-0", Name: " a"}, canary, fault.InvalidInput},
		{"no project", connections.AccountKey{Project: uuid.New(), Identity: "developer.shop.v1-0-0", Name: "a"}, canary, fault.NotFound},
		{"line break in the key", connections.AccountKey{Project: p, Identity: "developer.shop.v1-0-0", Name: "a"}, canary + "\n", fault.InvalidInput},
	}
	for _, tt := range tests {
		_, err := a.Set(t.Context(), tt.key, vault.NewSecret(tt.secret), "ana")
		if !fault.Is(err, tt.wantKind) || strings.Contains(fmt.Sprint(err), canary) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.wantKind)
		}
	}
	if list, err := a.List(t.Context(), connections.AccountPage{Project: p, Limit: 10}); err != nil || len(list) != 0 {
		t.Errorf("refused accounts were made: %v, %v", list, err)
	}
}

// TestAccountForAWithdrawnVersion: the version has been in production, so its key may be set before it is restored.
func TestAccountForAWithdrawnVersion(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	s.release("shop", "1.1.0")
	k := connections.AccountKey{Project: s.project("p1"), Identity: "developer.shop.v1-0-0", Name: "main"}
	if _, err := s.accounts().Set(t.Context(), k, vault.NewSecret(canary), "ana"); err != nil {
		t.Error(err)
	}
}

func TestAccountsAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	a := s.accounts()
	k := connections.AccountKey{Project: s.project("p1"), Identity: "developer.shop.v1-0-0", Name: "main"}
	ids := make([]uuid.UUID, 12)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			account, err := a.Set(context.WithoutCancel(t.Context()), k, vault.NewSecret(fmt.Sprintf("%s-%d", canary, i)), "ana")
			if err != nil {
				t.Error(err)
			}
			ids[i] = account.ID
		})
	}
	wg.Wait()
	if len(slices.Compact(ids)) != 1 {
		t.Errorf("one name has several accounts: %v", ids)
	}
	list, err := a.List(t.Context(), connections.AccountPage{Project: k.Project, Limit: 10})
	if err != nil || len(list) != 1 || list[0].KeyVersion != 12 {
		t.Errorf("accounts %+v, %v, want one with key version 12", list, err)
	}
	if !strings.HasPrefix(s.key(a.Vault, ids[0]), canary) {
		t.Error("the key that won does not open")
	}
}

func TestAccountsArePaged(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	a := s.accounts()
	p := s.project("p1")
	for i := range 7 {
		k := connections.AccountKey{Project: p, Identity: "developer.shop.v1-0-0", Name: fmt.Sprintf("a%d", i)}
		if _, err := a.Set(t.Context(), k, vault.NewSecret(canary), "ana"); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	page := connections.AccountPage{Project: p, Limit: 3}
	for {
		list, err := a.List(t.Context(), page)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			break
		}
		for _, account := range list {
			got = append(got, account.Name)
		}
		last := list[len(list)-1]
		page.After = &connections.AccountKey{Identity: last.Identity, Name: last.Name}
	}
	if want := []string{"a0", "a1", "a2", "a3", "a4", "a5", "a6"}; !slices.Equal(got, want) {
		t.Errorf("pages give %v, want %v", got, want)
	}
	if list, err := a.List(t.Context(), connections.AccountPage{Project: s.project("p2"), Limit: 10}); err != nil || len(list) != 0 {
		t.Errorf("another project sees %v, %v", list, err)
	}
}

func TestResealKeepsEverySecret(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	a := s.accounts()
	k1 := newMasterKey(t)
	a.Vault = newVault(t, k1)
	p := s.project("p1")
	var ids []uuid.UUID
	for i := range 5 {
		account, err := a.Set(t.Context(), connections.AccountKey{Project: p, Identity: "developer.shop.v1-0-0", Name: fmt.Sprint("a", i)}, vault.NewSecret(fmt.Sprint(canary, i)), "ana")
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, account.ID)
	}
	k2, id, err := k1.Add()
	if err != nil {
		t.Fatal(err)
	}
	if k2, err = k2.MakePrimary(id); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{5, 0} {
		n, err := s.store.ResealSecrets(t.Context(), newVault(t, k2), "ana")
		if err != nil || n != want {
			t.Errorf("resealed %d, %v, want %d", n, err, want)
		}
	}
	k3, err := k2.Drop(k1.Keys()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		if got := s.key(newVault(t, k3), id); got != fmt.Sprint(canary, i) {
			t.Errorf("account %d has another key after the rotation of the master key", i)
		}
	}
}

// TestSecretIsInNoRow looks for a key in every row of every table that setting, rotating and removing it touch.
func TestSecretIsInNoRow(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	a := s.accounts()
	k := connections.AccountKey{Project: s.project("p1"), Identity: "developer.shop.v1-0-0", Name: "main"}
	for range 2 {
		if _, err := a.Set(t.Context(), k, vault.NewSecret(canary), "ana"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Remove(t.Context(), k, "ana"); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"account", "secret", "audit"} {
		var text string
		if err := s.pool.QueryRow(t.Context(), `select coalesce(string_agg(t::text, ' '), '') from `+table+` t`).Scan(&text); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text, canary) || strings.Contains(text, fmt.Sprintf("%x", canary)) {
			t.Errorf("table %s shows the key", table)
		}
	}
	var sealed []byte
	if err := s.pool.QueryRow(t.Context(), `select sealed from secret`).Scan(&sealed); err != nil || bytes.Contains(sealed, []byte(canary)) {
		t.Errorf("the sealed bytes show the key (%v)", err)
	}
}
