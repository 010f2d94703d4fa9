package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// result is what became of one part.
type result struct {
	name, saw string
	took      time.Duration
	failed    bool
}

func (r result) word() string {
	if r.failed {
		return "failed"
	}
	return "passed"
}

// report is what became of a suite.
type report struct {
	suite   string
	each    time.Duration
	began   time.Time
	results []result
}

func (r *report) add(one result) { r.results = append(r.results, one) }

func (r *report) last() result { return r.results[len(r.results)-1] }

func (r *report) failed() int {
	n := 0
	for _, one := range r.results {
		if one.failed {
			n++
		}
	}
	return n
}

// finish prints the rows, records them if it is asked to, and gives an error unless all passed.
func (r *report) finish(ctx context.Context, file string) error {
	text := r.text(commit(ctx))
	fmt.Print(text)
	if file != "" {
		if err := record(file, r.suite, text); err != nil {
			return err
		}
	}
	switch n := r.failed(); {
	case len(r.results) == 0:
		return errors.New("nothing ran")
	case ctx.Err() != nil:
		return errors.New("it was interrupted")
	case n > 0:
		return fmt.Errorf("%d of %d failed", n, len(r.results))
	}
	return nil
}

// text is what stands between the marks of docs/testing.md.
func (r *report) text(commit string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, commit %s, %s, %d cores, %v for each: %d of %d passed, in %v.\n\n", r.began.UTC().Format(time.DateOnly), commit,
		runtime.Version(), runtime.NumCPU(), r.each, len(r.results)-r.failed(), len(r.results), time.Since(r.began).Round(time.Second))
	b.WriteString("| part | result | time | what it saw |\n|---|---|---|---|\n")
	for _, one := range r.results {
		fmt.Fprintf(&b, "| %s | %s | %v | %s |\n", one.name, one.word(), one.took.Round(time.Second), one.saw)
	}
	return b.String()
}

// commit names the tree that was tested.
func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// record writes text between the suite's marks of a file.
func record(file, suite, text string) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("record the results: %w", err)
	}
	begin, end := "<!-- "+suite+":begin -->\n", "<!-- "+suite+":end -->"
	before, rest, opened := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		return fmt.Errorf("record the results: %s has no marks %s and %s", file, strings.TrimSpace(begin), end)
	}
	if err := os.WriteFile(file, []byte(before+begin+text+end+after), 0o644); err != nil {
		return fmt.Errorf("record the results: %w", err)
	}
	return nil
}
