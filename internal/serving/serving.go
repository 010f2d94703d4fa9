// Package serving assembles a process that serves the API and the pages. `pawl serve` and pawl-local run it.
package serving

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/actions/egress"
	"pawl/actions/httpcall"
	"pawl/actions/jsbox"
	"pawl/connections"
	"pawl/connections/release"
	"pawl/connections/vault"
	"pawl/internal/agents"
	"pawl/internal/api"
	"pawl/internal/auth"
	"pawl/internal/launch"
	"pawl/internal/sandbox"
	"pawl/internal/store"
	"pawl/internal/tryout"
)

const (
	// headerTimeout bounds the reading of a request's head, idleTimeout a kept connection without a request.
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	// stopTimeout is how long requests under way may take when the server stops.
	stopTimeout = 20 * time.Second
)

// Config wires a server. All members are needed but UI, Proxies and AgentWait.
type Config struct {
	Pool    *pgxpool.Pool
	Vault   *vault.Vault
	Starter *launch.Starter
	// Guard and Sandbox carry out the test calls of the console; the caller closes the sandbox after Serve.
	Guard   *egress.Guard
	Sandbox *jsbox.Engine
	Log     *slog.Logger
	Version string
	Cookies auth.CookieScope
	// Proxies are the networks whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
	// UI holds the built pages; nil serves none.
	UI fs.FS
	// AgentWait is how long a call of an agent waits for its end (agents.Config.Wait); 0 = 50 s.
	AgentWait time.Duration
	// Ready says whether what the process needs is there.
	Ready func(context.Context) error
}

// Server serves the API and the pages.
type Server struct {
	cfg     Config
	handler http.Handler
	watch   *api.Watch
	client  *httpcall.Client
	// SignIns makes sign-in links for the first start.
	SignIns *auth.SignIns
}

// New assembles a server.
func New(cfg Config) (*Server, error) {
	passwords, err := auth.NewPasswords()
	if err != nil {
		return nil, err
	}
	st := store.New(cfg.Pool)
	declared := release.Declared{Store: st}
	signIns := &auth.SignIns{People: st, Links: st, Keys: st, Passwords: passwords, Throttle: auth.NewThrottle(time.Now)}
	s := &Server{cfg: cfg, watch: api.NewWatch(st, cfg.Log), SignIns: signIns, client: httpcall.New(httpcall.Config{Guard: cfg.Guard, Version: cfg.Version})}
	box := &sandbox.Box{Engine: cfg.Sandbox, Client: s.client}
	catalog, served, tests := &release.Catalog{Store: st}, release.Agents{Store: st}, &tryout.Tests{Store: st, Box: box, Client: s.client}
	mcp := agents.New(agents.Config{
		Store: st, Served: served, Catalog: catalog, Runs: cfg.Starter, Changes: s.watch, Tests: tests, Version: cfg.Version, Log: cfg.Log, Wait: cfg.AgentWait,
	})
	s.handler, err = api.New(api.Config{
		Store: st, SignIns: s.SignIns, Plugins: release.Stages{Store: st, Modules: box}, Catalog: catalog, MCP: mcp,
		Accounts:  connections.Accounts{Store: st, Vault: cfg.Vault, Declarations: declared},
		Grants:    connections.Grants{Store: st, Declarations: declared},
		Agents:    served,
		Tests:     tests,
		Documents: api.DocumentChecker{Store: st}, Runs: cfg.Starter, Cookies: cfg.Cookies, Proxies: cfg.Proxies, Watch: s.watch, Ready: cfg.Ready,
		Metrics: prometheus.NewRegistry(), Version: api.Version{Pawl: cfg.Version, Go: runtime.Version(), Zones: zones()}, UI: cfg.UI, Log: cfg.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("assemble the API: %w", err)
	}
	return s, nil
}

// Serve answers on a listener until ctx ends, then lets requests under way end.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	base := context.WithoutCancel(ctx) // requests under way outlive the signal to stop
	watching, stopStreams := context.WithCancel(base)
	defer stopStreams()
	srv := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout,
		BaseContext: func(net.Listener) context.Context { return base }, ErrorLog: slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelDebug),
	}
	go s.watch.Run(watching)
	defer s.client.Close()
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ln) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	stopStreams() // streams of events never end by themselves: they end with the watch
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := srv.Shutdown(stop); err != nil {
		return errors.Join(fmt.Errorf("stop serving: %w", err), srv.Close())
	}
	return nil
}
