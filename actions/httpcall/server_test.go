package httpcall_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/google/go-cmp/cmp"

	"pawl/actions"
	"pawl/actions/egress"
	"pawl/actions/httpcall"
	"pawl/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// host is the name of the service in the tests, other that of another one.
const (
	host  = "shop.test"
	other = "cdn.test"
)

// authority makes a certificate authority and a certificate of it for the names.
func authority(t testing.TB, names ...string) (*x509.CertPool, tls.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, DNSNames: names,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return pool, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// client makes a client that reaches the names at the addresses.
func client(t testing.TB, pool *x509.CertPool, to egress.ConnectTo) *httpcall.Client {
	t.Helper()
	c := httpcall.New(httpcall.Config{Version: "1.2.3", Guard: egress.New(egress.Config{
		CA: pool, ConnectTo: to,
		Allow: egress.Allow{host: {netip.MustParsePrefix("127.0.0.1/32")}, other: {netip.MustParsePrefix("127.0.0.1/32")}},
	})})
	t.Cleanup(c.Close)
	return c
}

// serve starts an HTTPS server for host and other, and gives a client for it.
func serve(t testing.TB, handler http.HandlerFunc) (*httpcall.Client, *httptest.Server) {
	t.Helper()
	pool, cert := authority(t, host, other)
	server := httptest.NewUnstartedServer(handler)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	server.StartTLS()
	t.Cleanup(server.Close)
	address := server.Listener.Addr().String()
	return client(t, pool, egress.ConnectTo{host: address, other: address}), server
}

// wire is a TLS server that speaks bytes: it keeps each request as it came and answers with what say gives; an
// empty answer closes the connection.
type wire struct {
	mu       sync.Mutex
	requests []string
	say      func(conn net.Conn, request, onConn int) string // both counted from 1
}

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func serveWire(t testing.TB, say func(conn net.Conn, request, onConn int) string) (*httpcall.Client, *wire) {
	t.Helper()
	pool, cert := authority(t, host, other)
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}})
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{say: say}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() { w.talk(conn) })
		}
	})
	c := client(t, pool, egress.ConnectTo{host: l.Addr().String(), other: l.Addr().String()})
	t.Cleanup(func() { l.Close(); c.Close(); open.Wait() })
	return c, w
}

func (w *wire) talk(conn net.Conn) {
	defer conn.Close()
	var seen bytes.Buffer
	in := bufio.NewReader(io.TeeReader(conn, &seen))
	for onConn := 1; ; onConn++ {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		w.mu.Lock()
		w.requests = append(w.requests, seen.String())
		n := len(w.requests)
		w.mu.Unlock()
		seen.Reset()
		answer := w.say(conn, n, onConn)
		if answer == "" {
			return
		}
		io.WriteString(conn, answer)
	}
}

func (w *wire) seen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.requests...)
}

// key is a Secret of the tests.
type key string

func (k key) Expose() string { return string(k) }

// get is an exchange of a read without a credential.
func get(path string) *httpcall.Exchange {
	return &httpcall.Exchange{
		Request: &httpcall.Request{Method: "GET", URL: "https://" + host + path},
		Effect:  actions.Read,
	}
}

func do(t testing.TB, c *httpcall.Client, x *httpcall.Exchange) (*httpcall.Answer, *fault.Error) {
	t.Helper()
	return doContext(context.Background(), t, c, x)
}

func doContext(ctx context.Context, t testing.TB, c *httpcall.Client, x *httpcall.Exchange) (*httpcall.Answer, *fault.Error) {
	t.Helper()
	answer, err := c.Do(ctx, x)
	if answer == nil {
		t.Fatal("Do gave no answer")
	}
	var f *fault.Error
	if err != nil && !errors.As(err, &f) {
		t.Fatalf("%v is no fault", err)
	}
	return answer, f
}

// check fails unless the fault has the kind and reason, and the sent flag is right. An empty kind wants none.
func check(t testing.TB, a *httpcall.Answer, f *fault.Error, kind fault.Kind, reason string, sent bool) {
	t.Helper()
	switch {
	case kind == "" && f != nil:
		t.Fatalf("got %v, want no fault", f)
	case kind != "" && (f == nil || f.Kind != kind || f.Reason != reason):
		t.Fatalf("got %v, want %s (%s)", f, kind, reason)
	}
	if diff := cmp.Diff(sent, a.Sent); diff != "" {
		t.Errorf("Sent: %s (%v)", diff, f)
	}
}
