package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"pawl/connections/vault"
	"pawl/internal/e2e/lab"
	"pawl/internal/e2e/process"
	"pawl/internal/store/storetest"
)

// production is one PostgreSQL, one official Temporal server on it, two servers and three workers, each a process.
type production struct {
	t       *testing.T
	env     []string
	bin     string
	target  *lab.Target
	apis    []process.API
	mu      sync.Mutex
	workers []*process.Program
}

func newProduction(t *testing.T) *production {
	t.Helper()
	pool := storetest.New(t)
	dsn := pool.Config().ConnString()
	temporal := process.Start(t, nil, process.Build(t, "internal/e2e/temporalpg/cmd", ""), "--database", dsn)
	address := temporal.WaitFor(t, "127.0.0.1:")
	master, err := vault.NewMasterKey()
	must(t, err)
	p := &production{t: t, bin: process.Build(t, "cmd/pawl", "PAWL_BIN"), target: lab.NewTarget()}
	t.Cleanup(p.target.Close)
	p.env = append(egressEnv(t, p.target), "PAWL_DATABASE_URL="+dsn, "PAWL_TEMPORAL_ADDRESS="+strings.TrimSpace(address), "PAWL_MASTER_KEY="+master.Text())
	key := p.migrate()
	for range 2 {
		listen := process.FreeAddress(t)
		serve := process.Start(t, append(p.env, "PAWL_LISTEN="+listen), p.bin, "serve")
		serve.WaitFor(t, "serving")
		p.apis = append(p.apis, process.API{URL: "http://" + listen, Key: key})
	}
	for range 3 {
		p.workers = append(p.workers, p.worker())
	}
	return p
}

func (p *production) migrate() (key string) {
	p.t.Helper()
	cmd := exec.Command(p.bin, "migrate", "--admin", "ana@example.com", "--json")
	cmd.Env = append(cmd.Environ(), p.env...)
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("migrate: %v %s", err, out)
	}
	var done struct{ Key string }
	must(p.t, json.Unmarshal(out, &done))
	return done.Key
}

func (p *production) worker() *process.Program {
	p.t.Helper()
	w := process.Start(p.t, p.env, p.bin, "worker")
	w.WaitFor(p.t, "the worker is ready")
	return w
}

// killOne kills a random worker and starts another one.
func (p *production) killOne() {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := rand.IntN(len(p.workers))
	p.workers[i].Kill()
	p.workers[i] = p.worker()
}

func TestSeveralProcesses(t *testing.T) {
	t.Parallel()
	p := newProduction(t)
	t.Run("C061 one start key is one run", func(t *testing.T) { oneStartKeyIsOneRun(t, p) })
	t.Run("workers killed at random", func(t *testing.T) { workersKilledAtRandom(t, p) })
}

// Killing workers at random while runs go through loses and doubles nothing.
func workersKilledAtRandom(t *testing.T, p *production) {
	short := strings.ReplaceAll(tenSteps(), `"account":"main"`, `"account":"main","timeout":"2s"`)
	publish(t, p.apis[0], "ten", short)
	before := len(p.target.Hits())
	posted := p.target.Count("POST", "/") + p.target.Count("PATCH", "/")
	ids := make([]string, processRuns)
	for i := range ids {
		ids[i] = begin(t, p.apis[i%2], "ten", map[string]string{"run": fmt.Sprintf("r%03d", i)})
		if i%(processRuns/processKills) == processRuns/processKills-1 {
			p.killOne()
		}
	}
	unknowns := 0
	for i, id := range ids {
		unknowns += settle(t, p.apis[(i+1)%2], id)
	}
	if d := p.target.Doubled(); d != nil {
		t.Errorf("doubled: %v", d)
	}
	posts := p.target.Count("POST", "/") + p.target.Count("PATCH", "/") - posted
	if posts < 5*processRuns-unknowns || posts > 5*processRuns {
		t.Errorf("%d unsafe writes of %d were sent, %d unknown", posts, 5*processRuns, unknowns)
	}
	t.Logf("%d runs, %d kills, %d unknown steps were settled, %d requests", processRuns, processKills, unknowns, len(p.target.Hits())-before)
}

// A start with the same Idempotency-Key on both servers at once is one run.
func oneStartKeyIsOneRun(t *testing.T, p *production) {
	setUp(t, p.apis[0], "one", document("One", action("make", "create_order", `{"title":"x"}`, ""), ""))
	before := p.target.Count("POST", "/orders")
	var wg sync.WaitGroup
	ids := make([]string, 50)
	for i := range ids {
		wg.Go(func() {
			var r runOf
			api := p.apis[i%2]
			if err := api.With("Idempotency-Key", "d-1").Do(context.Background(), http.MethodPost, "/projects/default/automations/one/runs", map[string]any{"input": map[string]any{}}, &r); err != nil {
				t.Error(err)
			}
			ids[i] = r.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("two runs: %s and %s", ids[0], id)
		}
	}
	eventually(t, func() bool { return show(t, p.apis[1], ids[0]).State == "succeeded" })
	if n := p.target.Count("POST", "/orders") - before; n != 1 {
		t.Errorf("%d orders, want 1", n)
	}
}
