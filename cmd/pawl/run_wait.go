package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"pawl/internal/api"
	"pawl/internal/client"
)

type waitFlags struct {
	Wait    bool          `help:"Follow the run to its end; exit with 1 when it does not succeed."`
	Timeout time.Duration `help:"With --wait: give up after this time; the run goes on."`
}

// reconnectPause is how long a broken event stream rests before it is opened again.
const reconnectPause = time.Second

// follow prints what happens in a run until it ends. The end is what the run object says, not the stream.
func (s *session) follow(id string, timeout time.Duration) error {
	ctx := s.ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	f := &follower{s: s, ctx: ctx, id: id}
	if err := f.toEnd(); err != nil {
		return err
	}
	run, err := s.wholeRun(id)
	if err != nil {
		return err
	}
	s.showRun(run)
	if run.State != "succeeded" {
		return failed{}
	}
	return nil
}

type follower struct {
	s     *session
	ctx   context.Context
	id    string
	state string // the last one told
}

// toEnd follows the stream, and opens it again when it breaks.
func (f *follower) toEnd() error {
	last := ""
	for {
		ended := false
		var err error
		last, err = f.s.client.Follow(f.ctx, f.s.inProject("/runs/%s/events", f.id), last, func(e client.Event) (bool, error) {
			var err error
			ended, err = f.event(e)
			return ended, err
		})
		var problem *client.Problem
		switch {
		case ended:
			return nil
		case f.ctx.Err() != nil:
			return fmt.Errorf("gave up waiting; the run goes on: pawl run show %s", f.id)
		case errors.As(err, &problem) && problem.Status < 500:
			return err
		}
		if over, err := f.look(); over || err != nil {
			return err
		}
	}
}

// look asks for the state when the stream ended without an end of the run, after a pause.
func (f *follower) look() (bool, error) {
	t := time.NewTimer(reconnectPause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-f.ctx.Done():
		return false, nil
	}
	var run api.RunHead
	_, err := f.s.get(f.s.inProject("/runs/%s", f.id), url.Values{"steps_limit": {"0"}}, &run)
	var gone *client.Unreachable
	if errors.As(err, &gone) { // it may come back
		return false, nil
	}
	return err == nil && run.FinishedAt != nil, err
}

func (f *follower) event(e client.Event) (ended bool, err error) {
	switch e.Name {
	case "run":
		var run api.RunHead
		if err := json.Unmarshal(e.Data, &run); err != nil {
			return false, fmt.Errorf("read an event: %w", err)
		}
		f.tell(&run)
		return run.FinishedAt != nil, nil
	case "step":
		var step api.StepEvent
		if err := json.Unmarshal(e.Data, &step); err != nil {
			return false, fmt.Errorf("read an event: %w", err)
		}
		if !f.s.json && step.Step.State != "pending" {
			fmt.Fprintln(f.s.err, strings.TrimSpace(step.Step.Path+" "+step.Step.State+" "+clean(stepNote(&step.Step))))
		}
	}
	return false, nil
}

func (f *follower) tell(run *api.RunHead) {
	if run.State == f.state {
		return
	}
	f.state = run.State
	if f.s.json && run.State != "needs_attention" {
		return
	}
	fmt.Fprintf(f.s.err, "%s %s\n", run.ID, run.State)
	if run.State == "needs_attention" && run.Waiting != nil {
		fmt.Fprintf(f.s.err, "The outcome of %s is unknown. Decide it: pawl run settle %s %s --as succeeded|failed|retry\n", run.Waiting.Path, run.ID, run.Waiting.Path)
	}
}

// wholeRun is a run with all of its steps, and its JSON form.
type wholeRun struct {
	api.Run
	raw json.RawMessage
}

// wholeRun reads a run page by page.
func (s *session) wholeRun(id string) (*wholeRun, error) {
	var run wholeRun
	a, err := s.get(s.inProject("/runs/%s", id), url.Values{"steps_limit": {"2000"}}, &run.Run)
	if err != nil {
		return nil, err
	}
	run.raw = a.Body
	if run.StepsNext == "" {
		return &run, nil
	}
	for next := run.StepsNext; next != ""; {
		var page api.Run
		if _, err := s.get(s.inProject("/runs/%s", id), url.Values{"steps_limit": {"2000"}, "steps_cursor": {next}}, &page); err != nil {
			return nil, err
		}
		run.Steps = append(run.Steps, page.Steps...)
		next = page.StepsNext
	}
	run.StepsNext = ""
	var whole bytes.Buffer
	enc := json.NewEncoder(&whole)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(run.Run); err != nil {
		return nil, fmt.Errorf("put the run together: %w", err)
	}
	run.raw = whole.Bytes()
	return &run, nil
}
