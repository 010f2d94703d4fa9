package checks_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// module is what `go list` says of the module that a package comes from.
type module struct {
	Path, Version, Dir string
}

// deps lists the packages below a folder and all that they import, with their modules. A folder that isn't there
// has none.
func deps(t *testing.T, folder string) map[string]module {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, folder)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	cmd := exec.Command("go", "list", "-deps", "-f",
		`{{.ImportPath}} {{with .Module}}{{.Path}} {{.Version}} {{.Dir}}{{end}}`, "./"+folder+"/...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list -deps ./%s/...: %s", folder, exit.Stderr)
		}
		t.Fatalf("go list -deps ./%s/...: %v", folder, err)
	}
	found := map[string]module{}
	for line := range strings.Lines(string(out)) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 4)
		m := module{}
		if len(fields) == 4 {
			m = module{fields[1], fields[2], fields[3]}
		} else if len(fields) > 1 {
			m.Path = fields[1]
		}
		found[fields[0]] = m
	}
	return found
}

// The linter sees direct imports only; these tests see what comes along behind them.

func TestWorkflowsReachNothingThatActs(t *testing.T) {
	t.Parallel()
	may := regexp.MustCompile(`^pawl/(workflows|internal/automation|internal/fault|connections$)`)
	for path := range deps(t, "workflows") {
		if strings.HasPrefix(path, "pawl/") && !may.MatchString(path) {
			t.Errorf("workflows reaches %s", path)
		}
		// google/uuid, behind the SDK, has database/sql/driver: interfaces only.
		if path == "database/sql" || hasAnyPrefix(path, []string{"github.com/jackc/pgx", "cel.dev/"}) {
			t.Errorf("workflows reaches %s", path)
		}
	}
}

func TestProductionBinaryCarriesNoTemporalServer(t *testing.T) {
	t.Parallel()
	for path := range deps(t, "cmd/pawl") {
		if strings.HasPrefix(path, "go.temporal.io/server") {
			t.Errorf("cmd/pawl reaches %s; `go list -deps` shows the way", path)
		}
	}
}

func TestConnectionsAndActionsDoNotMeet(t *testing.T) {
	t.Parallel()
	for folder, other := range map[string]string{"connections": "pawl/actions", "actions": "pawl/connections"} {
		for path := range deps(t, folder) {
			if path == other || strings.HasPrefix(path, other+"/") {
				t.Errorf("%s reaches %s", folder, path)
			}
		}
	}
}

func TestVersionsThatBelongTogether(t *testing.T) {
	t.Parallel()
	text := read(t, "go.mod")
	for path, version := range map[string]string{
		"go.temporal.io/server":        "v1.32.0",
		"go.temporal.io/sdk":           "v1.50.0",
		"go.temporal.io/api":           "v1.63.5",
		"go.opentelemetry.io/otel/log": "v0.20.0",
	} {
		if !regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(path) + ` ` + regexp.QuoteMeta(version) + `( |$)`).MatchString(text) {
			t.Errorf("go.mod: %s is not %s: docs/adr/0003 says why they are pinned together", path, version)
		}
	}
	if strings.Contains(text, "\nreplace ") {
		t.Error("go.mod: a replace hides what is built")
	}
}

func TestNodePackagesArePinned(t *testing.T) {
	t.Parallel()
	exact := regexp.MustCompile(`^\d+\.\d+\.\d+([-+][0-9A-Za-z.-]+)?$`)
	for _, src := range sources(t, func(path string) bool { return filepath.Base(path) == "package.json" || path == "go.mod" }) {
		if src.path == "go.mod" {
			continue
		}
		var manifest struct {
			Dependencies, DevDependencies map[string]string
		}
		if err := json.Unmarshal([]byte(src.text), &manifest); err != nil {
			t.Errorf("%s: %v", src.path, err)
			continue
		}
		for _, group := range []map[string]string{manifest.Dependencies, manifest.DevDependencies} {
			for name, version := range group {
				if !exact.MatchString(version) {
					t.Errorf("%s: %s is %q: pin one version", src.path, name, version)
				}
			}
		}
		if _, err := os.Stat(filepath.Join(root, filepath.Dir(src.path), "package-lock.json")); err != nil {
			t.Errorf("%s has no package-lock.json beside it", src.path)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
