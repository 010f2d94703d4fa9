// Command pocketbase serves PocketBase, a REST server that Pawl's authors did not write, for the end-to-end tests:
//
//	pocketbase --dir DIR [--listen 127.0.0.1:0] [--customers 5] [--orders 20]
//
// On a new folder it makes a superuser, the collections customers and orders, and as many records as asked for.
// When it is ready it prints one line of JSON: the address (http, host:port) and a superuser's token that holds for
// ten years, to be sent as "Authorization: Bearer TOKEN". It stops on SIGTERM.
//
// It is a module of its own, so that PocketBase stays out of Pawl's: build it with
// "go build -C internal/e2e/pocketbase -o FILE .".
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	_ "github.com/pocketbase/pocketbase/migrations" // PocketBase's own tables
)

const (
	superuser = "pawl@example.com"
	// tokenLife is longer than any test folder is kept.
	tokenLife = 10 * 365 * 24 * time.Hour
)

// Ready is what is printed when the server takes requests.
type Ready struct {
	Address string `json:"address"`
	Token   string `json:"token"`
}

type options struct {
	dir, listen       string
	customers, orders int
}

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "", "data `folder`, made when missing")
	flag.StringVar(&o.listen, "listen", "127.0.0.1:0", "`address` to listen on; port 0 takes a free one")
	flag.IntVar(&o.customers, "customers", 5, "customers to make in a new folder")
	flag.IntVar(&o.orders, "orders", 20, "orders to make in a new folder")
	flag.Parse()
	if err := run(o); err != nil && !errors.Is(err, http.ErrServerClosed) {
		fmt.Fprintln(os.Stderr, "pocketbase:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if o.dir == "" {
		return errors.New("name the data folder with --dir")
	}
	app := core.NewBaseApp(core.BaseAppConfig{DataDir: o.dir})
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	token, err := prepare(app, o)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	stopOnSignal(app)
	return serve(app, listener, token)
}

func serve(app core.App, listener net.Listener, token string) error {
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		e.Listener = listener
		if err := e.Next(); err != nil {
			return err
		}
		// The listener takes connections already; they wait the moment until it is served.
		return json.NewEncoder(os.Stdout).Encode(Ready{Address: listener.Addr().String(), Token: token})
	})
	return apis.Serve(app, apis.ServeConfig{HttpAddr: listener.Addr().String()})
}

// stopOnSignal ends the server and closes its database.
func stopOnSignal(app core.App) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		cancel()
		e := new(core.TerminateEvent)
		e.App = app
		_ = app.OnTerminate().Trigger(e, func(e *core.TerminateEvent) error { return e.App.ResetBootstrapState() })
	}()
}
