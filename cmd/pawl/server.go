package main

import (
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"pawl/internal/config"
)

// settings are the settings of a process as flags.
type settings struct {
	kong.Plugins
	of    config.Process
	flags *config.Flags
}

func settingsOf(p config.Process) settings {
	f := config.NewFlags(p)
	return settings{kong.Plugins{f.Plugin()}, p, f}
}

// load reads the settings and says which variables of the environment are none.
func (c *settings) load(s *session) (config.Config, *slog.Logger, error) {
	cfg, err := config.Load(c.of, c.flags.Given(), func(name string) (string, bool) {
		v := s.getenv(name)
		return v, v != ""
	})
	if err != nil {
		return cfg, nil, err
	}
	log := newLog(cfg)
	for _, name := range config.Unknown(os.Environ()) {
		log.Warn("this variable is no setting of Pawl: is its name right?", "name", name)
	}
	return cfg, log, nil
}

// newLog logs to standard error.
func newLog(cfg config.Config) *slog.Logger {
	o := &slog.HandlerOptions{}
	switch cfg.LogLevel {
	case config.Info:
		o.Level = slog.LevelInfo
	case config.Debug:
		o.Level = slog.LevelDebug
	case config.Warn:
		o.Level = slog.LevelWarn
	case config.Error:
		o.Level = slog.LevelError
	}
	if cfg.LogFormat == config.JSON {
		return slog.New(slog.NewJSONHandler(os.Stderr, o))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, o))
}

// buildVersion names the build: the module's version, else the commit.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return "devel"
}

// workerCommand carries out runs. Any number may run.
type workerCommand struct{ settings }

// Run works until the process is told to stop.
func (c *workerCommand) Run(s *session) error {
	cfg, _, err := c.load(s)
	if err != nil {
		return err
	}
	return runWorker(s.ctx, cfg)
}
