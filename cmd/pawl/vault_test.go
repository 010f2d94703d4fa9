package main_test

import (
	"os"
	"path/filepath"
	"testing"

	"pawl/connections/vault"
)

func TestNewKeyCanBeRead(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "master.key")
	seen := map[string]bool{}
	for range 2 {
		r := run(t, nil, "", "vault", "new-key")
		if r.code != 0 || r.stderr != "" {
			t.Fatalf("new-key: %+v", r)
		}
		if err := os.WriteFile(file, []byte(r.stdout), 0o600); err != nil {
			t.Fatal(err)
		}
		key, err := vault.LoadMasterKey("file:" + file)
		if err != nil {
			t.Fatal(err)
		}
		seen[key.Text()] = true
	}
	if len(seen) != 2 {
		t.Error("two calls gave the same key")
	}
}
