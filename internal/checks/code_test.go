package checks_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestExportedNamesAreDocumented(t *testing.T) {
	t.Parallel()
	for _, file := range goFiles(t, isNotTest) {
		if isGenerated(file.text) {
			continue
		}
		for _, decl := range file.tree.Decls {
			for _, name := range undocumented(decl) {
				t.Errorf("%s: %s is exported and has no comment", file.at(decl), name)
			}
		}
	}
}

// undocumented gives the exported names of a declaration that no comment explains. A comment on a group of
// constants or variables stands for the group; each type and function needs its own.
func undocumented(decl ast.Decl) []string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && receiverIsExported(d) {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		return undocumentedSpecs(d)
	}
	return nil
}

func undocumentedSpecs(d *ast.GenDecl) []string {
	var names []string
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && s.Comment == nil && (d.Doc == nil || d.Lparen.IsValid()) {
				names = append(names, s.Name.Name)
			}
		case *ast.ValueSpec:
			if d.Doc != nil || s.Doc != nil || s.Comment != nil {
				continue
			}
			for _, name := range s.Names {
				if name.IsExported() {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// receiverIsExported is true for functions, and for methods of exported types.
func receiverIsExported(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	exported := false
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !exported {
			exported = id.IsExported()
			return false
		}
		return true
	})
	return exported
}

func TestTestsDoNotSleepOrSkip(t *testing.T) {
	t.Parallel()
	skip := regexp.MustCompile(`^(Skip|Skipf|SkipNow)$`)
	for _, file := range goFiles(t, isTest) {
		for _, call := range file.calls("time.Sleep") {
			t.Errorf("%s: a test that sleeps: wait for a signal", file.at(call))
		}
		ast.Inspect(file.tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && skip.MatchString(sel.Sel.Name) {
				if id, ok := sel.X.(*ast.Ident); ok && (id.Name == "t" || id.Name == "b" || id.Name == "f" || id.Name == "tb") {
					t.Errorf("%s: a skipped test proves nothing: install what it needs in .ci/setup", file.at(call))
				}
			}
			return true
		})
	}
}

func TestWorkflowsStartNoGoroutines(t *testing.T) {
	t.Parallel()
	inWorkflows := func(path string) bool { return isNotTest(path) && strings.HasPrefix(path, "workflows/") }
	for _, file := range goFiles(t, func(path string) bool { return inWorkflows(path) || path == "internal/checks/doc.go" }) {
		ast.Inspect(file.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a goroutine of its own: workflow.Go", file.at(n))
			case *ast.SelectStmt:
				t.Errorf("%s: select: workflow.Selector", file.at(n))
			case *ast.SendStmt, *ast.ChanType:
				t.Errorf("%s: a channel of its own: workflow.Channel", file.at(n))
			case *ast.FuncDecl:
				if n.Recv != nil && takesWorkflowContext(n) {
					t.Errorf("%s: %s is a method: workflow code is functions", file.at(n), n.Name.Name)
				}
			}
			return true
		})
	}
}

// takesWorkflowContext says whether the first parameter is a workflow.Context and the name is exported, as a
// workflow's is.
func takesWorkflowContext(d *ast.FuncDecl) bool {
	if !d.Name.IsExported() || len(d.Type.Params.List) == 0 {
		return false
	}
	sel, ok := d.Type.Params.List[0].Type.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Context"
}

func TestSQLStaysInItsRooms(t *testing.T) {
	t.Parallel()
	statement := regexp.MustCompile(`(?is)^\s*(select\s.+\sfrom\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|with\s+\w+\s+as\s*\(|create\s+(table|index|database)\s|alter\s+table\s)`)
	rooms := []string{"internal/store/", "internal/ledger/", "migrations/", "internal/local/", "internal/e2e/", "internal/bench/", "internal/checks/"}
	for _, file := range goFiles(t, isNotTest) {
		if hasAnyPrefix(file.path, rooms) {
			continue
		}
		ast.Inspect(file.tree, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(lit.Value); err == nil && statement.MatchString(text) {
				t.Errorf("%s: SQL lives in internal/store, internal/ledger and migrations", file.at(lit))
			}
			return true
		})
	}
}

func hasAnyPrefix(path string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}
