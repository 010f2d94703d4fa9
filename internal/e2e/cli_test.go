package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pawl/internal/e2e/process"
	"pawl/internal/e2e/tlsfront"
)

// shopKey is the key of the account main; nothing but the target may ever see it.
const shopKey = "k3y/of+the=shop&account"

// newFronted is an installation whose connections to a host lead to a front of the test.
func newFronted(t *testing.T, host string, server http.Handler, interfere func(tlsfront.Request) tlsfront.Fault) (*installation, *tlsfront.Front) {
	t.Helper()
	front, err := tlsfront.Start(tlsfront.Config{Hosts: []string{host}, Server: server, Interfere: interfere})
	must(t, err)
	t.Cleanup(func() { must(t, front.Close()) })
	ca := filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(ca, front.Authority().PEM(), 0o600))
	in := &installation{t: t, dir: t.TempDir(), address: process.FreeAddress(t)}
	must(t, os.Chmod(filepath.Dir(in.dir), 0o755)) // PostgreSQL runs as another user when the test is root
	must(t, os.Chmod(in.dir, 0o755))
	in.env = []string{"PAWL_EGRESS_CA=" + ca, "PAWL_EGRESS_ALLOW=" + host + "=127.0.0.0/8", "PAWL_EGRESS_CONNECT_TO=" + front.ConnectTo(host)}
	in.start()
	return in, front
}

// commandLine runs pawl as a person at a terminal does.
type commandLine struct {
	t   *testing.T
	bin string
	env []string
}

func (in *installation) commandLine(t *testing.T) commandLine {
	t.Helper()
	return commandLine{t, process.Build(t, "cmd/pawl", "PAWL_BIN"), []string{"PAWL_URL=" + in.api.URL, "PAWL_KEY=" + in.api.Key, "PAWL_PROJECT=default"}}
}

// said is what a command printed and how it ended.
type said struct {
	code     int
	out, err string
}

func (c commandLine) say(input string, args ...string) said {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*soon)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.bin, args...)
	cmd.Env = append(os.Environ(), c.env...)
	cmd.Stdin = strings.NewReader(input)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		c.t.Fatalf("pawl %s: %v", strings.Join(args, " "), err)
	}
	return said{cmd.ProcessState.ExitCode(), out.String(), problems.String()}
}

// do runs a command that must be done, and gives what it printed.
func (c commandLine) do(args ...string) string {
	c.t.Helper()
	s := c.say("", args...)
	if s.code != 0 {
		c.t.Fatalf("pawl %s: exit code %d\n%s%s", strings.Join(args, " "), s.code, s.out, s.err)
	}
	return s.out
}

// read runs a command that must be done, with --json, and reads what it printed.
func (c commandLine) read(into any, args ...string) string {
	c.t.Helper()
	out := c.do(append(args, "--json")...)
	c.parse(out, into)
	return out
}

func (c commandLine) parse(text string, into any) {
	c.t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		c.t.Fatalf("%v in %q", err, text)
	}
}

// shown is a run as pawl run show --json and pawl run start --wait --json print it.
type shown struct {
	ID, Automation, State string
	Version               *int
	Error                 *trouble
	Input, Output         any
	StartedAt             *time.Time `json:"started_at"`
	FinishedAt            *time.Time `json:"finished_at"`
	Waiting               *struct {
		For, Key, Path string
		Since          time.Time
		Until          *time.Time
	}
	Steps []shownStep
}

type shownStep struct {
	Path, ID, Type, State, Action, Label string
	Count                                *int
	Input, Output                        any
	Error                                *trouble
	StartedAt                            *time.Time `json:"started_at"`
	FinishedAt                           *time.Time `json:"finished_at"`
	Attempts                             []struct {
		N          int
		State      string
		Status     *int
		Error      *trouble
		StartedAt  time.Time  `json:"started_at"`
		FinishedAt *time.Time `json:"finished_at"`
		Settled    *struct{ As, By string }
	}
}

// trouble is an error of a run or a step.
type trouble struct {
	Kind, Reason, Message string
	Where                 struct {
		Step, Expression, Pointer string
		Line, Column              int
	}
	Retryable bool
	Details   map[string]any
}

func (r *shown) step(t *testing.T, path string) shownStep {
	t.Helper()
	i := slices.IndexFunc(r.Steps, func(s shownStep) bool { return s.Path == path })
	if i < 0 {
		t.Fatalf("the run shows no step %s, only %s", path, r.states())
	}
	return r.Steps[i]
}

func (r *shown) states() string {
	var b strings.Builder
	for _, s := range r.Steps {
		fmt.Fprintf(&b, " %s:%s:%d", s.Path, s.State, len(s.Attempts))
	}
	return b.String()
}

// run starts a run, follows it to its end, and expects an exit code.
func (c commandLine) run(code int, name, input string) (shown, string) {
	c.t.Helper()
	s := c.say("", "run", "start", name, "--input", input, "--wait", "--json")
	if s.code != code {
		c.t.Fatalf("pawl run start %s: exit code %d, want %d\n%s%s", name, s.code, code, s.out, s.err)
	}
	var r shown
	c.parse(s.out, &r)
	return r, s.out
}

// start starts a run and does not wait for it.
func (c commandLine) start(name, input string) string {
	c.t.Helper()
	var r shown
	c.read(&r, "run", "start", name, "--input", input)
	return r.ID
}

// until asks for a run until it is in a state.
func (c commandLine) until(id, state string) (r shown) {
	c.t.Helper()
	eventually(c.t, func() bool {
		r = shown{}
		c.read(&r, "run", "show", id)
		return r.State == state || (r.FinishedAt != nil && r.State != state)
	})
	if r.State != state {
		c.t.Fatalf("run %s is %s, want %s; steps%s; %+v", id, r.State, state, r.states(), r.Error)
	}
	return r
}

// interference is what a test planned for some requests; all others pass.
type interference struct {
	mu    sync.Mutex
	plans []*plan
}

type plan struct {
	is    func(tlsfront.Request) bool
	times int
	fault tlsfront.Fault
	// met is closed when the first request meets the plan; until, if there, is waited for before it is served.
	met   chan struct{}
	until chan struct{}
}

// next lets the next requests of a kind meet a fault.
func (i *interference) next(times int, fault tlsfront.Fault, is func(tlsfront.Request) bool) {
	i.add(&plan{is: is, times: times, fault: fault})
}

// hold lets the next request of a kind wait until release is called; met is closed when it is there.
func (i *interference) hold(is func(tlsfront.Request) bool) (met <-chan struct{}, release func()) {
	p := &plan{is: is, times: 1, met: make(chan struct{}), until: make(chan struct{})}
	i.add(p)
	return p.met, sync.OnceFunc(func() { close(p.until) })
}

func (i *interference) add(p *plan) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.plans = append(i.plans, p)
}

// left says how many planned faults no request has met.
func (i *interference) left() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	n := 0
	for _, p := range i.plans {
		n += p.times
	}
	return n
}

func (i *interference) decide(r tlsfront.Request) tlsfront.Fault {
	p := i.take(r)
	if p == nil {
		return tlsfront.Pass
	}
	if p.met != nil {
		close(p.met)
		<-p.until
	}
	return p.fault
}

func (i *interference) take(r tlsfront.Request) *plan {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, p := range i.plans {
		if p.times > 0 && p.is(r) {
			p.times--
			return p
		}
	}
	return nil
}

func to(method, path string) func(tlsfront.Request) bool {
	return func(r tlsfront.Request) bool { return r.Method == method && strings.HasPrefix(r.Path, path) }
}

// await waits for a signal of the test's own.
func await(t *testing.T, what string, signal <-chan struct{}) {
	t.Helper()
	select {
	case <-signal:
	case <-time.After(soon):
		t.Fatalf("%s did not happen in time", what)
	}
}

// readTestdata reads a file of testdata.
func readTestdata(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	must(t, err)
	return string(b)
}

// writeFile writes a file as a person's editor would and gives its name.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}
