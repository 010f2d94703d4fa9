// Command bench measures Pawl against bare Temporal on the same machine, in pairs that run in turn in one process:
// `make bench`, or `make bench BENCH=name` for one. It prints a table and one JSON object a line (docs/benchmarks.md).
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"pawl/internal/local"
)

// Measurement is one line for programs.
type Measurement struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Better string  `json:"better"`
}

func main() {
	only := flag.String("bench", "", "run only benchmarks whose name has this prefix")
	rounds := flag.Int("rounds", 5, "pairs of each comparison")
	seconds := flag.Float64("seconds", 2, "length of one side of a pair, in seconds")
	profile := flag.String("profile", "", "write a CPU profile of Pawl's sides to this file")
	flag.Parse()
	local.SetMemory(os.LookupEnv) // for all sides alike
	b := &bench{only: *only, rounds: *rounds, side: time.Duration(*seconds * float64(time.Second)), profile: *profile}
	if err := b.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type bench struct {
	only    string
	rounds  int
	side    time.Duration
	profile string
	results []Measurement
	world   *world
}

func (b *bench) wants(name string) bool { return strings.HasPrefix(name, b.only) }

func (b *bench) report(name string, value float64, unit, better string) {
	m := Measurement{Name: name, Value: value, Unit: unit, Better: better}
	b.results = append(b.results, m)
	fmt.Fprintf(os.Stderr, "  %-34s %10.3f %s\n", name, value, unit)
}

func (b *bench) run(ctx context.Context) error {
	w, err := newWorld(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	b.world = w
	for _, part := range []func(context.Context) error{b.throughput, b.latency, b.length, b.cpu, b.memory, b.startup} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return b.print()
}

func (b *bench) print() error {
	enc := json.NewEncoder(os.Stdout)
	for _, m := range b.results {
		if err := enc.Encode(m); err != nil {
			return err
		}
	}
	return nil
}

func median(v []float64) float64 {
	s := append([]float64(nil), v...)
	sort.Float64s(s)
	if len(s)%2 == 1 {
		return s[len(s)/2]
	}
	return (s[len(s)/2-1] + s[len(s)/2]) / 2
}
