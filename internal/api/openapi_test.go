package api_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/api"
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
