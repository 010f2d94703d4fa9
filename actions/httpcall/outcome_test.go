package httpcall_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/actions"
	"pawl/actions/egress"
	"pawl/actions/httpcall"
	"pawl/internal/fault"
)

func post(body string) *httpcall.Exchange {
	return &httpcall.Exchange{
		Request: &httpcall.Request{Method: "POST", URL: "https://" + host + "/x", Body: []byte(body)},
		Effect:  actions.Unsafe,
	}
}

func TestStatusesBecomeKinds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		status     int
		retryAfter string
		want       fault.Kind
		reason     string
	}{
		{name: "ok", status: 200},
		{name: "created", status: 201},
		{name: "no content", status: 204},
		{name: "partial", status: 206},
		{name: "unauthorized", status: 401, want: fault.Unauthorized},
		{name: "forbidden", status: 403, want: fault.Rejected},
		{name: "not found", status: 404, want: fault.Rejected},
		{name: "unprocessable", status: 422, want: fault.Rejected},
		{name: "unknown 4xx", status: 499, want: fault.Rejected},
		{name: "too many", status: 429, want: fault.RateLimited},
		{name: "too many, with a time", status: 429, retryAfter: "7", want: fault.RateLimited},
		{name: "unavailable", status: 503, want: fault.ProviderError},
		{name: "unavailable, with a time", status: 503, retryAfter: "7", want: fault.RateLimited},
		{name: "unavailable, with nonsense", status: 503, retryAfter: "soon", want: fault.ProviderError},
		{name: "internal", status: 500, want: fault.ProviderError},
		{name: "gateway", status: 502, want: fault.ProviderError},
		{name: "unknown 5xx", status: 599, want: fault.ProviderError},
		{name: "not modified", status: 304, want: fault.InvalidResponse, reason: "status"},
		{name: "beyond", status: 700, want: fault.InvalidResponse, reason: "status"},
	}
	for _, effect := range []actions.Effect{actions.Read, actions.Safe, actions.Unsafe} {
		for _, tt := range tests {
			t.Run(tt.name+" "+string(effect), func(t *testing.T) {
				t.Parallel()
				c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
					if tt.retryAfter != "" {
						w.Header().Set("Retry-After", tt.retryAfter)
					}
					w.WriteHeader(tt.status)
				})
				x := post("{}")
				x.Effect = effect
				a, f := do(t, c, x)
				check(t, a, f, tt.want, tt.reason, true)
				if a.Status != tt.status || f != nil && (f.Status != tt.status || !strings.Contains(f.Message, host)) {
					t.Errorf("answer %d, fault %v", a.Status, f)
				}
			})
		}
	}
}

func TestC043ErrorsKeepTheAnswer(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "0")
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "r-1")
		w.Header()["Date"] = nil
		w.WriteHeader(http.StatusTooManyRequests)
		io.WriteString(w, `{"error":"slow down"}`)
	})
	a, f := do(t, c, get("/"))
	check(t, a, f, fault.RateLimited, "", true)
	want := map[string]any{
		"body": `{"error":"slow down"}`, "retry_after_ms": int64(0),
		"headers": map[string]string{"content-type": "application/json", "retry-after": "0", "x-request-id": "r-1"},
	}
	if diff := cmp.Diff(want, f.Details); diff != "" {
		t.Error(diff)
	}
	if body(a) != `{"error":"slow down"}` || !cmp.Equal(a.RetryAfter, httpcall.RetryAfter{Given: true}) {
		t.Errorf("got %+v", a)
	}
}

func TestErrorBodiesAreBounded(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		io.CopyN(w, zeros{}, 1<<20)
	})
	a, f := do(t, c, get("/"))
	check(t, a, f, fault.Rejected, "", true)
	if text, _ := f.Details["body"].(string); len(text) > 2010 || len(a.Body.Text) > 2010 || len(text) < 2000 {
		t.Errorf("excerpts of %d and %d bytes", len(text), len(a.Body.Text))
	}
}

func TestC045RetryAfter(t *testing.T) {
	t.Parallel()
	date := time.Now().UTC().Add(-90 * 24 * time.Hour).Truncate(time.Second) // a server whose clock is wrong
	tests := []struct {
		name, retryAfter string
		want             httpcall.RetryAfter
	}{
		{name: "date", retryAfter: date.Add(5 * time.Second).Format(http.TimeFormat), want: httpcall.RetryAfter{Given: true, Delay: 5 * time.Second}},
		{name: "RFC 850 date", retryAfter: date.Add(5 * time.Second).Format("Monday, 02-Jan-06 15:04:05 GMT"), want: httpcall.RetryAfter{Given: true, Delay: 5 * time.Second}},
		{name: "past date", retryAfter: date.Add(-time.Hour).Format(http.TimeFormat), want: httpcall.RetryAfter{Given: true}},
		{name: "seconds", retryAfter: "7", want: httpcall.RetryAfter{Given: true, Delay: 7 * time.Second}},
		{name: "zero", retryAfter: "0", want: httpcall.RetryAfter{Given: true}},
		{name: "absent", retryAfter: ""},
		{name: "word", retryAfter: "soon"},
		{name: "negative", retryAfter: "-3"},
		{name: "fraction", retryAfter: "1.5", want: httpcall.RetryAfter{Given: true, Delay: 1500 * time.Millisecond}},
		{name: "dots", retryAfter: "1.2.3"},
		{name: "infinity", retryAfter: "Inf"},
		{name: "exponent", retryAfter: "1e3"},
		{name: "absurd", retryAfter: strings.Repeat("9", 400), want: httpcall.RetryAfter{Given: true, Delay: 720 * time.Hour}},
		{name: "long", retryAfter: "99999999999", want: httpcall.RetryAfter{Given: true, Delay: 720 * time.Hour}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Date", date.Format(http.TimeFormat))
				if tt.retryAfter != "" {
					w.Header().Set("Retry-After", tt.retryAfter)
				}
				w.WriteHeader(http.StatusTooManyRequests)
			})
			a, f := do(t, c, get("/"))
			check(t, a, f, fault.RateLimited, "", true)
			if a.RetryAfter != tt.want {
				t.Errorf("got %+v, want %+v", a.RetryAfter, tt.want)
			}
		})
	}
}

// What is known when no answer comes, for each effect.
func TestC041LostAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		say     func(conn net.Conn, request, onConn int) string
		timeout time.Duration
		reason  string
		again   fault.Kind // for a read or a safe effect
		word    string     // its reason
	}{
		{name: "closed", say: func(net.Conn, int, int) string { return "" }, reason: "connection_lost", again: fault.Network, word: "connection_lost"},
		{name: "reset", say: func(c net.Conn, _, _ int) string { reset(c); return "" }, reason: "connection_lost", again: fault.Network, word: "connection_lost"},
		{name: "closed in the head", say: func(c net.Conn, _, _ int) string { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-"); return "" }, reason: "connection_lost", again: fault.Network, word: "connection_lost"},
		{name: "no HTTP", say: func(c net.Conn, _, _ int) string { io.WriteString(c, "SSH-2.0-x\r\n\r\n"); return "" }, reason: "invalid_http", again: fault.InvalidResponse, word: "invalid_http"},
		{name: "head too large", say: func(c net.Conn, _, _ int) string {
			return "HTTP/1.1 200 OK\r\nX-A: " + strings.Repeat("x", 100<<10) + "\r\n\r\n"
		}, reason: "invalid_http", again: fault.InvalidResponse, word: "invalid_http"},
		{name: "silent", say: func(c net.Conn, _, _ int) string { io.Copy(io.Discard, c); return "" }, timeout: 200 * time.Millisecond, reason: "timeout", again: fault.Timeout},
	}
	for _, tt := range tests {
		for _, effect := range []actions.Effect{actions.Read, actions.Safe, actions.Unsafe} {
			t.Run(tt.name+" "+string(effect), func(t *testing.T) {
				t.Parallel()
				c, w := serveWire(t, tt.say)
				x := post(`{"amount":5}`)
				x.Effect, x.Timeout = effect, tt.timeout
				a, f := do(t, c, x)
				if effect == actions.Unsafe {
					check(t, a, f, fault.OutcomeUnknown, tt.reason, true)
				} else {
					check(t, a, f, tt.again, tt.word, true)
				}
				if len(w.seen()) != 1 || a.Status != 0 || !strings.Contains(f.Message, host) {
					t.Errorf("the server saw %d requests; answer %+v, fault %v", len(w.seen()), a, f)
				}
			})
		}
	}
}

// The status is there and the rest of the answer is not: for an unsafe effect the status is the outcome.
func TestAnswersThatBreakOff(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nhalf"
	const chunked = "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"
	for _, start := range []string{head, chunked} {
		tests := []struct {
			effect actions.Effect
			end    string
			kind   fault.Kind
			reason string
		}{
			{effect: actions.Unsafe, end: "close", kind: fault.InvalidResponse, reason: "truncated"},
			{effect: actions.Unsafe, end: "hang", kind: fault.InvalidResponse, reason: "truncated"},
			{effect: actions.Safe, end: "close", kind: fault.Network, reason: "connection_lost"},
			{effect: actions.Read, end: "reset", kind: fault.Network, reason: "connection_lost"},
			{effect: actions.Read, end: "hang", kind: fault.Timeout},
		}
		for _, tt := range tests {
			t.Run(string(tt.effect)+" "+tt.end, func(t *testing.T) {
				t.Parallel()
				c, _ := serveWire(t, func(conn net.Conn, _, _ int) string {
					io.WriteString(conn, start)
					switch tt.end {
					case "hang":
						io.Copy(io.Discard, conn)
					case "reset":
						reset(conn)
					}
					return ""
				})
				x := post("{}")
				x.Effect, x.Timeout = tt.effect, 300*time.Millisecond
				a, f := do(t, c, x)
				check(t, a, f, tt.kind, tt.reason, true)
				if a.Status != 201 || f.Status != 201 {
					t.Errorf("status %d, %d", a.Status, f.Status)
				}
			})
		}
	}
}

func TestC091NothingWasSent(t *testing.T) {
	t.Parallel()
	pool, _ := authority(t, "elsewhere.test")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := l.Addr().String()
	l.Close()
	_, server := serve(t, say(200, "", ""))
	untrusting := client(t, pool, egress.ConnectTo{host: server.Listener.Addr().String()})
	refused := client(t, pool, egress.ConnectTo{host: refusing})
	tests := []struct {
		name   string
		client *httpcall.Client
		url    string
		kind   fault.Kind
		reason string
	}{
		{name: "connect", client: refused, url: "https://" + host, kind: fault.Network, reason: "connect_refused"},
		{name: "certificate", client: untrusting, url: "https://" + host, kind: fault.Network, reason: "tls"},
		{name: "private address", client: refused, url: "https://127.0.0.1/", kind: fault.BlockedAddress, reason: "private_address"},
		{name: "metadata", client: refused, url: "https://[::ffff:169.254.169.254]/", kind: fault.BlockedAddress, reason: "private_address"},
		{name: "port", client: refused, url: "https://" + other + ":8443/", kind: fault.BlockedAddress, reason: "port"},
		{name: "plain HTTP", client: refused, url: "http://" + host + "/", kind: fault.BlockedAddress, reason: "not_https"},
	}
	for _, tt := range tests {
		for _, effect := range []actions.Effect{actions.Read, actions.Unsafe} {
			t.Run(tt.name+" "+string(effect), func(t *testing.T) {
				t.Parallel()
				x := post("{}")
				x.Effect, x.Request.URL = effect, tt.url
				x.Permit = func(context.Context) (time.Time, error) {
					t.Error("Permit was called without a connection")
					return time.Time{}, nil
				}
				a, f := do(t, tt.client, x)
				check(t, a, f, tt.kind, tt.reason, false)
			})
		}
	}
}

func TestC092CancelEndsTheCall(t *testing.T) {
	t.Parallel()
	for effect, kind := range map[actions.Effect]fault.Kind{actions.Read: fault.Cancelled, actions.Safe: fault.Cancelled, actions.Unsafe: fault.OutcomeUnknown} {
		t.Run(string(effect), func(t *testing.T) {
			t.Parallel()
			arrived, gone := make(chan struct{}), make(chan struct{})
			c, _ := serveWire(t, func(conn net.Conn, _, _ int) string {
				close(arrived)
				io.Copy(io.Discard, conn) // ends when the client closes
				close(gone)
				return ""
			})
			ctx, cancel := context.WithCancel(context.Background())
			go func() { <-arrived; cancel() }()
			x := post("{}")
			x.Effect = effect
			a, f := doContext(ctx, t, c, x)
			reason := ""
			if effect == actions.Unsafe {
				reason = "cancelled"
			}
			check(t, a, f, kind, reason, true)
			<-gone
		})
	}
	t.Run("before", func(t *testing.T) {
		t.Parallel()
		c, w := serveWire(t, ok)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		a, f := doContext(ctx, t, c, post("{}"))
		check(t, a, f, fault.Cancelled, "", false)
		if len(w.seen()) != 0 {
			t.Error("the server saw a request")
		}
	})
}
