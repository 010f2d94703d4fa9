package vault_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pawl/connections/vault"
	"pawl/internal/fault"
)

func TestLoadMasterKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := newKey(t)
	file := func(name string, mode os.FileMode, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(p, mode); err != nil {
			t.Fatal(err)
		}
		return "file:" + p
	}
	tests := []struct {
		name    string
		setting string
		want    bool
	}{
		{"text", k.Text(), true},
		{"private file", file("a", 0o600, k.Text()+"\n"), true},
		{"read-only file", file("b", 0o400, k.Text()), true},
		{"group may read", file("c", 0o640, k.Text()), false},
		{"world may read", file("d", 0o604, k.Text()), false},
		{"world may write", file("e", 0o602, k.Text()), false},
		{"empty file", file("f", 0o600, ""), false},
		{"folder", "file:" + dir, false},
		{"no such file", "file:" + filepath.Join(dir, "none"), false},
		{"nothing", "", false},
	}
	for _, tt := range tests {
		got, err := vault.LoadMasterKey(tt.setting)
		if (err == nil) != tt.want {
			t.Errorf("%s: error %v, want loaded %v", tt.name, err, tt.want)
		}
		if err == nil && got.Text() != k.Text() {
			t.Errorf("%s: another key", tt.name)
		}
		if err != nil && !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%s: not a fault: %v", tt.name, err)
		}
	}
}

func TestLocalMasterKeyIsMadeOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	keys := make([]string, 8)
	for i := range keys {
		wg.Go(func() {
			k, err := vault.LocalMasterKey(dir)
			if err != nil {
				t.Error(err)
				return
			}
			keys[i] = k.Text()
		})
	}
	wg.Wait()
	for _, k := range keys {
		if k != keys[0] {
			t.Fatal("processes that start at once have different keys")
		}
	}
	info, err := os.Stat(filepath.Join(dir, vault.LocalKeyName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files are left, want 1", len(entries))
	}
}

func TestLocalMasterKeyKeepsADamagedFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, vault.LocalKeyName)
	if err := os.WriteFile(path, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := vault.LocalMasterKey(dir); err == nil {
		t.Error("a damaged key file is accepted")
	}
	if b, _ := os.ReadFile(path); string(b) != "damaged" {
		t.Error("the damaged key file was replaced")
	}
}
