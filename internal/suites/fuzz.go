package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// fuzzTargets finds every Fuzz function of the tree below root.
func fuzzTargets(root string) ([]part, error) {
	var all []part
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		names, err := fuzzFunctions(path)
		for _, name := range names {
			all = append(all, fuzzTarget(filepath.ToSlash(filepath.Dir(path)), name))
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for fuzz targets: %w", err)
	}
	return all, nil
}

// fuzzFunctions gives the names of the Fuzz functions of a file.
func fuzzFunctions(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") {
			names = append(names, f.Name.Name)
		}
	}
	return names, nil
}

func fuzzTarget(folder, name string) part {
	return part{name: folder + " " + name, run: func(ctx context.Context, each time.Duration) (string, error) {
		// Looking for the shortest form of each new input would take most of the time: a few tries are enough.
		cmd := exec.CommandContext(ctx, "go", "test", "./"+folder, "-run", "^$", "-fuzz", "^"+name+"$",
			"-fuzztime", each.String(), "-fuzzminimizetime", "20x")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("%w; what was found is in %s/testdata/fuzz: mend it and commit the file with the fix\n%s", err, folder, tail(string(out)))
		}
		return fuzzed(string(out))
	}}
}

// fuzzed reads how many inputs were tried and how many were kept because they reached new code.
func fuzzed(out string) (string, error) {
	progress := regexp.MustCompile(`execs: (\d+) .*\(total: (\d+)\)`).FindAllStringSubmatch(out, -1)
	switch {
	case len(progress) > 0:
	case strings.Contains(out, "gathering baseline coverage"):
		return "", errors.New("the time was too short: only inputs that were known were tried")
	default:
		return "", errors.New("the target did not run\n" + tail(out))
	}
	last := progress[len(progress)-1]
	return grouped(last[1]) + " inputs, " + grouped(last[2]) + " kept", nil
}

// grouped writes digits in groups of three.
func grouped(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// tail is the end of what a program printed.
func tail(s string) string {
	if len(s) > tailBytes {
		return "…" + s[len(s)-tailBytes:]
	}
	return s
}
