package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// fuzzTargets finds every Fuzz function of the tree below root.
func fuzzTargets(root string) ([]part, error) {
	function := regexp.MustCompile(`(?m)^func (Fuzz[A-Z0-9_]\w*)\(`)
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
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, found := range function.FindAllSubmatch(text, -1) {
			all = append(all, fuzzTarget(filepath.ToSlash(filepath.Dir(path)), string(found[1])))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for fuzz targets: %w", err)
	}
	return all, nil
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
	if len(progress) == 0 {
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
