package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// longTest is a test of a suite.
type longTest struct {
	name, folder string
	// test is what -run takes: the test, and the subtest behind a slash.
	test string
	// repeats says that the test lasts no longer than it lasts, and is run again until its time is over.
	repeats bool
}

// chaosTests are the disturbances, carried out at their full size.
func chaosTests() []longTest {
	const e2e = "./internal/e2e"
	return []longTest{
		{name: "crash", folder: "./internal/ledger", test: "^TestCrashesAndStopsNeverDoubleAnUnsafeStep$", repeats: true},
		{name: "wire", folder: "./actions/httpcall", test: "^(TestOneAttempt|TestDeadKept|TestConnectionThatDies|TestUnasked|TestSentIsNever|TestConcurrentExchanges)", repeats: true},
		{name: "partition", folder: e2e, test: "^TestAPartitionDoublesNothing$"},
		{name: "kill", folder: e2e, test: "^TestKillNineLosesAndDoublesNothing$/^kill_-9$"},
		{name: "kill, Temporal file deleted", folder: e2e, test: "^TestKillNineLosesAndDoublesNothing$/^kill_-9_and"},
		{name: "processes killed", folder: e2e, test: "^TestSeveralProcesses$"},
		{name: "withdrawals", folder: e2e, test: "^TestWithdrawalsUnderLoad$"},
		{name: "stop", folder: e2e, test: "^TestStoppingUnderLoadMakesNoUnknowns$"},
	}
}

func soakTests() []longTest {
	return []longTest{{name: "soak", folder: "./internal/e2e", test: "^TestSoak$"}}
}

func testParts(suite string, tests []longTest) []part {
	all := make([]part, len(tests))
	for i, lt := range tests {
		all[i] = part{name: lt.name, run: func(ctx context.Context, each time.Duration) (string, error) {
			return lt.run(ctx, suite, each)
		}}
	}
	return all
}

// run runs the test once, or until its time is over.
func (lt longTest) run(ctx context.Context, suite string, each time.Duration) (string, error) {
	began := time.Now()
	for n := 1; ; n++ {
		o, err := lt.once(ctx, suite, each)
		if err != nil || !lt.repeats {
			return o.saw, err
		}
		if spent := time.Since(began); spent+spent/time.Duration(n) > each {
			return o.repeated(n), nil
		}
	}
}

func (lt longTest) once(ctx context.Context, suite string, each time.Duration) (outcome, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-tags", suite, "-count=1", "-timeout", (each + hang).String(), "-json", "-run", lt.test, lt.folder)
	cmd.Env = append(os.Environ(), "PAWL_"+strings.ToUpper(suite)+"="+each.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	o, problem := read(string(out))
	switch {
	case err != nil:
		return o, fmt.Errorf("%w\n%s\n%s", err, said(o.printed), tail(o.printed))
	case problem != nil:
		return o, problem
	case o.passed == 0:
		return o, errors.New("no test ran: " + lt.test)
	}
	return o, nil
}

// outcome is what go test -json said.
type outcome struct {
	passed       int
	saw, printed string
}

// said is what the tests themselves printed: what processes print besides can be long.
func said(printed string) string {
	return strings.Join(regexp.MustCompile(`(?m)^\s+\w+_test\.go:\d+: .*$`).FindAllString(printed, -1), "\n")
}

// repeated is what a test that ran n times saw.
func (o outcome) repeated(n int) string {
	if o.saw == "" {
		return fmt.Sprintf("%d rounds of %d tests", n, o.passed)
	}
	return fmt.Sprintf("%d rounds, in the last one %s", n, o.saw)
}

// read takes in the events of go test -json (go doc test2json). What a test saw is its attribute "shows", else the last
// line that the test itself logged.
func read(out string) (outcome, error) {
	logged := regexp.MustCompile(`^\s+\w+_test\.go:\d+: (.*)\n$`)
	var o outcome
	var printed strings.Builder
	attribute := false
	lines := bufio.NewScanner(strings.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for lines.Scan() {
		var e struct{ Action, Test, Output, Key, Value string }
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return o, fmt.Errorf("read what go test said: %w", err)
		}
		switch {
		case e.Action == "pass" && e.Test != "":
			o.passed++
		case e.Action == "attr" && e.Key == "shows":
			o.saw, attribute = e.Value, true
		case e.Action == "output":
			printed.WriteString(e.Output)
			if m := logged.FindStringSubmatch(e.Output); m != nil && !attribute {
				o.saw = m[1]
			}
		}
	}
	o.printed = printed.String()
	return o, nil
}
