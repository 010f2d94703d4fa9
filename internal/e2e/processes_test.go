package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

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
	workers []*process.Program
	servers []*process.Program
	listen  []string // of the servers
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
		p.listen = append(p.listen, listen)
		p.servers = append(p.servers, p.server(listen))
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

func (p *production) server(listen string) *process.Program {
	p.t.Helper()
	s := process.Start(p.t, append(p.env, "PAWL_LISTEN="+listen), p.bin, "serve")
	s.WaitFor(p.t, "serving")
	return s
}

// killWorker kills a random worker and starts another one.
func (p *production) killWorker() {
	i := rand.IntN(len(p.workers))
	p.workers[i].Kill()
	p.workers[i] = p.worker()
}

// killServer kills a random server and starts another one at its address.
func (p *production) killServer() {
	i := rand.IntN(len(p.servers))
	p.servers[i].Kill()
	p.servers[i] = p.server(p.listen[i])
}

// Do calls one of the servers; a call that is lost with its server goes to the other one.
func (p *production) Do(ctx context.Context, method, path string, body, out any) error {
	var err error
	for try := range 100 {
		if err = p.apis[(try+rand.IntN(2))%2].Do(ctx, method, path, body, out); !lostCall(err) {
			return err
		}
		<-time.After(100 * time.Millisecond)
	}
	return err
}

func lostCall(err error) bool {
	var dial *url.Error
	var read *net.OpError
	return errors.As(err, &dial) || errors.As(err, &read) || errors.Is(err, io.ErrUnexpectedEOF)
}

func TestSeveralProcesses(t *testing.T) {
	t.Parallel()
	p := newProduction(t)
	t.Run("C061 one start key is one run", func(t *testing.T) { oneStartKeyIsOneRun(t, p) })
	t.Run("processes killed at random", func(t *testing.T) { killedAtRandom(t, p) })
}

// Killing processes at random while runs go through loses and doubles nothing: workers always, in make chaos servers too.
func killedAtRandom(t *testing.T, p *production) {
	short := strings.ReplaceAll(tenSteps(), `"account":"main"`, `"account":"main","timeout":"2s"`)
	publish(t, p.apis[0], "ten", short)
	before := len(p.target.Hits())
	var lost loss
	for r := newRounds(t); r.next(); {
		p.killUnder(t, r.n, &lost)
	}
	if d := p.target.Doubled(); d != nil {
		t.Errorf("doubled: %v", d)
	}
	shows(t, "%v, %d requests, none doubled", &lost, len(p.target.Hits())-before)
}

// killUnder starts processRuns runs, kills a process every now and then, and waits for all of them.
func (p *production) killUnder(t *testing.T, round int, lost *loss) {
	posted := p.unsafeWrites()
	ids := make([]string, processRuns)
	for i := range ids {
		ids[i] = p.begin(t, fmt.Sprintf("r%d-%03d", round, i))
		if i%(processRuns/processKills) != processRuns/processKills-1 {
			continue
		}
		if lost.kills++; whole && lost.kills%3 == 0 {
			p.killServer()
		} else {
			p.killWorker()
		}
	}
	unknowns := 0
	for _, id := range ids {
		unknowns += settle(t, p, id)
	}
	if n := p.unsafeWrites() - posted; n < 5*processRuns-unknowns || n > 5*processRuns {
		t.Errorf("%d unsafe writes of %d were sent, %d unknown", n, 5*processRuns, unknowns)
	}
	lost.rounds, lost.runs, lost.unknown = round, lost.runs+len(ids), lost.unknown+unknowns
}

// begin starts a run; asked again after a lost call it is the same one.
func (p *production) begin(t *testing.T, run string) string {
	t.Helper()
	var r runOf
	body := map[string]any{"input": map[string]string{"run": run}}
	must(t, p.with("Idempotency-Key", run).Do(t.Context(), http.MethodPost, "/projects/default/automations/ten/runs", body, &r))
	return r.ID
}

// with gives the same servers, called with one more header.
func (p *production) with(name, value string) *production {
	c := *p
	c.apis = []process.API{p.apis[0].With(name, value), p.apis[1].With(name, value)}
	return &c
}

func (p *production) unsafeWrites() int {
	return p.target.Count("POST", "/") + p.target.Count("PATCH", "/")
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
