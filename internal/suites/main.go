// Command suites runs the long suites, which take minutes and are no part of `make test`:
//
//	suites [-time 45s] [-only NAME] [-record docs/testing.md] fuzz|chaos|soak
//
// `make fuzz`, `make chaos` and `make soak` call it. Each part of a suite runs on its own, for about as long as -time; all
// run, also after one that failed. It ends with the rows of docs/testing.md on standard output, and with exit status 1
// when a part failed or none ran.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

// options are what the command line says.
type options struct {
	suite  string
	each   time.Duration
	only   string
	record string
}

func main() {
	o := options{}
	flag.DurationVar(&o.each, "time", 45*time.Second, "about how long each part of the suite runs")
	flag.StringVar(&o.only, "only", "", "run only the parts whose name holds this `text`")
	flag.StringVar(&o.record, "record", "", "write the results into this `file`, between the suite's marks")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: suites [flags] fuzz|chaos|soak")
		flag.PrintDefaults()
	}
	flag.Parse()
	if o.suite = flag.Arg(0); flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
}

func run(ctx context.Context, o options) error {
	all, err := parts(o.suite)
	if err != nil {
		return err
	}
	r := report{suite: o.suite, each: o.each, began: time.Now()}
	for _, p := range all {
		if !strings.Contains(p.name, o.only) || ctx.Err() != nil {
			continue
		}
		fmt.Fprintf(os.Stderr, "== %s %s, %v\n", o.suite, p.name, o.each)
		began := time.Now()
		saw, err := p.run(ctx, o.each)
		r.add(result{name: p.name, saw: saw, took: time.Since(began), failed: err != nil})
		if err != nil {
			fmt.Fprintf(os.Stderr, "%v\n", err)
		}
		fmt.Fprintf(os.Stderr, "   %s in %v: %s\n", r.last().word(), r.last().took.Round(time.Second), saw)
	}
	return r.finish(ctx, o.record)
}

// part is one test or fuzz target of a suite.
type part struct {
	name string
	// run gives what the part saw, in a few words.
	run func(ctx context.Context, each time.Duration) (saw string, err error)
}

// parts gives the parts of a suite, in the order in which they run.
func parts(suite string) ([]part, error) {
	switch suite {
	case "fuzz":
		return fuzzTargets(".")
	case "chaos":
		return testParts("chaos", chaosTests()), nil
	case "soak":
		return testParts("soak", soakTests()), nil
	}
	return nil, fmt.Errorf("there is no suite %q: fuzz, chaos or soak", suite)
}
