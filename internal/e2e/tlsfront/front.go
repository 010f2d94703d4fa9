package tlsfront

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"
)

// bodyMax is the largest request body that is taken, in bytes; Pawl sends none that is near it.
const bodyMax = 64 << 20

// Fault is what the front does to a request instead of passing it on and answering it.
type Fault int

const (
	// Pass does nothing: the request is served.
	Pass Fault = iota
	// CutBefore closes the connection after the request was read and before the server sees it.
	CutBefore
	// CutAfter lets the server do its work and closes the connection instead of answering.
	CutAfter
)

// Config describes a front.
type Config struct {
	// Authority issues the certificate. Nil makes one for this front.
	Authority *Authority
	// Hosts are the names that the certificate holds for.
	Hosts []string
	// Server answers: Proxy for one in another process.
	Server http.Handler
	// Interfere decides the fault of each request. Nil passes all. It may be called from several goroutines.
	Interfere func(Request) Fault
}

// Front is a running TLS server.
type Front struct {
	config   Config
	server   *http.Server
	listener net.Listener

	mu  sync.Mutex
	log []Request
}

// Request is one line of the front's log.
type Request struct {
	// Started is when the request's head had been read, on this process's clock.
	Started time.Time
	Method  string
	Host    string
	// Path is as sent, escaped; Query is what follows the question mark.
	Path  string
	Query string
	// Body is the SHA-256 of the body in hexadecimal, Size its length in bytes.
	Body string
	Size int
	// Key is the Idempotency-Key header, Header all that was sent.
	Key    string
	Header http.Header
	// Remote is the other end of the connection: requests with the same one came over the same connection.
	Remote string
	// Fault is what was done to it, Status what it was answered with (0: nothing).
	Fault  Fault
	Status int
}

// Start listens on a free port of the loopback interface.
func Start(c Config) (*Front, error) {
	if c.Authority == nil {
		a, err := NewAuthority()
		if err != nil {
			return nil, err
		}
		c.Authority = a
	}
	own, err := c.Authority.Issue(c.Hosts...)
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	f := &Front{config: c, listener: listener}
	f.server = &http.Server{
		Handler:   http.HandlerFunc(f.serve),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{own}},
		ErrorLog:  slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // handshakes that tests let fail
	}
	go func() { _ = f.server.ServeTLS(listener, "", "") }() // ends with Close, and always with an error
	return f, nil
}

// Address is host:port of the front.
func (f *Front) Address() string { return f.listener.Addr().String() }

// ConnectTo is the text for PAWL_EGRESS_CONNECT_TO that leads a host name here.
func (f *Front) ConnectTo(host string) string { return host + "=" + f.Address() }

// Authority is what must be trusted to reach the front.
func (f *Front) Authority() *Authority { return f.config.Authority }

// Close ends the front and its connections.
func (f *Front) Close() error { return f.server.Close() }

// Requests is a copy of the log, in the order in which the requests started.
func (f *Front) Requests() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Request(nil), f.log...)
}

// Count is how many requests of the log satisfy the condition.
func (f *Front) Count(is func(Request) bool) int {
	n := 0
	for _, r := range f.Requests() {
		if is(r) {
			n++
		}
	}
	return n
}

func (f *Front) serve(w http.ResponseWriter, r *http.Request) {
	i := f.begin(r)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyMax))
	seen := f.note(i, func(q *Request) {
		sum := sha256.Sum256(body)
		q.Body, q.Size = hex.EncodeToString(sum[:]), len(body)
	})
	if err != nil {
		panic(http.ErrAbortHandler) // the other end broke off, or sent too much: no answer either way
	}
	fault := Pass
	if f.config.Interfere != nil {
		fault = f.config.Interfere(seen)
		f.note(i, func(q *Request) { q.Fault = fault })
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	switch fault {
	case CutBefore:
		panic(http.ErrAbortHandler)
	case CutAfter:
		f.config.Server.ServeHTTP(&discard{header: http.Header{}}, r)
		panic(http.ErrAbortHandler)
	default:
		f.config.Server.ServeHTTP(&noting{ResponseWriter: w, note: func(status int) {
			f.note(i, func(q *Request) { q.Status = status })
		}}, r)
	}
}

// begin adds a line to the log before anything else is read.
func (f *Front) begin(r *http.Request) (line int) {
	q := Request{
		Started: time.Now(), Method: r.Method, Host: r.Host, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery,
		Key: r.Header.Get("Idempotency-Key"), Header: r.Header.Clone(), Remote: r.RemoteAddr,
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, q)
	return len(f.log) - 1
}

func (f *Front) note(line int, change func(*Request)) Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.log[line])
	return f.log[line]
}

// Proxy passes requests on to a plain HTTP server at host:port, one connection each: a kept one that dies would
// make Go's client send some requests twice.
func Proxy(address string) http.Handler {
	target := &url.URL{Scheme: "http", Host: address}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		},
		Transport: &http.Transport{DisableKeepAlives: true},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) {
			if !errors.Is(err, http.ErrAbortHandler) {
				panic(http.ErrAbortHandler) // the server behind is gone: so is the answer
			}
		},
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
}

// noting remembers the status of an answer.
type noting struct {
	http.ResponseWriter
	note func(status int)
	once sync.Once
}

// WriteHeader notes the status.
func (n *noting) WriteHeader(status int) {
	n.once.Do(func() { n.note(status) })
	n.ResponseWriter.WriteHeader(status)
}

// Write notes the status 200 that a first Write implies.
func (n *noting) Write(b []byte) (int, error) {
	n.once.Do(func() { n.note(http.StatusOK) })
	return n.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController flush.
func (n *noting) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// discard takes an answer that nobody gets.
type discard struct{ header http.Header }

// Header is what nobody reads.
func (d *discard) Header() http.Header { return d.header }

// Write takes everything.
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }

// WriteHeader does nothing.
func (d *discard) WriteHeader(int) {}
