package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/actions/egress"
	"pawl/actions/jsbox"
	"pawl/internal/auth"
	"pawl/internal/config"
	"pawl/internal/engine"
	"pawl/internal/launch"
	"pawl/internal/ledger"
	"pawl/internal/serving"
	"pawl/internal/store"
	"pawl/ui"
)

// serveCommand serves the API and the pages. Any number may run.
type serveCommand struct{ settings }

// Run serves until the process is told to stop.
func (c *serveCommand) Run(s *session) error {
	cfg, log, err := c.load(s)
	if err != nil {
		return err
	}
	pool, err := engine.Database(s.ctx, cfg)
	if err != nil {
		return err
	}
	defer pool.Close()
	box, err := jsbox.New(jsbox.Config{})
	if err != nil {
		return err
	}
	srv, notifier, err := newServer(s.ctx, cfg, pool, box, log)
	if err != nil {
		return err
	}
	ln, err := (&net.ListenConfig{}).Listen(s.ctx, "tcp", cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s (PAWL_LISTEN): %w", cfg.Listen, err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(s.ctx))
	told := make(chan struct{})
	go func() { defer close(told); notifier.Run(ctx) }()
	log.Info("serving", "address", ln.Addr().String(), "version", buildVersion())
	err = srv.Serve(s.ctx, ln)
	stop()
	<-told
	err = errors.Join(err, box.Close(context.WithoutCancel(s.ctx)))
	log.Info("stopped")
	return err
}

func newServer(ctx context.Context, cfg config.Config, pool *pgxpool.Pool, box *jsbox.Engine, log *slog.Logger) (*serving.Server, *launch.Notifier, error) {
	v, err := engine.Keys(cfg)
	if err != nil {
		return nil, nil, err
	}
	way, err := engine.Egress(cfg)
	if err != nil {
		return nil, nil, err
	}
	_, err = ledger.Epoch(ctx, pool)
	if err != nil {
		return nil, nil, fmt.Errorf("%w. Is the schema there? Run: pawl migrate", err)
	}
	st := store.New(pool)
	notifier := launch.NewNotifier(st, log)
	srv, err := serving.New(serving.Config{
		Pool: pool, Vault: v, Starter: launch.NewStarter(st, notifier.Work, notifier.Changed), Guard: egress.New(way), Sandbox: box, Log: log,
		Version: buildVersion(), Cookies: cookies(cfg), Proxies: cfg.Proxies, UI: ui.Files(), Ready: pool.Ping,
	})
	return srv, notifier, err
}

// cookies keeps the session to HTTPS where people reach the server by it.
func cookies(cfg config.Config) auth.CookieScope {
	if strings.HasPrefix(cfg.PublicURL, "https://") {
		return auth.HTTPSOnly
	}
	return auth.AnyScheme
}
