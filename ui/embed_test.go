package ui_test

import (
	"io/fs"
	"strings"
	"testing"

	"pawl/ui"
)

func TestFilesAlwaysHaveAFirstPage(t *testing.T) {
	t.Parallel()
	page, err := fs.ReadFile(ui.Files(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	built := strings.Contains(string(page), `id="root"`)
	if !built && !strings.Contains(string(page), "make build") {
		t.Errorf("the first page is neither the built one nor the one that says how to build:\n%s", page)
	}
}

func TestPagesAskForANonceAndHoldNoInlineScript(t *testing.T) {
	t.Parallel()
	page, err := fs.ReadFile(ui.Files(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range strings.Split(string(page), "<script")[1:] {
		if body, _, _ := strings.Cut(tag, "</script>"); !strings.HasSuffix(strings.TrimSpace(body), ">") {
			t.Errorf("index.html holds an inline script, which the policy refuses: %s", body)
		}
	}
	if !strings.Contains(string(page), "__CSP_NONCE__") {
		t.Error("index.html has no place for the nonce of styles")
	}
}
