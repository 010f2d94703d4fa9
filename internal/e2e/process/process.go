// Package process starts Pawl's own programs for tests, kills them, and talks to their API.
package process

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Ready is how long a program may take until it is ready.
const Ready = 90 * time.Second

// Build builds a program of this repository once per test process; env names one that is built already.
func Build(t testing.TB, pkg, env string) string {
	t.Helper()
	if bin := os.Getenv(env); env != "" && bin != "" {
		return bin
	}
	builds.Lock()
	defer builds.Unlock()
	if bin, ok := builds.done[pkg]; ok {
		return bin
	}
	if builds.dir == "" {
		dir, err := os.MkdirTemp("", "pawl-bin-")
		if err != nil {
			t.Fatal(err)
		}
		builds.dir, builds.done = dir, map[string]string{}
	}
	bin := filepath.Join(builds.dir, filepath.Base(pkg)+fmt.Sprint(len(builds.done)))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", bin, ".")
	cmd.Dir = filepath.Join(Root(), pkg)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	builds.done[pkg] = bin
	return bin
}

var builds struct { //nolint:gochecknoglobals // a test process builds each program once
	sync.Mutex
	dir  string
	done map[string]string
}

// Root is the repository's folder.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// FreeAddress is an address of the loopback interface that was free a moment ago.
func FreeAddress(t testing.TB) string {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// Program is a started program.
type Program struct {
	Cmd  *exec.Cmd
	Out  *Log
	done chan struct{}
}

// Log collects what a program prints.
type Log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write adds to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// String is all that was printed.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// Start starts a program with settings beside the test's own environment, and ends it with the test.
func Start(t testing.TB, env []string, bin string, args ...string) *Program {
	t.Helper()
	p := &Program{Cmd: exec.CommandContext(context.WithoutCancel(t.Context()), bin, args...), Out: &Log{}, done: make(chan struct{})}
	p.Cmd.Env = append(os.Environ(), env...)
	p.Cmd.Stdout, p.Cmd.Stderr = p.Out, p.Out
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = p.Cmd.Wait(); close(p.done) }()
	t.Cleanup(func() {
		p.Signal(syscall.SIGTERM)
		select {
		case <-p.done:
		case <-time.After(60 * time.Second):
			p.Kill()
		}
		if t.Failed() {
			t.Logf("%s printed:\n%s", filepath.Base(bin), tail(p.Out.String()))
		}
	})
	return p
}

func tail(s string) string {
	if len(s) > 6000 {
		return "…" + s[len(s)-6000:]
	}
	return s
}

// Signal sends a signal; the program may have ended.
func (p *Program) Signal(s syscall.Signal) { _ = p.Cmd.Process.Signal(s) }

// Kill kills the program as kill -9 does, and waits until it is gone.
func (p *Program) Kill() {
	_ = p.Cmd.Process.Kill()
	<-p.done
}

// Done is closed when the program has ended.
func (p *Program) Done() <-chan struct{} { return p.done }

// WaitFor waits until the program has printed a text, and gives the line that holds it.
func (p *Program) WaitFor(t testing.TB, text string) string {
	t.Helper()
	for deadline := time.Now().Add(Ready); ; {
		lines := bufio.NewScanner(strings.NewReader(p.Out.String()))
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				return lines.Text()
			}
		}
		select {
		case <-p.done:
			t.Fatalf("the program ended:\n%s", tail(p.Out.String()))
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("the program did not print %q:\n%s", text, tail(p.Out.String()))
		}
	}
}

// API talks to a server.
type API struct {
	URL, Key string
	header   http.Header
}

// With gives the API with one more header in each request.
func (a API) With(name, value string) API {
	a.header = a.header.Clone()
	if a.header == nil {
		a.header = http.Header{}
	}
	a.header.Set(name, value)
	return a
}

// Do sends a request and reads the answer into out, which may be nil. Problems are errors.
func (a API) Do(ctx context.Context, method, path string, body, out any) error {
	var in io.Reader
	switch b := body.(type) {
	case nil:
	case []byte:
		in = bytes.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			return err
		}
		in = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.URL+"/api/v1"+path, in)
	if err != nil {
		return err
	}
	for name, values := range a.header {
		req.Header[name] = values
	}
	req.Header.Set("Authorization", "Bearer "+a.Key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Timeout: Ready}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode > 299 {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, text)
	}
	if out == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, out)
}
