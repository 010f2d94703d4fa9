package api_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/api"
	"pawl/internal/auth"
)

var update = flag.Bool("update", false, "write golden files")

// TestOpenAPIFileIsCurrent keeps openapi.json, from which the UI's client is generated, equal to what is served.
func TestOpenAPIFileIsCurrent(t *testing.T) {
	t.Parallel()
	want, err := api.OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("openapi.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("openapi.json is old; run: go test ./internal/api -run OpenAPIFile -update\n%s", cmp.Diff(string(got), string(want)))
	}
}

// TestDocumentationHasTheRoutes keeps the table of docs/api.md equal to the table of routes.
func TestDocumentationHasTheRoutes(t *testing.T) {
	t.Parallel()
	const file, begin, end = "../../docs/api.md", "<!-- routes -->\n", "<!-- /routes -->"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(b), begin)
	got, tail, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no place for the routes", file)
	}
	want := "| route | needs | what |\n|---|---|---|\n"
	for _, r := range api.Routes() {
		needs := "`" + string(r.Needs) + "`"
		switch r.Needs {
		case auth.Public:
			needs = "public"
		case auth.SignedIn:
			needs = "any caller"
		default:
		}
		want += fmt.Sprintf("| `%s %s` | %s | %s |\n", r.Method, r.Path, needs, r.Summary)
	}
	if got == want {
		return
	}
	if !*update {
		t.Errorf("the table is old; run: go test ./internal/api -run Documentation -update\n%s", cmp.Diff(got, want))
		return
	}
	if err := os.WriteFile(file, []byte(head+begin+want+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
