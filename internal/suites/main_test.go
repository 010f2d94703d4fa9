package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const page = "# Testing\n\n<!-- fuzz:begin -->\nold\n<!-- fuzz:end -->\n\n<!-- soak:begin -->\nkept\n<!-- soak:end -->\n"

const targets = `package p

import "testing"

func FuzzSound(f *testing.F) { f.Fuzz(func(*testing.T, []byte) {}) }

func FuzzBroken(f *testing.F) {
	f.Add([]byte("a"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 1 {
			t.Fatal("one byte is too much for it")
		}
	})
}
`

func TestSuites(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "suites")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	tests := []struct {
		name  string
		args  []string
		code  int
		rows  []string // "name result" of the table
		says  string
		keeps bool // the page as it was
	}{
		{name: "all pass", args: []string{"-only", "Sound", "fuzz"}, rows: []string{"p FuzzSound passed"}, says: "1 of 1 passed"},
		{name: "one fails, all run", args: []string{"fuzz"}, code: 1, rows: []string{"p FuzzSound passed", "p FuzzBroken failed"}, says: "one byte is too much for it"},
		{name: "none is left", args: []string{"-only", "Nothing", "fuzz"}, code: 1, says: "nothing ran"},
		{name: "no such suite", args: []string{"everything"}, code: 1, says: "there is no suite", keeps: true},
		{name: "a page without the marks", args: []string{"-only", "no such part", "chaos"}, code: 1, says: "has no marks", keeps: true},
		{name: "no suite", code: 2, says: "usage", keeps: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t)
			cmd := exec.Command(program, append([]string{"-time", "1s", "-record", "testing.md"}, tt.args...)...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			code := 0
			if exit := new(exec.ExitError); errors.As(err, &exit) {
				code = exit.ExitCode()
			}
			if code != tt.code || !strings.Contains(string(out), tt.says) {
				t.Errorf("exit status %d, want %d and %q in\n%s", code, tt.code, tt.says, out)
			}
			now, err := os.ReadFile(filepath.Join(dir, "testing.md"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.rows, rows(string(now))); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
			if kept := string(now) == page; kept != tt.keeps || !strings.Contains(string(now), "\nkept\n") {
				t.Errorf("the page is now\n%s", now)
			}
		})
	}
}

// tree is a module with two fuzz targets and a page.
func tree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "testing.md": page, "p/p_test.go": targets} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rows gives the name and the result of each row of a table.
func rows(text string) []string {
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^\| (.+?) \| (passed|failed) \|`).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1]+" "+m[2])
	}
	return all
}
