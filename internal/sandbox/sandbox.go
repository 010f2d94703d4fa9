// Package sandbox joins the JavaScript engine and the guarded client: it calls a tool of a plugin's module and performs
// the requests that the module asks for, under the rules for hosts. Runs and test calls use it alike.
package sandbox

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"pawl/actions"
	"pawl/actions/httpcall"
	"pawl/actions/jsbox"
	"pawl/internal/fault"
)

// Fetcher performs requests; it is httpcall.Client.
type Fetcher interface {
	Fetch(ctx context.Context, f httpcall.Fetch) (answer httpcall.Fetched, sent bool, err error)
}

// Box calls tools. It is safe for concurrent use.
type Box struct {
	Engine *jsbox.Engine
	Client Fetcher
}

// Call is one call of a tool.
type Call struct {
	Tool  *actions.Tool
	Input json.RawMessage
	Stage jsbox.Stage
	// Allow is asked before each request, with its connection open and before its first byte: whether the host may be
	// reached now. The instant is the latest at which the first byte may go out, zero for no bound. An error means that
	// nothing is sent; a *fault.Error is what the module reads.
	Allow func(ctx context.Context, host string) (sendBy time.Time, err error)
}

// Request is one request that a module asked for.
type Request struct {
	Method string       `json:"method"`
	URL    string       `json:"url"` // at most maxURLShown bytes of it
	Status int          `json:"status,omitempty"`
	Error  *fault.Error `json:"error,omitempty"`
	// Sent says that a byte of it may have gone out.
	Sent bool `json:"sent"`
}

// Outcome is what is known of a call, of one that failed too.
type Outcome struct {
	Output   json.RawMessage
	Logs     []string
	Requests []Request // in the order in which they were asked for
}

// Trace is what a call leaves beside its output, as the ledger keeps it in the column logs.
type Trace struct {
	Logs     []string  `json:"logs,omitempty"`
	Requests []Request `json:"requests,omitempty"`
}

// Sent says whether a byte of any request may have gone out.
func (o *Outcome) Sent() bool {
	for i := range o.Requests {
		if o.Requests[i].Sent {
			return true
		}
	}
	return false
}

// Unanswered says whether a request went out, perhaps partly, and no answer came.
func (o *Outcome) Unanswered() bool {
	for i := range o.Requests {
		if r := &o.Requests[i]; r.Sent && r.Status == 0 {
			return true
		}
	}
	return false
}

// Load evaluates the tool's module in the sandbox, unless that was done before; the faults are those of jsbox.Engine.Load.
func (b *Box) Load(ctx context.Context, t *actions.Tool) (*jsbox.Module, error) {
	return b.Engine.Load(ctx, t.Digest, t.Code, t.Tools)
}

// Call holds the input against the tool's schema and runs the tool. The faults are those of jsbox.Module.Call and of
// schema.Schema.Validate.
func (b *Box) Call(ctx context.Context, m *jsbox.Module, c Call) (Outcome, error) {
	l := &log{}
	result, err := m.Call(ctx, jsbox.Call{Tool: c.Tool.Name, Input: c.Input, Stage: c.Stage, Fetch: b.fetch(c, l)})
	return Outcome{Output: result.Output, Logs: result.Logs, Requests: l.requests}, err
}

// CheckInput holds an input against the tool's schema. The first problem speaks, the others are its details.
func CheckInput(t *actions.Tool, input []byte) error {
	return fault.One(t.Input.Validate(input).Err())
}

func (b *Box) fetch(c Call, l *log) jsbox.Fetch {
	return func(ctx context.Context, q jsbox.FetchRequest) (jsbox.FetchResponse, error) {
		f := httpcall.Fetch{URL: q.URL, Method: q.Method, Headers: q.Headers, Hosts: c.Tool.Hosts, Timeout: jsbox.MaxTime}
		if q.Body != nil {
			f.Body = *q.Body
		}
		f.Permit = func(ctx context.Context, host string) (time.Time, error) { return c.Allow(ctx, host) }
		i := l.begin(q)
		answer, sent, err := b.Client.Fetch(ctx, f)
		l.end(i, answer.Status, sent, err)
		return jsbox.FetchResponse{Status: answer.Status, Headers: answer.Headers, Text: answer.Text}, err
	}
}

// log keeps the requests of one call; several may be under way at once.
type log struct {
	mu       sync.Mutex
	requests []Request
}

// maxURLShown bounds an address in the record of a call.
const maxURLShown = 2_000

func (l *log) begin(q jsbox.FetchRequest) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := Request{Method: q.Method, URL: q.URL}
	if r.Method == "" {
		r.Method = "GET"
	}
	if len(r.Method) > 20 {
		r.Method = r.Method[:20]
	}
	if len(r.URL) > maxURLShown {
		r.URL = r.URL[:maxURLShown]
	}
	l.requests = append(l.requests, r)
	return len(l.requests) - 1
}

func (l *log) end(i, status int, sent bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.requests[i]
	r.Status, r.Sent = status, sent
	if err != nil {
		r.Error = fault.From(err)
	}
}
