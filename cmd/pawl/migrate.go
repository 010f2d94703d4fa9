package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"pawl/internal/auth"
	"pawl/internal/engine"
	"pawl/internal/store"
	"pawl/migrations"
)

// migrateCommand brings the database's schema up to date. It may run in several places at once.
type migrateCommand struct {
	settings
	Admin string `placeholder:"EMAIL" help:"Make the first administrator, and print a sign-in link that works once and an API key. Does nothing when there is somebody already."`
}

// migrated is what migrating gives with --json.
type migrated struct {
	Version int64  `json:"version"`
	Admin   bool   `json:"admin_created"`
	SignIn  string `json:"sign_in,omitempty"`
	Key     string `json:"key,omitempty"`
}

// Run migrates.
func (c *migrateCommand) Run(s *session) error {
	cfg, log, err := c.load(s)
	if err != nil {
		return err
	}
	pool, err := engine.Database(s.ctx, cfg)
	if err != nil {
		return err
	}
	defer pool.Close()
	version, err := migrations.Up(s.ctx, pool)
	if err != nil {
		return err
	}
	log.Info("the schema is up to date", "version", version)
	done := migrated{Version: version}
	if c.Admin != "" {
		admin, err := auth.Bootstrap(s.ctx, store.New(pool), strings.ToLower(c.Admin))
		if err != nil {
			return err
		}
		if done.Admin = admin.Created; admin.Created {
			done.SignIn, done.Key = cfg.PublicURL+auth.LinkPath(admin.LinkToken), admin.KeyText
		}
	}
	return c.print(s, done)
}

func (c *migrateCommand) print(s *session, done migrated) error {
	switch {
	case s.json:
		b, err := json.Marshal(done)
		if err != nil {
			return fmt.Errorf("write the result: %w", err)
		}
		s.raw(s.out, b)
	case done.Admin:
		s.say("The schema is at version %d.\nSign in once with %s (behind the server's address)\nAPI key, shown now and never again: %s", done.Version, done.SignIn, done.Key)
	case c.Admin != "":
		s.say("The schema is at version %d. There is somebody already, so nobody was made.", done.Version)
	default:
		s.say("The schema is at version %d.", done.Version)
	}
	return nil
}
