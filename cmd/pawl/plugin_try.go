package main

import (
	"net/http"

	"pawl/connections/release"
	"pawl/internal/api"
	"pawl/internal/canon"
	"pawl/internal/client"
)

type pluginTry struct {
	pluginID
	Tool   string `arg:"" optional:"" help:"The tool to call."`
	Action string `help:"Instead of a tool, an action of the draft's app. Its key is read from standard input, and forgotten after the test."`
	Stage  string `default:"test" enum:"test,preview,production" help:"Whose module: test, the draft; preview; or production."`
	Input  string `help:"The input as JSON, @FILE, or - for standard input; {} without."`
}

// Run makes one test call. It fails when the call does.
func (c *pluginTry) Run(s *session) error {
	if (c.Tool == "") == (c.Action == "") {
		return usageError{"name either a tool or, with --action, an action"}
	}
	if c.Action != "" && c.Input == "-" {
		return usageError{"--input -: standard input carries the key of an action; give the input as JSON or @FILE"}
	}
	body := api.TestCall{Stage: release.Stage(c.Stage), Tool: c.Tool, Action: c.Action}
	if c.Input != "" {
		input, err := s.argument(c.Input)
		if err != nil {
			return err
		}
		if problems := canon.Check(input, canon.Limits{}); len(problems) > 0 {
			return &fileProblems{"--input", problems}
		}
		body.Input = input
	}
	if c.Action != "" {
		key, err := s.secret("key for this test")
		if err != nil {
			return err
		}
		body.Key = key
	}
	var r api.TestResult
	a, err := s.call(client.Request{Method: http.MethodPost, Path: s.inProject("/plugins/%s/test", c.ID), Body: body}, &r)
	if err != nil {
		return err
	}
	s.show(a, func() { s.tried(&r) })
	if r.Error != nil {
		return failed{}
	}
	return nil
}

// tried prints what a test call gave.
func (s *session) tried(r *api.TestResult) {
	s.say("version %s in %s, took %d ms", r.Version, r.Stage, r.TookMS)
	if q := r.Request; q != nil {
		s.say("sent: %s %s", clean(q.Method), clean(q.URL))
	}
	s.showCall(&r.ToolCall, "")
	if r.Error != nil {
		s.say("failed: %s", clean(errorText(r.Error)))
	}
	if len(r.Output) > 0 && string(r.Output) != "null" {
		s.say("output:")
		s.raw(s.out, r.Output)
	}
}
