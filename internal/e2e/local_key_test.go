package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pawl/connections/vault"
	"pawl/internal/e2e/process"
)

// pawl-local seals with the master key of the settings where there is one, and makes none of its own then.
func TestLocalTakesTheMasterKeyOfTheSettings(t *testing.T) {
	t.Parallel()
	bin := process.Build(t, "cmd/pawl-local", "PAWL_LOCAL_BIN")
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755)) // PostgreSQL runs as another user when the test is root
	must(t, os.Chmod(dir, 0o755))

	wrong := exec.Command(bin, "--data", dir, "--listen", process.FreeAddress(t))
	wrong.Env = append(wrong.Environ(), "PAWL_MASTER_KEY=x")
	if out, err := wrong.CombinedOutput(); err == nil || !strings.Contains(string(out), "master key") {
		t.Errorf("a key that is none: %v %s", err, out)
	}

	key, err := vault.NewMasterKey()
	must(t, err)
	p := process.Start(t, []string{"PAWL_MASTER_KEY=" + key.Text()}, bin, "--data", dir, "--listen", process.FreeAddress(t))
	p.WaitFor(t, "Pawl is ready")
	if _, err := os.Stat(filepath.Join(dir, vault.LocalKeyName)); !os.IsNotExist(err) {
		t.Errorf("a key of its own is there as well: %v", err)
	}
}
