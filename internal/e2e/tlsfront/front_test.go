package tlsfront_test

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pawl/internal/e2e/tlsfront"
)

// client dials the front whatever name it is asked for, and trusts its authority only.
func client(f *tlsfront.Front) *http.Client {
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: f.Authority().Pool()},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, f.Address())
		},
	}}
}

func start(t *testing.T, c tlsfront.Config) *tlsfront.Front {
	t.Helper()
	f, err := tlsfront.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func post(t *testing.T, f *tlsfront.Front, address, body string) (string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Idempotency-Key", "k1")
	r.GetBody = nil // or Go sends it again by itself when the connection dies
	answer, err := client(f).Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	return fmt.Sprint(answer.StatusCode, " ", string(b)), err
}

func TestProxiesAndLogs(t *testing.T) {
	t.Parallel()
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "%s %s %s", r.Host, r.RequestURI, b)
	}))
	defer behind.Close()
	f := start(t, tlsfront.Config{Hosts: []string{"api.shop.example"}, Server: tlsfront.Proxy(behind.Listener.Addr().String())})
	before := time.Now()
	got, err := post(t, f, "https://api.shop.example/a%2Fb?q=%20", "body")
	if want := "201 api.shop.example /a%2Fb?q=%20 body"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	sum := sha256.Sum256([]byte("body"))
	want := []tlsfront.Request{{
		Method: "POST", Host: "api.shop.example", Path: "/a%2Fb", Query: "q=%20",
		Body: hex.EncodeToString(sum[:]), Size: 4, Key: "k1", Status: 201,
	}}
	log := f.Requests()
	if d := cmp.Diff(want, log, cmpopts.IgnoreFields(tlsfront.Request{}, "Started", "Header", "Remote")); d != "" {
		t.Error(d)
	}
	if log[0].Started.Before(before) || log[0].Started.After(time.Now()) {
		t.Errorf("started at %v", log[0].Started)
	}
}

func TestOtherNamesAreRefused(t *testing.T) {
	t.Parallel()
	f := start(t, tlsfront.Config{Hosts: []string{"api.shop.example"}, Server: http.NotFoundHandler()})
	if got, err := post(t, f, "https://other.example/", ""); err == nil {
		t.Errorf("a certificate for another name was taken: %q", got)
	}
	if n := len(f.Requests()); n != 0 {
		t.Errorf("%d requests, want 0", n)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		fault  tlsfront.Fault
		served int32
		want   string // empty: no answer
	}{
		{name: "pass", fault: tlsfront.Pass, served: 1, want: "200 done"},
		{name: "cut before", fault: tlsfront.CutBefore, served: 0},
		{name: "cut after", fault: tlsfront.CutAfter, served: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var served atomic.Int32
			f := start(t, tlsfront.Config{
				Hosts:     []string{"h.example"},
				Interfere: func(tlsfront.Request) tlsfront.Fault { return tt.fault },
				Server: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					served.Add(1)
					io.WriteString(w, "done")
				}),
			})
			got, err := post(t, f, "https://h.example/", "x")
			if got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
			if served.Load() != tt.served {
				t.Errorf("the server saw %d requests, want %d", served.Load(), tt.served)
			}
			if n := f.Count(func(r tlsfront.Request) bool { return r.Fault == tt.fault && r.Method == http.MethodPost }); n != 1 {
				t.Errorf("the log holds %d requests, want 1", n)
			}
		})
	}
}

func TestServerBehindIsGone(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	f := start(t, tlsfront.Config{Hosts: []string{"h.example"}, Server: tlsfront.Proxy(l.Addr().String())})
	if got, err := post(t, f, "https://h.example/", "x"); err == nil {
		t.Errorf("got %q, want a cut connection", got)
	}
}
