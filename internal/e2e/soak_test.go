//go:build soak

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"pawl/internal/e2e/lab"
)

const (
	// soakWidth is how many runs are always under way.
	soakWidth = 16
	// soakSamples is how often memory and rows are looked at.
	soakSamples = 10
	// heapSlack and rowSlack are what may come and go: caches that fill, and the rows of runs under way.
	heapSlack = 128 << 20
	rowSlack  = 50 * soakWidth
)

// soak is a lab under steady load.
type soak struct {
	*lab.Lab
	automation uuid.UUID
	ends       chan string
	runs       atomic.Int64
	posts      atomic.Int64
}

// TestSoak keeps a steady load for PAWL_SOAK (make soak): every run succeeds, nothing is sent twice, memory in use and
// goroutines are at the end what they were at the beginning, and a run costs as many rows late as early.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("PAWL_SOAK"))
	must(t, err)
	s := newSoak(t)
	began := time.Now()
	empty := s.sample(t, began)
	var load sync.WaitGroup
	for range soakWidth {
		load.Go(func() { s.drive(t, began.Add(length)) })
	}
	var samples []sample
	for i := range soakSamples {
		<-time.After(time.Until(began.Add(length * time.Duration(i+1) / (soakSamples + 1))))
		samples = append(samples, s.sample(t, began))
	}
	load.Wait()
	took := time.Since(began)
	last := s.sample(t, began)
	samples = append(samples, last)
	if s.posts.Load() != last.runs {
		t.Errorf("%d writes for %d runs", s.posts.Load(), last.runs)
	}
	s.nothingOpen(t)
	stays(t, samples)
	middle := samples[len(samples)/2]
	shows(t, "%d runs of 5 requests in %v (%.0f a second), all succeeded, none doubled; heap %d to %d MB, goroutines %d to %d, database %.1f KB a run in the first half and %.1f in the second",
		last.runs, took.Round(time.Second), float64(last.runs)/took.Seconds(), samples[0].heap>>20, last.heap>>20, samples[0].goroutines, last.goroutines,
		middle.perRun(empty), last.perRun(middle))
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	ctx := context.Background()
	s := &soak{Lab: newLab(t), ends: make(chan string, soakWidth)}
	s.Target.Forget()
	s.Target.Watch(func(method string) {
		if method == "POST" {
			s.posts.Add(1)
		}
	})
	s.Ended = func(_ uuid.UUID, state string) { s.ends <- state }
	must(t, s.Start(ctx))
	var err error
	s.automation, err = s.Publish(ctx, "soak", document("Soak", action("r", "get_item", `{"id":"1"}`, "")+","+action("w", "create_order", `{"title":"{{ inputs.run }}"}`, "")+`,{"id":"e","type":"each","items":"{{ [1,2,3] }}","as":"x","concurrency":3,"steps":[`+action("p", "put_order", `{"id":"{{ inputs.run }}-{{ x }}","title":"t"}`, "")+`]}`, ""))
	must(t, err)
	return s
}

// drive keeps one run under way until the time is over.
func (s *soak) drive(t *testing.T, until time.Time) {
	for time.Now().Before(until) {
		if _, err := s.Run(context.Background(), s.automation, fmt.Sprintf(`{"run":"r%d"}`, s.runs.Add(1))); err != nil {
			t.Error(err)
			return
		}
		if state := <-s.ends; state != "succeeded" {
			t.Errorf("a run %s", state)
		}
	}
}

// sample is what the installation holds at one moment.
type sample struct {
	runs       int64
	heap       uint64
	goroutines int
	database   int64 // in bytes
	rows       map[string]int64
}

// perRun is how many KB the database grew for each run since an earlier sample.
func (s sample) perRun(since sample) float64 {
	return float64(s.database-since.database) / 1024 / float64(max(s.runs-since.runs, 1))
}

func (s *soak) sample(t *testing.T, began time.Time) sample {
	t.Helper()
	ctx := context.Background()
	now := sample{runs: s.runs.Load(), heap: heapInUse(), goroutines: runtime.NumGoroutine(), rows: map[string]int64{}}
	must(t, s.Pool.QueryRow(ctx, `select pg_database_size(current_database())`).Scan(&now.database))
	rows, err := s.Pool.Query(ctx, `select relname from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`)
	must(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	for _, table := range tables {
		var n int64
		must(t, s.Pool.QueryRow(ctx, `select count(*) from `+pgx.Identifier{table}.Sanitize()).Scan(&n))
		now.rows[table] = n
	}
	t.Logf("%8v %8d runs, heap %d MB, %d goroutines, database %d MB, %d attempts, %d decisions", time.Since(began).Round(time.Second), now.runs, now.heap>>20, now.goroutines, now.database>>20, now.rows["attempt"], now.rows["decision"])
	return now
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// nothingOpen fails when the load left something behind that waits.
func (s *soak) nothingOpen(t *testing.T) {
	t.Helper()
	var runs, attempts, waits int
	must(t, s.Pool.QueryRow(context.Background(), `select (select count(*) from run where finished_at is null),
		(select count(*) from attempt where state in ('sending', 'unknown')), (select count(*) from wait where done_at is null)`).Scan(&runs, &attempts, &waits))
	if runs+attempts+waits > 0 {
		t.Errorf("%d runs, %d attempts and %d waits are still open", runs, attempts, waits)
	}
}

// stays fails when memory grew, or when a run of the second half cost more rows than one of the first.
func stays(t *testing.T, samples []sample) {
	t.Helper()
	first, middle, last := samples[0], samples[len(samples)/2], samples[len(samples)-1]
	if last.heap > 2*first.heap+heapSlack {
		t.Errorf("the heap grew from %d to %d MB", first.heap>>20, last.heap>>20)
	}
	if last.goroutines > 2*first.goroutines {
		t.Errorf("goroutines grew from %d to %d", first.goroutines, last.goroutines)
	}
	for table, n := range last.rows {
		early, late := float64(middle.rows[table]), float64(n-middle.rows[table])
		if grew := late - early*float64(last.runs-middle.runs)/float64(max(middle.runs, 1)); grew > rowSlack+early/50 {
			t.Errorf("%s has %d rows after %d runs and %d after %d: %.0f too many", table, middle.rows[table], middle.runs, n, last.runs, grew)
		}
	}
}
