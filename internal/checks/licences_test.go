package checks_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// licences are sentences that only the text of a permissive licence has.
func licences() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"Apache-2.0": regexp.MustCompile(`Apache License,?\s+Version 2\.0`),
		"MIT":        regexp.MustCompile(`Permission\s+is\s+hereby\s+granted,\s+free\s+of\s+charge,\s+to\s+any\s+person\s+obtaining\s+a\s+copy`),
		"BSD":        regexp.MustCompile(`Redistribution\s+and\s+use\s+in\s+source\s+and\s+binary\s+forms,\s+with\s+or\s+without`),
		"ISC":        regexp.MustCompile(`Permission\s+to\s+use,\s+copy,\s+modify,\s+and(/or)?\s+distribute\s+this\s+software\s+for\s+any`),
	}
}

// knownModules are modules whose own folder has no permissive text, each with the reason why it may stay.
func knownModules() map[string]string {
	return map[string]string{
		"github.com/go-sql-driver/mysql":               "MPL-2.0, unmodified; comes with the Temporal server, so in pawl-local only",
		"github.com/cactus/go-statsd-client/statsd":    "MIT, the text is in the parent module v5",
		"github.com/nexus-rpc/nexus-proto-annotations": "MIT by its repository, the module leaves the text out",
	}
}

func TestLicencesOfModulesArePermissive(t *testing.T) {
	t.Parallel()
	known := knownModules()
	seen := map[string]bool{}
	for _, folder := range []string{"cmd", "activities", "actions", "connections", "workflows", "migrations", "internal/api", "internal/local"} {
		for _, m := range deps(t, folder) {
			if m.Dir == "" || m.Path == "pawl" || seen[m.Path] {
				continue
			}
			seen[m.Path] = true
			if licenceOf(m.Dir) == "" && known[m.Path] == "" {
				t.Errorf("%s %s, below %s: no permissive licence text in its folder", m.Path, m.Version, folder)
			}
		}
	}
}

// licenceOf names the permissive licence whose text lies in a module's folder, or nothing.
func licenceOf(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	name := regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)`)
	for _, entry := range entries {
		if entry.IsDir() || !name.MatchString(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			continue
		}
		for id, sentence := range licences() {
			if sentence.Match(text) {
				return id
			}
		}
	}
	return ""
}

func TestLicencesOfNodePackagesArePermissive(t *testing.T) {
	t.Parallel()
	allowed := regexp.MustCompile(`^\(?(MIT|MIT-0|ISC|0BSD|BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|Unlicense|CC0-1\.0|BlueOak-1\.0\.0|OFL-1\.1|Python-2\.0|Zlib)\b`)
	for _, src := range sources(t, func(path string) bool { return filepath.Base(path) == "package-lock.json" || path == "go.mod" }) {
		if src.path == "go.mod" {
			continue
		}
		var lock struct {
			Packages map[string]struct {
				License json.RawMessage
				Dev     bool
			}
		}
		if err := json.Unmarshal([]byte(src.text), &lock); err != nil {
			t.Errorf("%s: %v", src.path, err)
			continue
		}
		for path, p := range lock.Packages {
			// Tools of the build don't ship.
			if path == "" || p.Dev {
				continue
			}
			if licence := strings.Trim(string(p.License), `"`); !allowed.MatchString(licence) {
				t.Errorf("%s: %s has the licence %q", src.path, path, licence)
			}
		}
	}
}
