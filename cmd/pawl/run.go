package main

import (
	"net/http"
	"os"
	"strings"
	"time"

	"pawl/internal/api"
	"pawl/internal/canon"
	"pawl/internal/client"
	"pawl/internal/fault"
)

type runCommands struct {
	Start  runStart  `cmd:"" help:"Start a run of an automation."`
	List   runList   `cmd:"" help:"The project's runs, newest first."`
	Show   runShow   `cmd:"" help:"A run with its steps."`
	Cancel runCancel `cmd:"" help:"Let no further step start but those of finally."`
	Replay runReplay `cmd:"" help:"Run the same document with the same input again."`
	Settle runSettle `cmd:"" help:"Decide a step whose outcome is unknown."`
	Output runOutput `cmd:"" help:"Download a large output of a run."`
}

type runStart struct {
	Name      string  `arg:"" help:"The automation's handle."`
	Input     string  `help:"The input as JSON, @FILE, or - for standard input."`
	Draft     bool    `help:"Run the draft as a test."`
	Version   int     `help:"A published version; the live one without."`
	LocalOnly bool    `help:"Refuse every external action."`
	Key       *string `name:"idempotency-key" help:"Starts with the same key make one run."`
	waitFlags
}

// Run starts a run and, with --wait, follows it to its end.
func (c *runStart) Run(s *session) error {
	body := api.NewRun{Draft: c.Draft, LocalOnly: c.LocalOnly}
	if c.Version > 0 {
		body.Version = &c.Version
	}
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
	r := client.Request{Method: http.MethodPost, Path: s.inProject("/automations/%s/runs", c.Name), Body: body}
	if c.Key != nil {
		r.Header = http.Header{"Idempotency-Key": {*c.Key}}
	}
	return s.started(r, c.waitFlags)
}

// started makes the call that makes a run, and follows the run if that is wished.
func (s *session) started(r client.Request, w waitFlags) error {
	var run api.Run
	a, err := s.call(r, &run)
	if err != nil {
		return err
	}
	if w.Wait {
		return s.follow(run.ID.String(), w.Timeout)
	}
	s.show(a, func() { s.say("%s %s of %s. Follow it: pawl run show %s", run.ID, run.State, run.Automation, run.ID) })
	return nil
}

type runID struct {
	ID string `arg:"" help:"The run's id."`
}

type runList struct {
	pageFlags
	Automation string `help:"Only runs of this automation."`
	State      string `help:"Only runs in this state."`
}

// Run lists.
func (c *runList) Run(s *session) error {
	q := c.query()
	if c.Automation != "" {
		q.Set("automation", c.Automation)
	}
	if c.State != "" {
		q.Set("state", c.State)
	}
	return listing(s, s.inProject("/runs"), q, "id|automation|version|state|started|took|error", func(r api.RunHead) []any {
		return []any{r.ID, subjectOf(&r), strings.TrimPrefix(followedBy(&r), "version "), r.State, r.StartedAt, took(r.StartedAt, r.FinishedAt), errorText(r.Error)}
	})
}

func took(from, to *time.Time) string {
	if from == nil || to == nil {
		return ""
	}
	return to.Sub(*from).Round(time.Millisecond).String()
}

func errorText(e *api.StepError) string {
	if e == nil {
		return ""
	}
	return client.Item{Kind: e.Kind, Reason: e.Reason, Message: e.Message, Where: e.Where}.String()
}

type runShow struct {
	runID
	Step string `help:"Only this step, with its input, its output and what each attempt sent, for instance each.3.ticket."`
}

// Run shows the run with all of its steps, or one step whole.
func (c *runShow) Run(s *session) error {
	run, err := s.wholeRun(c.ID)
	if err != nil {
		return err
	}
	if c.Step != "" {
		return s.showStep(run, c.Step)
	}
	s.showRun(run)
	return nil
}

type runCancel struct {
	runID
	Force bool `help:"Stop the steps of finally too."`
}

// Run cancels.
func (c *runCancel) Run(s *session) error {
	return s.changeRun(s.inProject("/runs/%s/cancel", c.ID), api.CancelRun{Force: c.Force}, "The cancel is taken")
}

type runReplay struct {
	runID
	waitFlags
}

// Run replays.
func (c *runReplay) Run(s *session) error {
	return s.started(client.Request{Method: http.MethodPost, Path: s.inProject("/runs/%s/replay", c.ID)}, c.waitFlags)
}

type runSettle struct {
	runID
	Path   string `arg:"" help:"The step's path, for instance each.3.ticket."`
	As     string `required:"" enum:"succeeded,failed,retry" help:"succeeded, with --output; failed; or retry: nothing happened."`
	Output string `help:"With succeeded: what the step would have given, as JSON, @FILE, or -."`
}

// Run settles.
func (c *runSettle) Run(s *session) error {
	body := api.SettleRun{As: c.As}
	if c.Output != "" {
		output, err := s.argument(c.Output)
		if err != nil {
			return err
		}
		if problems := canon.Check(output, canon.Limits{}); len(problems) > 0 {
			return &fileProblems{"--output", problems}
		}
		body.Output = output
	}
	return s.changeRun(s.inProject("/runs/%s/steps/%s/settle", c.ID, c.Path), body, "The step is settled")
}

// changeRun asks for a change and says what was done and what the run is now.
func (s *session) changeRun(path string, body any, done string) error {
	var run api.Run
	a, err := s.post(path, body, &run)
	if err != nil {
		return err
	}
	s.show(a, func() { s.say("%s: %s is %s.", done, run.ID, run.State) })
	return nil
}

type runOutput struct {
	runID
	Digest string `arg:"" help:"The SHA-256 of the output, from the $$blob of the run."`
	File   string `short:"o" help:"The file to write; standard output without."`
}

// Run downloads.
func (c *runOutput) Run(s *session) error {
	a, err := s.get(s.inProject("/runs/%s/blobs/%s", c.ID, c.Digest), nil, nil)
	if err != nil {
		return err
	}
	if c.File == "" {
		s.data(a.Body)
		return nil
	}
	if err := os.WriteFile(c.File, a.Body, 0o600); err != nil {
		return fault.New(fault.InvalidInput, "file", "The output can't be written to %s: %v.", c.File, err)
	}
	return nil
}
