package main_test

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
)

// guide gives the block of a language under the heading "Metrics" of the guide for operators.
func guide(t *testing.T, language string) string {
	t.Helper()
	b, err := os.ReadFile("../../deploy/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(b), "\n### Metrics\n")
	_, block, _ := strings.Cut(section, "```"+language+"\n")
	block, _, found := strings.Cut(block, "```")
	if !found {
		t.Fatalf("the guide has no block %q about metrics", language)
	}
	return block
}

// member gives the value of a member of the guide's YAML.
func member(t *testing.T, yaml, name string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^[ -]*` + name + `: (.+)$`).FindStringSubmatch(yaml)
	if m == nil {
		t.Fatalf("the configuration has no %s:\n%s", name, yaml)
	}
	return m[1]
}

// TestMetricsAsTheGuideSays makes the key of the guide and scrapes as its configuration says.
func TestMetricsAsTheGuideSays(t *testing.T) {
	t.Parallel()
	in := install(t)
	key := ""
	for _, line := range strings.Split(guide(t, "sh"), "\n") {
		if command, ok := strings.CutPrefix(strings.TrimSuffix(line, " |"), "pawl "); ok {
			key = in.must(strings.Fields(command)...)
		}
	}
	yaml := guide(t, "yaml")
	scrape := func(key string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimPrefix(in.env[0], "PAWL_URL=")+member(t, yaml, "metrics_path"), nil)
		if err != nil {
			t.Fatal(err)
		}
		// Prometheus takes the white space around the text of a credentials_file away.
		req.Header.Set("Authorization", member(t, yaml, "type")+" "+strings.TrimSpace(key))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = res.Body.Close() })
		return res
	}
	if res := scrape(key); res.StatusCode != http.StatusOK {
		t.Fatalf("with the key of the guide: %s", res.Status)
	}
	res := scrape(key) // the first one counts now
	families, err := new(expfmt.TextParser).TextToMetricFamilies(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if f := families["pawl_http_request_seconds"]; f == nil || len(f.Metric) == 0 || !strings.Contains(res.Header.Get("Content-Type"), "version=0.0.4") {
		t.Errorf("the scrape has %v", families)
	}
	if res := scrape(""); res.StatusCode != http.StatusUnauthorized {
		b, _ := io.ReadAll(res.Body)
		t.Errorf("without a key: %s %s", res.Status, b)
	}
	r := in.run("", "automation", "list", "--key", key)
	if r.code != 1 || !strings.Contains(r.stderr, "default") {
		t.Errorf("the key reads the project default: %+v", r)
	}
	if r := in.run("", "project", "create", "more", "--key", key); r.code != 1 {
		t.Errorf("the key writes: %+v", r)
	}
}
