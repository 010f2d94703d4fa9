package checks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// eachMatch reports every line of the tree's texts that a pattern matches.
func eachMatch(t *testing.T, pattern, why string) {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for _, src := range sources(t, isText) {
		if strings.HasPrefix(src.path, "internal/checks/") {
			continue // the patterns themselves
		}
		for i, line := range strings.Split(src.text, "\n") {
			if hit := re.FindString(line); hit != "" {
				t.Errorf("%s:%d: %q: %s", src.path, i+1, hit, why)
			}
		}
	}
}

func TestNothingIsLeftForLater(t *testing.T) {
	t.Parallel()
	eachMatch(t, `\b(TODO|FIXME|XXX|HACK)\b|(?i)\b(coming soon|not (yet )?implemented|lorem ipsum)\b`,
		"finish it, or say in an issue what is missing")
}

func TestNoMachinePaths(t *testing.T) {
	t.Parallel()
	// /home/linuxbrew is the fixed prefix of Homebrew on Linux, where programs look for binaries.
	eachMatch(t, "(^|[\\s\"'`=(:,\\[])(/work|/root|/home/[a-km-z][a-z]*|/Users/[A-Za-z]+)(/|$|[\"'`\\s])",
		"the path of one machine; take it from the environment")
}

func TestNoRegistryAddresses(t *testing.T) {
	t.Parallel()
	eachMatch(t, `(?i)\b(proxy\.golang\.org|sum\.golang\.org|registry\.npmjs\.org|deb\.debian\.org|pypi\.org|files\.pythonhosted\.org)\b`,
		"clients know their registry; npm: omit-lockfile-registry-resolved=true in ui/.npmrc")
}

func TestLinksOfDocumentsLead(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, src := range sources(t, withExt(".md")) {
		for _, match := range link.FindAllStringSubmatch(withoutCode(src.text), -1) {
			target, _, _ := strings.Cut(match[1], "#")
			if target == "" || strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(src.path), target)); err != nil {
				t.Errorf("%s links to %s, which is not there", src.path, match[1])
			}
		}
	}
}

// withoutCode removes fenced blocks and code spans: what stands there is no link.
func withoutCode(markdown string) string {
	fenced := regexp.MustCompile("(?s)```.*?```")
	span := regexp.MustCompile("`[^`\n]*`")
	return span.ReplaceAllString(fenced.ReplaceAllString(markdown, ""), "")
}

func TestDecisionsAreNumberedAndSayTheirState(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^docs/adr/(\d{4})-[a-z0-9-]+\.md$`)
	state := regexp.MustCompile(`(?m)^Status: (proposed|accepted|superseded by \d{4})`)
	next := 0
	for _, src := range sources(t, func(path string) bool { return strings.HasPrefix(path, "docs/adr/") }) {
		match := name.FindStringSubmatch(src.path)
		if match == nil {
			t.Errorf("%s: the name wants to be NNNN-title.md", src.path)
			continue
		}
		if want := fmt.Sprintf("%04d", next); match[1] != want {
			t.Errorf("%s: the next number is %s", src.path, want)
		}
		next++
		if !state.MatchString(src.text) {
			t.Errorf("%s: no line \"Status: proposed | accepted | superseded by NNNN\"", src.path)
		}
	}
}
