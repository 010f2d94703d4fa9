package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// tally is what a set of reports says.
type tally struct {
	passed          int
	failed, skipped []string // full names of the tests
}

// goEvent is one line of `go test -json` (go doc test2json).
type goEvent struct {
	Action, Package, Test string
}

// addGo counts the events of tests. An event without a test is about its package: a package that fails and names
// no failed test, for instance one that doesn't compile, counts as one failure.
func (s *tally) addGo(text []byte) error {
	failedIn := map[string]int{}
	var failedPackages []string
	lines := json.NewDecoder(bytes.NewReader(text))
	for {
		var e goEvent
		if err := lines.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("not the output of go test -json: %w", err)
		}
		name := e.Package + "." + e.Test
		switch {
		case e.Test == "" && e.Action == "fail":
			failedPackages = append(failedPackages, e.Package)
		case e.Test == "":
		case e.Action == "pass":
			s.passed++
		case e.Action == "fail":
			failedIn[e.Package]++
			s.failed = append(s.failed, name)
		case e.Action == "skip":
			s.skipped = append(s.skipped, name)
		}
	}
	for _, p := range failedPackages {
		if failedIn[p] == 0 {
			s.failed = append(s.failed, p)
		}
	}
	return nil
}

// vitestReport is the part of Vitest's JSON report that we read; it has the form of Jest's.
type vitestReport struct {
	TestResults []struct {
		Name             string
		Status           string
		AssertionResults []struct{ FullName, Status string }
	}
}

// addVitest counts the tests of each file. A file that fails without a test, for instance one that can't be
// loaded, counts as one failure.
func (s *tally) addVitest(text []byte) error {
	var report vitestReport
	if err := json.Unmarshal(text, &report); err != nil {
		return fmt.Errorf("not a JSON report of Vitest: %w", err)
	}
	for _, file := range report.TestResults {
		failed := 0
		for _, test := range file.AssertionResults {
			name := file.Name + " " + test.FullName
			switch test.Status {
			case "passed":
				s.passed++
			case "failed":
				failed++
				s.failed = append(s.failed, name)
			default: // skipped, pending, todo, disabled
				s.skipped = append(s.skipped, name)
			}
		}
		if file.Status == "failed" && failed == 0 {
			s.failed = append(s.failed, file.Name)
		}
	}
	return nil
}
