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
)

// Steady load for PAWL_SOAK (make soak): every run succeeds, nothing is doubled, and the memory that is in use at the end is
// that of the beginning.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("PAWL_SOAK"))
	must(t, err)
	ctx := context.Background()
	l := newLab(t)
	l.Target.Forget()
	var posts atomic.Int64
	l.Target.Watch(func(method string) {
		if method == "POST" {
			posts.Add(1)
		}
	})
	ends := make(chan string, 1024)
	l.Ended = func(_ uuid.UUID, state string) { ends <- state }
	must(t, l.Start(ctx))
	a, err := l.Publish(ctx, "soak", document("Soak", action("r", "get_item", `{"id":"1"}`, "")+","+action("w", "create_order", `{"title":"{{ inputs.run }}"}`, "")+`,{"id":"e","type":"each","items":"{{ [1,2,3] }}","as":"x","concurrency":3,"steps":[`+action("p", "put_order", `{"id":"{{ x }}","title":"t"}`, "")+`]}`, ""))
	must(t, err)
	var heaps []uint64
	began, runs := time.Now(), int64(0)
	for sample := 1; time.Since(began) < length; {
		var wg sync.WaitGroup
		for range 16 {
			runs++
			wg.Go(func() {
				if _, err := l.Run(ctx, a, fmt.Sprintf(`{"run":"r%d"}`, runs)); err != nil {
					t.Error(err)
				}
				if state := <-ends; state != "succeeded" {
					t.Errorf("a run %s", state)
				}
			})
		}
		wg.Wait()
		if time.Since(began) > length*time.Duration(sample)/10 {
			heaps = append(heaps, heapInUse())
			t.Logf("%8v %7d runs, heap %d MB", time.Since(began).Round(time.Second), runs, heaps[len(heaps)-1]>>20)
			sample++
		}
	}
	if posts.Load() != runs {
		t.Errorf("%d writes for %d runs", posts.Load(), runs)
	}
	if first, last := heaps[1], heaps[len(heaps)-1]; last > 2*first+128<<20 {
		t.Errorf("the heap grew from %d to %d MB", first>>20, last>>20)
	}
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}
