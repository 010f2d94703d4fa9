package local

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// demoHost is the demo app's public name; nobody can own one below .example (RFC 2606).
	demoHost = "shop.pawl-demo.example"
	// demoKey is the key of the demo account: the app checks it as a real one would.
	demoKey = "demo-key-0001"
)

// demoApp is a small app with an HTTPS API of its own, in this process: orders, tickets and a stock that is sometimes busy.
type demoApp struct {
	listener    net.Listener
	server      *http.Server
	certificate *x509.Certificate

	mu      sync.Mutex
	orders  []demoOrder
	tickets []map[string]any
	asked   int
}

type demoOrder struct {
	ID     string `json:"id"`
	Number int64  `json:"number"`
	Status string `json:"status"`
	Total  int    `json:"total"`
	Note   string `json:"note"`
}

func newDemoApp(ctx context.Context) (*demoApp, error) {
	cert, leaf, err := demoCertificate()
	if err != nil {
		return nil, fmt.Errorf("make the demo's certificate: %w", err)
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the demo app: %w", err)
	}
	d := &demoApp{listener: ln, certificate: leaf, orders: []demoOrder{
		{"o-1001", 7615917337495251231, "open", 1290, ""},
		{"o-1002", 7615917337495251232, "open", 240, ""},
		{"o-1003", 7615917337495251233, "shipped", 75, ""},
		{"o-1004", 7615917337495251234, "open", 2310, ""},
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders", d.listOrders)
	mux.HandleFunc("PATCH /orders/{id}", d.markOrder)
	mux.HandleFunc("POST /tickets", d.createTicket)
	mux.HandleFunc("GET /stock/{item}", d.stock)
	d.server = &http.Server{Handler: withDemoKey(mux), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_ = d.server.Serve(tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12})) // ends with close
	}()
	return d, nil
}

func (d *demoApp) close() { _ = d.server.Close() }

// demoCertificate is new at each start and trusted by this process only.
func demoCertificate() (tls.Certificate, *x509.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: demoHost}, DNSNames: []string{demoHost},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, leaf, err
}

func withDemoKey(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+demoKey {
			answer(w, http.StatusUnauthorized, map[string]any{"error": "wrong key"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the connection may be gone
}

func (d *demoApp) listOrders(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := []demoOrder{}
	for _, o := range d.orders {
		if s := r.URL.Query().Get("status"); s == "" || s == o.Status {
			found = append(found, o)
		}
	}
	answer(w, http.StatusOK, map[string]any{"items": found})
}

func (d *demoApp) markOrder(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Note string `json:"note"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		answer(w, http.StatusBadRequest, map[string]any{"error": "no JSON"})
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.orders {
		if d.orders[i].ID == r.PathValue("id") {
			d.orders[i].Note = in.Note
			answer(w, http.StatusOK, d.orders[i])
			return
		}
	}
	answer(w, http.StatusNotFound, map[string]any{"error": "no such order"})
}

func (d *demoApp) createTicket(w http.ResponseWriter, r *http.Request) {
	var in map[string]any
	dec := json.NewDecoder(r.Body)
	dec.UseNumber()
	if err := dec.Decode(&in); err != nil {
		answer(w, http.StatusBadRequest, map[string]any{"error": "no JSON"})
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	in["id"] = fmt.Sprintf("t-%d", len(d.tickets)+1)
	d.tickets = append(d.tickets, in)
	answer(w, http.StatusCreated, in)
}

// stock is busy every second time that it is asked, so that a retry wrapper has something to do.
func (d *demoApp) stock(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	d.asked++
	busy := d.asked%2 == 1
	d.mu.Unlock()
	if busy {
		w.Header().Set("Retry-After", "1")
		answer(w, http.StatusServiceUnavailable, map[string]any{"error": "busy"})
		return
	}
	answer(w, http.StatusOK, map[string]any{"item": r.PathValue("item"), "left": 12})
}
