package lab

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Host is the public name of the target.
const Host = "example.com"

// Hit is one request that the target saw.
type Hit struct {
	Method, Path, Body, Key, Auth string
	At                            time.Time
}

// Target is an app behind HTTPS that counts what it sees.
//
//	GET  /items/{n}          a list of n items with ids and long numbers
//	GET  /item/{id}          one item
//	GET  /pad/{bytes}        an item of that size
//	ANY  /orders[/{id}]      echoes, 201 for POST
//	ANY  /slow/{ms}          answers after so long
//	ANY  /status/{code}      answers with that status
//	ANY  /flaky/{key}/{n}    fails with 503 n times for each key, then answers
//	ANY  /vanish/{key}       reads the request and closes without an answer
//	ANY  /say/{name}         answers what was put under that name with Say
type Target struct {
	Server *httptest.Server

	mu     sync.Mutex
	hits   []Hit
	forget bool
	watch  func(method string)
	flaky  map[string]int
	said   map[string]Saying
}

// Saying is an answer that a test wants to be given.
type Saying struct {
	Status            int
	ContentType, Body string
}

// NewTarget starts a target.
func NewTarget() *Target {
	t := &Target{flaky: map[string]int{}, said: map[string]Saying{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items/{n}", items)
	mux.HandleFunc("GET /item/{id}", item)
	mux.HandleFunc("GET /pad/{bytes}", pad)
	mux.HandleFunc("/orders", t.order)
	mux.HandleFunc("/orders/{id}", t.order)
	mux.HandleFunc("/slow/{ms}", slow)
	mux.HandleFunc("/status/{code}", status)
	mux.HandleFunc("/flaky/{key}/{n}", t.fail)
	mux.HandleFunc("/vanish/{key}", vanish)
	mux.HandleFunc("/say/{name}", t.say)
	t.Server = httptest.NewUnstartedServer(t.record(mux))
	t.Server.EnableHTTP2 = false
	t.Server.StartTLS()
	return t
}

func (t *Target) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := time.Now()
		body, _ := io.ReadAll(r.Body)
		t.mu.Lock()
		if !t.forget {
			t.hits = append(t.hits, Hit{r.Method, r.URL.RequestURI(), string(body), r.Header.Get("Idempotency-Key"), r.Header.Get("Authorization"), at})
		}
		t.mu.Unlock()
		if t.watch != nil {
			t.watch(r.Method)
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		next.ServeHTTP(w, r)
	})
}

// Forget lets the target keep no log, for benchmarks.
func (t *Target) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget = true
}

// Watch calls f for each request, from several goroutines. Set it before the first one.
func (t *Target) Watch(f func(method string)) { t.watch = f }

// Hits gives what the target saw, oldest first.
func (t *Target) Hits() []Hit {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Hit(nil), t.hits...)
}

// Count counts the requests with a method to paths with a prefix.
func (t *Target) Count(method, prefix string) int {
	n := 0
	for _, h := range t.Hits() {
		if h.Method == method && strings.HasPrefix(h.Path, prefix) {
			n++
		}
	}
	return n
}

// Doubled lists the effects that the target saw more than once: for POST and PATCH by method, path and body; for PUT
// and DELETE those whose repetition had other bytes.
func (t *Target) Doubled() []string {
	seen := map[string]int{}
	bodies := map[string]string{}
	var doubled []string
	for _, h := range t.Hits() {
		sum := sha256.Sum256([]byte(h.Body))
		switch h.Method {
		case http.MethodPost, http.MethodPatch:
			k := h.Method + " " + h.Path + " " + hex.EncodeToString(sum[:8])
			if seen[k]++; seen[k] == 2 {
				doubled = append(doubled, k+" "+h.Body)
			}
		case http.MethodPut, http.MethodDelete:
			k := h.Method + " " + h.Path
			if was, ok := bodies[k]; ok && was != h.Body {
				doubled = append(doubled, k+": other bytes")
			}
			bodies[k] = h.Body
		}
	}
	return doubled
}

// Close ends the target.
func (t *Target) Close() { t.Server.Close() }

func writeJSON(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text)
}

func items(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.PathValue("n"))
	var b strings.Builder
	b.WriteString(`{"items":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"big":76159173374952512%02d,"total":%d.50}`, i, i%100, i*100)
	}
	b.WriteString(`]}`)
	writeJSON(w, 200, b.String())
}

func item(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, 200, `{"id":"`+r.PathValue("id")+`","ok":true}`)
}

func pad(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.PathValue("bytes"))
	writeJSON(w, 200, `{"pad":"`+strings.Repeat("x", n)+`"}`)
}

func (t *Target) order(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	code := http.StatusOK
	switch r.Method {
	case http.MethodPost:
		code = http.StatusCreated
	case http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if len(body) == 0 || r.Header.Get("Content-Type") != "application/json" {
		body = []byte(strconv.Quote(string(body)))
	}
	writeJSON(w, code, `{"id":"`+r.PathValue("id")+`","method":"`+r.Method+`","got":`+string(body)+`}`)
}

func slow(w http.ResponseWriter, r *http.Request) {
	ms, _ := strconv.Atoi(r.PathValue("ms"))
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
		writeJSON(w, 200, `{"slow":true}`)
	case <-r.Context().Done():
	}
}

func status(w http.ResponseWriter, r *http.Request) {
	code, _ := strconv.Atoi(r.PathValue("code"))
	writeJSON(w, code, fmt.Sprintf(`{"status":%d}`, code))
}

func (t *Target) fail(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.PathValue("n"))
	t.mu.Lock()
	t.flaky[r.PathValue("key")]++
	seen := t.flaky[r.PathValue("key")]
	t.mu.Unlock()
	if seen <= n {
		w.Header().Set("Retry-After", "0")
		writeJSON(w, 503, `{"try":"again"}`)
		return
	}
	writeJSON(w, 200, fmt.Sprintf(`{"tries":%d}`, seen))
}

// Say puts an answer under a name.
func (t *Target) Say(name string, s Saying) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said[name] = s
}

func (t *Target) say(w http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	s := t.said[r.PathValue("name")]
	t.mu.Unlock()
	w.Header().Set("Content-Type", s.ContentType)
	w.WriteHeader(max(s.Status, http.StatusOK))
	_, _ = io.WriteString(w, s.Body)
}

func vanish(_ http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }
