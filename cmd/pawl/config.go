package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"pawl/internal/config"
	"pawl/internal/fault"
)

// configCommand shows the settings, with secrets hidden.
type configCommand struct {
	settings
	Process string `arg:"" optional:"" enum:"serve,worker,migrate,pawl-local,client," default:"" help:"Only the settings of serve, worker, migrate, pawl-local or client."`
}

// Run prints the settings, then what is wrong with them.
func (c *configCommand) Run(s *session) error {
	of := []config.Process{config.Serve, config.Worker, config.Migrate, config.Local, config.Client}
	if c.Process != "" {
		of = []config.Process{config.Process(c.Process)}
	}
	lines, problems := c.lines(s, of)
	if s.json {
		b, err := json.Marshal(list[config.Line]{Items: lines})
		if err != nil {
			return fmt.Errorf("write the settings: %w", err)
		}
		s.raw(s.out, b)
	} else {
		rows := make([][]any, 0, len(lines))
		for _, l := range lines {
			rows = append(rows, []any{l.Name, l.Value, l.From})
		}
		s.table("setting|value|from", rows)
	}
	return problems.Err()
}

// lines reads the settings of each process; each setting once. What is missing is a problem only where one process
// was asked for.
func (c *configCommand) lines(s *session, of []config.Process) ([]config.Line, fault.List) {
	var lines []config.Line
	var problems fault.List
	seen := make(map[string]bool)
	for _, p := range of {
		cfg, err := config.Load(p, c.flags.Given(), func(name string) (string, bool) { v := s.getenv(name); return v, v != "" })
		var list fault.List
		if errors.As(err, &list) && len(of) == 1 {
			problems = list
		}
		for _, l := range cfg.Lines(p) {
			if !seen[l.Name] {
				seen[l.Name] = true
				lines = append(lines, l)
			}
		}
	}
	return lines, problems
}
