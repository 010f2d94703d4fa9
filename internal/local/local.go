// Package local is the whole of Pawl in one process, for a laptop and for tests: the same code as in production, with
// Temporal embedded and a private PostgreSQL, in one data folder.
package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"pawl/actions/egress"
	"pawl/actions/jsbox"
	"pawl/connections/vault"
	"pawl/internal/auth"
	"pawl/internal/config"
	"pawl/internal/engine"
	"pawl/internal/fault"
	"pawl/internal/launch"
	"pawl/internal/local/pgserver"
	"pawl/internal/local/temporalserver"
	"pawl/internal/serving"
	"pawl/internal/store"
	"pawl/migrations"
	"pawl/ui"
)

const (
	// connections is the size of the pool: the ledger works in groups and needs few.
	connections = 24
	// keyFile holds the API key of the first administrator.
	keyFile = "admin.key"
	// adminEmail is the first administrator's.
	adminEmail = "admin@pawl.local"
)

// Options say what to run.
type Options struct {
	Config  config.Config
	Demo    Demo
	Log     *slog.Logger
	Version string
	// Out gets the few lines for people: the address and the sign-in.
	Out io.Writer
}

// Demo says whether the demonstration is set up.
type Demo bool

// WithDemo adds a small app of its own, its plugin, an account and two automations.
const WithDemo Demo = true

// home is the running parts, in the order in which they were started.
type home struct {
	o        Options
	pg       *pgserver.Server
	pool     *pgxpool.Pool
	temporal *temporalserver.Server
	client   client.Client
	vault    *vault.Vault
	demo     *demoApp
	guard    *egress.Guard
	sandbox  *jsbox.Engine
	engine   *engine.Engine
	starter  *launch.Starter
	serving  *serving.Server
	listener net.Listener
}

// Run runs until ctx ends, then stops cleanly. It returns an error when it can't start.
func Run(ctx context.Context, o Options) error {
	SetMemory(os.LookupEnv)
	h := &home{o: o}
	err := h.start(ctx)
	if err == nil {
		err = h.serve(ctx)
	}
	return errors.Join(err, h.stop())
}

func (h *home) start(ctx context.Context) error {
	for _, step := range []func(context.Context) error{h.listen, h.folder, h.database, h.keys, h.workflows, h.demoApp, h.run, h.web} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// listen comes first: an address in use is found before anything is started.
func (h *home) listen(ctx context.Context) error {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", h.o.Config.Listen)
	if err != nil {
		return fault.New(fault.Conflict, "listen", "%s can't be listened on: another process may have it. Choose another address with --listen.", h.o.Config.Listen).Because(err)
	}
	h.listener = ln
	return nil
}

func (h *home) folder(context.Context) error {
	dir, err := filepath.Abs(h.o.Config.Data)
	if err != nil {
		return fmt.Errorf("the data folder: %w", err)
	}
	h.o.Config.Data = dir
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return fault.New(fault.InvalidInput, "data", "The data folder %s can't be made: choose another one with --data.", dir).Because(err)
	}
	return nil
}

func (h *home) path(name string) string { return filepath.Join(h.o.Config.Data, name) }

func (h *home) database(ctx context.Context) (err error) {
	if h.pg, err = pgserver.Start(ctx, pgserver.Config{Dir: h.path("postgres"), BinDir: h.o.Config.PostgresBin}); err != nil {
		return err
	}
	if h.pool, err = store.Open(ctx, h.pg.DSN(), connections); err != nil {
		return err
	}
	if _, err = migrations.Up(ctx, h.pool); err != nil {
		return err
	}
	h.pool.Reset() // a connection from before the first migration knows no epoch
	return nil
}

// keys opens the vault with the master key of the settings, else with one of the data folder's own.
func (h *home) keys(context.Context) (err error) {
	if h.o.Config.MasterKey.Expose() != "" {
		h.vault, err = engine.Keys(h.o.Config)
		return err
	}
	master, err := vault.LocalMasterKey(h.o.Config.Data)
	if err != nil {
		return err
	}
	h.vault, err = vault.New(master)
	return err
}

func (h *home) workflows(ctx context.Context) (err error) {
	h.temporal, err = temporalserver.Start(ctx, temporalserver.Config{File: h.path("temporal.db"), Logger: h.o.Log})
	if err != nil {
		return fmt.Errorf("start the embedded Temporal: %w", err)
	}
	if h.temporal.SetAside != "" {
		h.o.Log.Warn("the file of the embedded Temporal was set aside; runs are walked again from the database", "file", h.temporal.SetAside, "why", h.temporal.Why)
	}
	h.client, err = client.DialContext(ctx, client.Options{HostPort: h.temporal.HostPort(), Namespace: temporalserver.Namespace, Logger: sdklog.NewStructuredLogger(h.o.Log)})
	if err != nil {
		return fmt.Errorf("connect to the embedded Temporal: %w", err)
	}
	return nil
}

func (h *home) run(ctx context.Context) error {
	cfg, err := engine.Egress(h.o.Config)
	if err != nil {
		return err
	}
	if h.demo != nil {
		h.demo.admit(&cfg)
	}
	if h.sandbox, err = jsbox.New(jsbox.Config{CacheDir: h.path("sandbox")}); err != nil {
		return err
	}
	h.guard = egress.New(cfg)
	h.engine, err = engine.New(ctx, engine.Config{
		Pool: h.pool, Temporal: h.client, Vault: h.vault, Guard: h.guard, Sandbox: h.sandbox, Log: h.o.Log,
		Version: h.o.Version, Process: "pawl-local " + uuid.NewString(), Alone: true,
	})
	if err != nil {
		return err
	}
	h.starter = launch.NewStarter(store.New(h.pool), h.engine.Launcher().Poke, h.engine.Notifier().Changed)
	return nil
}

func (h *home) web(ctx context.Context) error {
	admin, err := auth.Bootstrap(ctx, store.New(h.pool), adminEmail)
	if err != nil {
		return err
	}
	if admin.Created {
		if err := os.WriteFile(h.path(keyFile), []byte(admin.KeyText+"\n"), 0o600); err != nil {
			return fmt.Errorf("write the administrator's key: %w", err)
		}
	}
	h.serving, err = serving.New(serving.Config{
		Pool: h.pool, Vault: h.vault, Starter: h.starter, Guard: h.guard, Sandbox: h.sandbox, Log: h.o.Log, Version: h.o.Version,
		Cookies: auth.AnyScheme, Proxies: h.o.Config.Proxies, UI: ui.Files(), Ready: h.pool.Ping,
	})
	if err != nil {
		return err
	}
	if h.demo != nil {
		if err := h.demo.install(ctx, h.pool, h.vault); err != nil {
			return fmt.Errorf("set up the demo: %w", err)
		}
	}
	if err := h.engine.Start(); err != nil {
		return err
	}
	return h.greet(ctx, admin)
}

// greet prints what a person needs: where it is, and how to get in.
func (h *home) greet(ctx context.Context, admin auth.FirstAdmin) error {
	address := "http://" + h.listener.Addr().String()
	if h.o.Config.PublicURL != "" {
		address = h.o.Config.PublicURL
	}
	fmt.Fprintf(h.o.Out, "Pawl is ready at %s\n", address)
	token := admin.LinkToken
	if !admin.Created {
		p, err := store.New(h.pool).PersonByEmail(ctx, adminEmail)
		if fault.Is(err, fault.NotFound) {
			return nil // the first administrator was renamed: people sign in with their passwords
		}
		if err != nil {
			return err
		}
		if token, err = h.serving.SignIns.NewLink(ctx, p.ID); err != nil {
			return err
		}
	}
	fmt.Fprintf(h.o.Out, "Sign in once with %s%s\n", address, auth.LinkPath(token))
	fmt.Fprintf(h.o.Out, "For commands: export PAWL_URL=%s PAWL_KEY=$(cat %s)\n", address, h.path(keyFile))
	if h.demo != nil {
		fmt.Fprintf(h.o.Out, "Try the demo: pawl run start %s --input '%s' --wait\n", demoAutomation, demoInput)
	}
	return nil
}

func (h *home) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() { // without its database the process can do nothing: a supervisor starts it again
		select {
		case <-h.pg.Done():
			cancel(errors.New("the private PostgreSQL ended"))
		case <-ctx.Done():
		}
	}()
	err := h.serving.Serve(ctx, h.listener)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = errors.Join(err, cause)
	}
	return err
}

// stop stops what was started, the last first.
func (h *home) stop() error {
	ctx := context.Background()
	var errs []error
	if h.listener != nil {
		_ = h.listener.Close() // closed already after serving
	}
	if h.engine != nil {
		errs = append(errs, h.engine.Stop(ctx))
	}
	if h.sandbox != nil {
		errs = append(errs, h.sandbox.Close(ctx))
	}
	if h.client != nil {
		h.client.Close()
	}
	if h.temporal != nil {
		errs = append(errs, h.temporal.Stop())
	}
	if h.demo != nil {
		h.demo.close()
	}
	if h.pool != nil {
		h.pool.Close()
	}
	if h.pg != nil {
		errs = append(errs, h.pg.Stop(ctx))
	}
	return errors.Join(errs...)
}

// Sentence is what to tell a person about an error of Run.
func Sentence(err error) string {
	var f *fault.Error
	if errors.As(err, &f) && f.Kind != fault.Internal {
		return f.Message
	}
	return strings.TrimSpace(err.Error())
}
