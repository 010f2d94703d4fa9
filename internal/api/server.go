// Package api serves Pawl's HTTP API, described by the OpenAPI 3.1 document at /api/v1/openapi.json (docs/api.md),
// and the pages of the UI. routes.go holds the whole table of routes; each names the permission that it needs, and
// a request without credentials gets no further than the exact list of public ones.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/connections"
	"pawl/connections/release"
	"pawl/internal/agents"
	"pawl/internal/auth"
	"pawl/internal/store"
	"pawl/internal/tryout"
)

const prefix = "/api/v1"

// Config is what the server works with. All fields are needed but UI, without which no pages are served.
type Config struct {
	Store    *store.Store
	SignIns  *auth.SignIns
	Plugins  release.Stages
	Catalog  *release.Catalog
	Accounts connections.Accounts
	Grants   connections.Grants
	// Tests makes the test calls of the console.
	Tests *tryout.Tests
	// MCP answers agents at /mcp.
	MCP *agents.Server
	// Agents answers what agents are served.
	Agents    release.Agents
	Documents Documents
	Runs      Runs
	// Proxies are the networks whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
	// Cookies says where the session cookie may travel.
	Cookies auth.CookieScope
	// Watch tells which runs changed; its Run method must be running.
	Watch *Watch
	// Ready says whether the process can work; it backs /readyz.
	Ready   func(context.Context) error
	Metrics *prometheus.Registry
	Version Version
	UI      fs.FS
	Log     *slog.Logger
}

type server struct {
	Config
	sessions *auth.Sessions
	metrics  *metrics
	known    credentials
	public   map[string]bool // method and path of the routes without credentials
	schemas  huma.Registry
	openapi  []byte
	pages    *pages // nil until there are any
}

// New makes the handler of the API and the pages.
func New(c Config) (http.Handler, error) {
	s, router, err := build(c)
	if err != nil {
		return nil, err
	}
	if s.pages, err = newPages(c.UI); err != nil {
		return nil, err
	}
	guarded := newCompressor().wrap(s.sessions.Middleware(s.authenticate(router)))
	return s.observe(secure(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.pages.takes(r) {
			s.pages.ServeHTTP(w, r)
			return
		}
		guarded.ServeHTTP(w, r)
	}))), nil
}

// OpenAPI gives the OpenAPI 3.1 document of the API, indented.
func OpenAPI() ([]byte, error) {
	s, _, err := build(Config{Store: store.New(nil), Metrics: prometheus.NewRegistry()})
	if err != nil {
		return nil, err
	}
	return s.openapi, nil
}

func build(c Config) (*server, chi.Router, error) {
	s := &server{Config: c, public: make(map[string]bool)}
	var err error
	if s.metrics, err = newMetrics(c.Metrics); err != nil {
		return nil, nil, fmt.Errorf("register the metrics of the API: %w", err)
	}
	s.sessions = auth.NewSessions(c.Store.Sessions(), c.Store, c.Cookies, writeProblem)
	router := chi.NewRouter()
	router.NotFound(s.unrouted(router))
	router.MethodNotAllowed(s.unrouted(router))
	api := humachi.New(router, humaConfig())
	s.schemas = api.OpenAPI().Components.Schemas
	problem := s.schemas.Schema(reflect.TypeFor[Problem](), true, "Problem")
	s.schemas.Schema(reflect.TypeFor[StepEvent](), true, "StepEvent") // of an event stream, whose answers no schema describes
	for _, e := range s.endpoints() {
		if e.Needs == "" {
			return nil, nil, fmt.Errorf("route %s %s names no permission", e.Method, e.Path)
		}
		if e.Needs == auth.Public {
			s.public[e.Method+" "+e.Path] = true
		}
		e.register(s, api, s.operation(e.Route, problem))
	}
	s.openapi, err = describe(api.OpenAPI())
	return s, router, err
}

func humaConfig() huma.Config {
	c := huma.DefaultConfig("Pawl", "1")
	c.OpenAPIPath, c.DocsPath, c.SchemasPath, c.CreateHooks = "", "", "", nil
	c.Transformers = []huma.Transformer{asProblem}
	format := huma.Format{Marshal: writeJSON, Unmarshal: readJSON}
	c.Formats = map[string]huma.Format{"application/json": format, "json": format} // the latter is the suffix of application/problem+json
	c.Info.Description = "Automations, their runs, plugins, accounts and grants. Errors are problem details (RFC 9457) with kind, reason and where."
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"apiKey":  {Type: "http", Scheme: "bearer", Description: "An API key: Authorization: Bearer pawl_live_…"},
		"session": {Type: "apiKey", In: "cookie", Name: "pawl_session", Description: "The cookie that signing in sets"},
	}
	return c
}

// readJSON hands a whole document over as it is, so that its own decoder sees every byte. What huma checks against
// a schema holds numbers as doubles, the largest one in the place of those that fit in none: a check only needs to
// know that a number stands there, and typed members are read from the bytes again.
func readJSON(data []byte, v any) error {
	switch into := v.(type) {
	case *json.RawMessage:
		*into = append(json.RawMessage(nil), data...)
		return nil
	case *any:
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		err := dec.Decode(into)
		*into = doubles(*into)
		return err
	}
	return json.Unmarshal(data, v)
}

func doubles(v any) any {
	switch x := v.(type) {
	case json.Number:
		f, err := x.Float64()
		if err != nil {
			return math.MaxFloat64
		}
		return f
	case []any:
		for i := range x {
			x[i] = doubles(x[i])
		}
	case map[string]any:
		for name := range x {
			x[name] = doubles(x[name])
		}
	}
	return v
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
