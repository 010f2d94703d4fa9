package main

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"
)

// pair is one comparison: Pawl's side over the other one.
type pair struct {
	name        string
	ours, other one
	concurrency int
	steps       int
}

// throughput measures runs per second, as ratios, at several concurrencies.
func (b *bench) throughput(ctx context.Context) error {
	w := b.world
	var pairs []pair
	for _, c := range []int{1, 8, 32} {
		for _, kind := range []string{"read", "write"} {
			pairs = append(pairs,
				pair{fmt.Sprintf("%s10_c%d_vs_bare", kind, c), w.one(kind + "10"), w.bare.one(10), c, 10},
				pair{fmt.Sprintf("%s10_c%d_vs_default", kind, c), w.one(kind + "10"), w.standard.one(10), c, 10})
		}
	}
	for _, kind := range []string{"read", "write"} {
		pairs = append(pairs, pair{kind + "100_c32_vs_bare", w.one(kind + "100"), w.bare.one(100), 32, 100})
	}
	for _, p := range pairs {
		if !b.wants(p.name) {
			continue
		}
		if err := b.compare(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func (b *bench) compare(ctx context.Context, p pair) error {
	for _, side := range []one{p.ours, p.other} { // warm
		if _, err := load(ctx, side, p.concurrency, b.side/4); err != nil {
			return err
		}
	}
	var ratios, ours, others []float64
	for range b.rounds {
		stop := b.startProfile()
		x, err := load(ctx, p.ours, p.concurrency, b.side)
		stop()
		if err != nil {
			return err
		}
		y, err := load(ctx, p.other, p.concurrency, b.side)
		if err != nil {
			return err
		}
		ratios, ours, others = append(ratios, x/y), append(ours, x), append(others, y)
	}
	base, _, _ := strings.Cut(p.name, "_vs_")
	b.report(p.name, median(ratios), "ratio", "higher")
	if strings.HasSuffix(p.name, "_vs_bare") {
		b.report(base+"_runs", median(ours), "runs/s", "higher")
		b.report(base+"_steps", median(ours)*float64(p.steps), "steps/s", "higher")
		b.report(base+"_bare_steps", median(others)*float64(p.steps), "steps/s", "higher")
	}
	return nil
}

// startProfile profiles the first of Pawl's sides that runs.
func (b *bench) startProfile() (stop func()) {
	if b.profile == "" {
		return func() {}
	}
	f, err := os.Create(b.profile)
	b.profile = ""
	if err != nil || pprof.StartCPUProfile(f) != nil {
		return func() {}
	}
	return func() { pprof.StopCPUProfile(); f.Close() }
}

// latency measures single runs, one at a time, Pawl's and the bare one's in turn.
func (b *bench) latency(ctx context.Context) error {
	for _, kind := range []string{"read10", "write10"} {
		name := kind + "_latency_vs_bare"
		if !b.wants(name) {
			continue
		}
		ours, bare, err := inTurn(ctx, b.world.one(kind), b.world.bare.one(10), latencyRuns)
		if err != nil {
			return err
		}
		b.report(name, ours/bare, "ratio", "lower")
		b.report(kind+"_latency", ours*1000, "ms", "lower")
	}
	return nil
}

// latencyRuns is how many single runs each side makes.
const latencyRuns = 60

// inTurn gives the median times of two sides, in seconds.
func inTurn(ctx context.Context, x, y one, n int) (float64, float64, error) {
	var xs, ys []float64
	for range n {
		for _, side := range []struct {
			run  one
			into *[]float64
		}{{x, &xs}, {y, &ys}} {
			began := time.Now()
			if err := side.run(ctx); err != nil {
				return 0, 0, err
			}
			*side.into = append(*side.into, time.Since(began).Seconds())
		}
	}
	return median(xs), median(ys), nil
}

// length measures whether a step costs more in a longer automation: steps per second at 100 and 1,000 steps over those at 10.
func (b *bench) length(ctx context.Context) error {
	for _, kind := range []string{"read", "write"} {
		if !b.wants(kind + "_length") {
			continue
		}
		per := map[int]float64{}
		for _, n := range []int{10, 100, 1000} {
			x, err := load(ctx, b.world.one(fmt.Sprintf("%s%d", kind, n)), 8, 2*b.side)
			if err != nil {
				return err
			}
			per[n] = x * float64(n)
		}
		b.report(kind+"_length_100_vs_10", per[100]/per[10], "ratio", "higher")
		b.report(kind+"_length_1000_vs_10", per[1000]/per[10], "ratio", "higher")
	}
	return nil
}

// cpu measures the processor time of all of it, PostgreSQL included, for a run above that of a bare one.
func (b *bench) cpu(ctx context.Context) error {
	if !b.wants("cpu") {
		return nil
	}
	bare, _, err := b.cpuOf(ctx, b.world.bare.one(10))
	if err != nil {
		return err
	}
	for _, kind := range []string{"read10", "write10"} {
		pg := familyTime(b.world.pg.PID())
		commits := b.world.commits(ctx)
		ours, runs, err := b.cpuOf(ctx, b.world.one(kind))
		if err != nil {
			return err
		}
		b.report("commits_"+kind+"_run", (b.world.commits(ctx)-commits)/runs, "transactions", "lower")
		b.report("cpu_"+kind+"_postgres", (familyTime(b.world.pg.PID())-pg).Seconds()*1000/runs, "ms", "lower")
		b.report("cpu_"+kind+"_run", ours, "ms", "lower")
		b.report("cpu_"+kind+"_own_step", (ours-bare)/10, "ms", "lower")
	}
	b.report("cpu_bare10_run", bare, "ms", "lower")
	return nil
}

// cpuOf is the processor time of one run at concurrency 32, in milliseconds, of this process and of PostgreSQL's, and
// how many runs there were.
func (b *bench) cpuOf(ctx context.Context, run one) (ms, runs float64, err error) {
	before := b.world.processorTime()
	began := time.Now()
	x, err := load(ctx, run, 32, 2*b.side)
	if err != nil {
		return 0, 0, err
	}
	spent := b.world.processorTime() - before
	runs = x * time.Since(began).Seconds()
	return spent.Seconds() * 1000 / runs, runs, nil
}

// commits counts the transactions of the database so far.
func (w *world) commits(ctx context.Context) float64 {
	var n float64
	_ = w.pool.QueryRow(ctx, `select xact_commit from pg_stat_database where datname = current_database()`).Scan(&n)
	return n
}

func (w *world) processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	own := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	return own + familyTime(w.pg.PID())
}

// memory reports what the process holds after all that load.
func (b *bench) memory(context.Context) error {
	if !b.wants("memory") {
		return nil
	}
	b.report("memory_loaded", residentMB(os.Getpid()), "MB", "lower")
	return nil
}
