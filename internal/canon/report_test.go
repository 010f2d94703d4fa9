package canon_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/canon"
)

func TestReport(t *testing.T) {
	t.Parallel()
	top, report := canon.Open([]byte(`{"nmae":"x","kind":"liste","flag":"true","n":null,"list":[1,"b"],"o":{"a/b":1}}`), canon.Limits{})
	top.Object("name", "kind", "flag", "n", "list", "o")
	top.Need("name")
	top.Need("kind").Choice("list", "row")
	top.Member("flag").Bool()
	top.Member("n").Text()
	for _, e := range top.Member("list").Elements() {
		e.Text()
	}
	top.Member("o").Object()
	top.Member("absent").Text()
	top.Member("absent").Elements()
	want := strings.Join([]string{
		`/nmae: "nmae" is not a member of this object; did you mean "name"?`,
		`/name: "name" is missing here; add it.`,
		`/kind: "kind" can't be "liste"; did you mean "list"?`,
		`/flag: "flag" must be true or false, not a text.`,
		`/n: "n" must be a text, not null.`,
		`/list/0: This element must be a text, not a number.`,
		`/o/a~1b: "a/b" is not a member of this object; nothing is known here.`,
	}, "\n")
	if diff := cmp.Diff(want, report.Problems().Error()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestReportOfUnsoundText(t *testing.T) {
	t.Parallel()
	top, report := canon.Open([]byte(`{"a":`), canon.Limits{})
	if top.Present() || len(report.Problems()) != 1 {
		t.Errorf("Present %v, problems %v; want an absent top and one problem", top.Present(), report.Problems())
	}
}

func TestReportIsBounded(t *testing.T) {
	t.Parallel()
	top, report := canon.Open([]byte(`[`+strings.Repeat("1,", 500)+`1]`), canon.Limits{})
	for _, e := range top.Elements() {
		e.Text()
	}
	if n := len(report.Problems()); n != 101 {
		t.Errorf("%d problems; want 101", n)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"baseUrl", "auth", "logo", "secretLabel", "keyHelp", "docs", "actions"}
	for _, tt := range []struct{ name, give, want string }{
		{"letter case", "baseURL", "baseUrl"},
		{"swapped letters", "lgoo", "logo"},
		{"missing letter", "action", "actions"},
		{"snake case", "secret_label", "secretLabel"},
		{"nothing near", "headers", ""},
		{"empty", "", ""},
		{"very long", strings.Repeat("a", 1000), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := canon.Nearest(tt.give, known); got != tt.want {
				t.Errorf("Nearest(%q) = %q; want %q", tt.give, got, tt.want)
			}
		})
	}
}
