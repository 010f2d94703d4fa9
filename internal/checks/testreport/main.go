// Command testreport reads the reports that `make test` leaves in a folder (go*.json as of `go test -json`, and
// the JSON reports of Vitest) and ends with the line "N passed, N failed". It names every skipped test and fails
// for it: a skipped test proves nothing.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: testreport FOLDER")
		os.Exit(2)
	}
	ok, err := report(os.Stdout, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
	if !ok {
		os.Exit(1)
	}
}

// report sums up the folder's reports on out, and says whether all that ran passed, some did, and none was skipped.
func report(out io.Writer, folder string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return false, fmt.Errorf("list the reports: %w", err)
	}
	var sum tally
	for _, file := range files {
		if err := sum.add(file); err != nil {
			return false, fmt.Errorf("read %s: %w", filepath.Base(file), err)
		}
	}
	for _, name := range sum.skipped {
		fmt.Fprintln(out, "skipped:", name)
	}
	for _, name := range sum.failed {
		fmt.Fprintln(out, "failed: ", name)
	}
	if sum.passed == 0 {
		fmt.Fprintln(out, "no test ran")
	}
	fmt.Fprintf(out, "%d passed, %d failed", sum.passed, len(sum.failed))
	if len(sum.skipped) > 0 {
		fmt.Fprintf(out, ", %d skipped", len(sum.skipped))
	}
	fmt.Fprintln(out)
	return sum.passed > 0 && len(sum.failed) == 0 && len(sum.skipped) == 0, nil
}

// add reads one report, of the format that its name tells.
func (s *tally) add(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if strings.HasPrefix(filepath.Base(file), "go") {
		return s.addGo(text)
	}
	return s.addVitest(text)
}
