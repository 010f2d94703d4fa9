package checks_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxLines is what a file may have before it wants a reason (house rule: 100 to 250 lines, 400 at the most).
const maxLines = 400

// longFiles are the files above maxLines, each with its reason.
func longFiles() map[string]string {
	return map[string]string{
		"migrations/0001_create_schema.sql": "one migration is one transaction and is never edited once released",
	}
}

func TestFilesStayShort(t *testing.T) {
	t.Parallel()
	reasons := longFiles()
	for _, src := range sources(t, withExt(".go", ".ts", ".tsx", ".css", ".sql")) {
		if isGenerated(src.text) {
			continue
		}
		lines := strings.Count(src.text, "\n")
		_, listed := reasons[src.path]
		switch {
		case lines > maxLines && !listed:
			t.Errorf("%s has %d lines, the limit is %d: split it by subject, or list it in longFiles with the reason", src.path, lines, maxLines)
		case lines <= maxLines && listed:
			t.Errorf("%s has %d lines: take it off longFiles", src.path, lines)
		}
		delete(reasons, src.path)
	}
	for path := range reasons {
		t.Errorf("longFiles lists %s, which is not there", path)
	}
}

// isGenerated follows the convention of https://go.dev/s/generatedcode, in any language's line comment.
func isGenerated(text string) bool {
	return regexp.MustCompile(`(?m)^(//|/\*|--) Code generated .* DO NOT EDIT\.`).MatchString(text)
}

func TestTopLevel(t *testing.T) {
	t.Parallel()
	folders := []string{"cmd", "workflows", "activities", "connections", "actions", "migrations", "ui", "deploy", "internal", "docs", "bin", "data"}
	files := []string{"go.mod", "go.sum", "Makefile", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md"}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		allowed := files
		if entry.IsDir() {
			allowed = folders
		}
		if !slices.Contains(allowed, name) {
			t.Errorf("%s does not belong at the top: find its room in docs/architecture.md", name)
		}
	}
	for _, name := range files {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestNamesSaySomething(t *testing.T) {
	t.Parallel()
	empty := regexp.MustCompile(`(?i)^(utils?|helpers?|common|types|misc|base|shared_types)$`)
	suffix := regexp.MustCompile(`(Manager|Helper|Utils?|Impl)$`)
	for _, file := range goFiles(t, func(string) bool { return true }) {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file.path), ".go"), "_test")
		if empty.MatchString(name) || empty.MatchString(strings.TrimSuffix(file.tree.Name.Name, "_test")) {
			t.Errorf("%s: the name of the file or package says nothing about its subject", file.path)
		}
		for _, spec := range typeSpecs(file.tree) {
			if suffix.MatchString(spec.Name.Name) {
				t.Errorf("%s: type %s: use the noun of the field", file.at(spec), spec.Name.Name)
			}
		}
	}
}

func typeSpecs(tree *ast.File) []*ast.TypeSpec {
	var specs []*ast.TypeSpec
	for _, decl := range tree.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			if ts, ok := spec.(*ast.TypeSpec); ok {
				specs = append(specs, ts)
			}
		}
	}
	return specs
}
