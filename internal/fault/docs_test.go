package fault_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/fault"
)

// documented is one row of the table of kinds in docs/errors.md.
type documented struct {
	Kind  fault.Kind
	Again string
}

func TestEveryKindIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (\\w+) \\| \\S[^|]+ \\| \\S[^|]+ \\|$")
	var got, want []documented
	for _, match := range row.FindAllSubmatch(page, -1) {
		got = append(got, documented{fault.Kind(match[1]), string(match[2])})
	}
	for _, kind := range fault.Kinds() {
		again := "no"
		if kind.Retryable() {
			again = "yes"
		}
		want = append(want, documented{kind, again})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/errors.md against internal/fault (-want +got):\n%s", diff)
	}
}

func TestKindsListsEveryConstant(t *testing.T) {
	t.Parallel()
	code, err := os.ReadFile("fault.go")
	if err != nil {
		t.Fatal(err)
	}
	var want []fault.Kind
	for _, match := range regexp.MustCompile(`(?m)^\t\w+\s+Kind = "([a-z_]+)"`).FindAllSubmatch(code, -1) {
		want = append(want, fault.Kind(match[1]))
	}
	if diff := cmp.Diff(want, fault.Kinds()); diff != "" {
		t.Errorf("the constants against Kinds (-want +got):\n%s", diff)
	}
}
