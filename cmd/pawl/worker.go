package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/google/uuid"

	"pawl/actions/egress"
	"pawl/actions/jsbox"
	"pawl/internal/config"
	"pawl/internal/engine"
)

// runWorker carries out runs until ctx ends, then lets the attempts on the wire end.
func runWorker(ctx context.Context, cfg config.Config) error {
	log := newLog(cfg)
	pool, err := engine.Database(ctx, cfg)
	if err != nil {
		return err
	}
	defer pool.Close()
	keys, err := engine.Keys(cfg)
	if err != nil {
		return err
	}
	way, err := engine.Egress(cfg)
	if err != nil {
		return err
	}
	temporal, err := engine.Temporal(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer temporal.Close()
	box, err := jsbox.New(jsbox.Config{})
	if err != nil {
		return err
	}
	e, err := engine.New(ctx, engine.Config{
		Pool: pool, Temporal: temporal, Vault: keys, Guard: egress.New(way), Sandbox: box, Log: log, Version: buildVersion(), Process: processName(),
	})
	if err != nil {
		return err
	}
	if err := e.Start(); err != nil {
		return err
	}
	log.Info("the worker is ready")
	<-ctx.Done()
	log.Info("the worker stops: attempts on the wire may end")
	ctx = context.WithoutCancel(ctx)
	return errors.Join(e.Stop(ctx), box.Close(ctx))
}

// processName tells this process from all others, for people too.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d/%s", host, os.Getpid(), uuid.NewString()[:8])
}
