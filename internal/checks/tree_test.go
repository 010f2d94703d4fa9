package checks_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is the top of the tree, seen from this package's folder, where go test runs it.
const root = "../.."

// source is one text file of the tree.
type source struct {
	path string // slashes, from the top of the tree
	text string
}

// notOurs are folders that builds and package managers fill, or that git keeps.
func notOurs(path string) bool {
	return slices.Contains([]string{".git", ".cache", "bin", "data", "ui/dist", "ui/test-results"}, path) ||
		filepath.Base(path) == "node_modules"
}

// sources reads every file of the tree that keep accepts by its path.
func sources(t *testing.T, keep func(path string) bool) []source {
	t.Helper()
	var found []source
	err := filepath.WalkDir(root, func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		path := filepath.ToSlash(rel)
		if entry.IsDir() {
			if notOurs(path) {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() || !keep(path) {
			return nil
		}
		text, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		found = append(found, source{path, string(text)})
		return nil
	})
	if err != nil {
		t.Fatalf("walk the tree: %v", err)
	}
	if len(found) == 0 {
		t.Fatal("the walk found no file: is the tree where it should be?")
	}
	return found
}

// withExt accepts files that end in one of the extensions.
func withExt(exts ...string) func(string) bool {
	return func(path string) bool { return slices.Contains(exts, filepath.Ext(path)) }
}

// isText accepts what people write: code, documents, scripts, settings. Recorded test data is not among it.
func isText(path string) bool {
	if strings.Contains(path, "/testdata/") {
		return false
	}
	name := filepath.Base(path)
	return withExt(".go", ".md", ".sql", ".ts", ".tsx", ".css", ".html", ".json", ".yml", ".yaml", ".sh", ".service", ".env", ".mod")(path) ||
		name == "Makefile" || strings.HasPrefix(path, ".ci/")
}

// parsed is one Go file with its syntax tree.
type parsed struct {
	source
	set  *token.FileSet
	tree *ast.File
}

// at says where a node stands, as path:line.
func (p parsed) at(n ast.Node) string {
	position := p.set.Position(n.Pos())
	position.Column = 0
	return position.String()
}

// goFiles parses every Go file that keep accepts.
func goFiles(t *testing.T, keep func(path string) bool) []parsed {
	t.Helper()
	var files []parsed
	for _, src := range sources(t, func(path string) bool { return withExt(".go")(path) && keep(path) }) {
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, src.path, src.text, parser.ParseComments)
		if err != nil {
			t.Errorf("parse: %v", err)
			continue
		}
		files = append(files, parsed{src, set, tree})
	}
	return files
}

func isTest(path string) bool { return strings.HasSuffix(path, "_test.go") }

func isNotTest(path string) bool { return !isTest(path) }

// calls gives every call of a package's function in the file, by the import's last element: name "time.Sleep".
func (p parsed) calls(name string) []ast.Node {
	pkg, fn, _ := strings.Cut(name, ".")
	var found []ast.Node
	ast.Inspect(p.tree, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != fn {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && id.Name == pkg {
			found = append(found, n)
		}
		return true
	})
	return found
}
