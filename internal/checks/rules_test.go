package checks_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTablesOfRulesLead looks at every table of a document under docs whose columns are a rule, code and test: the files
// must be there, declare the names that stand behind them, and the tests must exist.
func TestTablesOfRulesLead(t *testing.T) {
	t.Parallel()
	declared := declarations(t)
	rows := 0
	for _, src := range sources(t, func(path string) bool { return strings.HasPrefix(path, "docs/") && filepath.Ext(path) == ".md" }) {
		for _, row := range ruleRows(src.text) {
			rows++
			if row.code == "" || row.test == "" {
				t.Errorf("%s: %q names no code or no test", src.path, row.rule)
			}
			for _, code := range spans(row.code) {
				checkCode(t, declared, src.path, row.rule, code)
			}
			for _, name := range spans(row.test) {
				if !hasTest(declared, name) {
					t.Errorf("%s: %q names the test %s, which is not there", src.path, row.rule, name)
				}
			}
		}
	}
	if rows == 0 {
		t.Error("no document has a table of rules: does ruleRows still know their heads?")
	}
}

type ruleRow struct{ rule, code, test string }

// ruleRows gives the rows of the tables whose head ends with "code" and "test".
func ruleRows(markdown string) []ruleRow {
	var rows []ruleRow
	inside := false
	for _, line := range strings.Split(markdown, "\n") {
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		switch {
		case !strings.HasPrefix(line, "|"):
			inside = false
		case len(cells) == 3 && strings.TrimSpace(cells[1]) == "code" && strings.TrimSpace(cells[2]) == "test":
			inside = true
		case inside && strings.HasPrefix(line, "|---"):
		case inside && len(cells) == 3:
			rows = append(rows, ruleRow{strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])})
		case inside:
			rows = append(rows, ruleRow{rule: line}) // a row that can't be read names nothing
		}
	}
	return rows
}

// spans gives the code spans of a cell.
func spans(cell string) []string {
	var all []string
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		all = append(all, m[1])
	}
	return all
}

// checkCode looks for "path" or, of a Go file, "path: name, name".
func checkCode(t *testing.T, declared map[string]map[string]bool, document, rule, code string) {
	t.Helper()
	path, list, _ := strings.Cut(code, ": ")
	if _, err := os.Stat(filepath.Join(root, path)); err != nil {
		t.Errorf("%s: %q names %s, which is not there", document, rule, path)
		return
	}
	for _, name := range strings.Split(list, ", ") {
		if name != "" && !declared[path][name] {
			t.Errorf("%s: %q names %s of %s, which is not there", document, rule, name, path)
		}
	}
}

// declarations are the names that each Go file declares at its top, methods included.
func declarations(t *testing.T) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{}
	for _, file := range goFiles(t, func(string) bool { return true }) {
		names := map[string]bool{}
		for _, decl := range file.tree.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				names[d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					nameSpec(spec, names)
				}
			}
		}
		all[file.path] = names
	}
	return all
}

func nameSpec(spec ast.Spec, names map[string]bool) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		names[s.Name.Name] = true
	case *ast.ValueSpec:
		for _, n := range s.Names {
			names[n.Name] = true
		}
	}
}

// hasTest says whether a test or fuzz target of that name is anywhere in the tree.
func hasTest(declared map[string]map[string]bool, name string) bool {
	for path, names := range declared {
		if names[name] && strings.HasSuffix(path, "_test.go") && regexp.MustCompile(`^(Test|Fuzz)[A-Z]`).MatchString(name) {
			return true
		}
	}
	return false
}
