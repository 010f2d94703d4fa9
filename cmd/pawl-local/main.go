// Command pawl-local is the whole of Pawl in one process: the server, a worker, Temporal and PostgreSQL, on one data
// folder. It is a program of its own so that the production binary does not carry the Temporal server.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"pawl/internal/config"
	"pawl/internal/local"
)

// version is set by the build (-ldflags "-X main.version=…").
var version = "dev"

func main() {
	flags := config.NewFlags(config.Local)
	var c struct {
		Demo bool `help:"Add a small demo app, its plugin, an account and two automations."`
		kong.Plugins
	}
	c.Plugins = kong.Plugins{flags.Plugin()}
	kong.Parse(&c, kong.Name("pawl-local"), kong.Description("The whole of Pawl in one process, on one data folder."), kong.UsageOnError())
	cfg, err := config.Load(config.Local, flags.Given(), os.LookupEnv)
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = local.Run(ctx, local.Options{Config: cfg, Demo: local.Demo(c.Demo), Log: logger(cfg), Version: version, Out: os.Stdout})
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pawl-local:", local.Sentence(err))
		os.Exit(1)
	}
}

// logger writes to standard error, as the settings say.
func logger(c config.Config) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	o := &slog.HandlerOptions{Level: level}
	if c.LogFormat == config.JSON {
		return slog.New(slog.NewJSONHandler(os.Stderr, o))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, o))
}
