package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"pawl/internal/api"
	"pawl/internal/automation"
	"pawl/internal/client"
)

type automationCommands struct {
	Validate automationValidate `cmd:"" help:"All problems of a document at once."`
	Apply    automationApply    `cmd:"" help:"Make a document, or a folder of them, drafts."`
	Publish  automationPublish  `cmd:"" help:"Make the draft the next version, and live."`
	List     automationList     `cmd:"" help:"The project's automations."`
	Show     automationShow     `cmd:"" help:"An automation with its draft or a version."`
	Diff     automationDiff     `cmd:"" help:"How two states differ, step by step."`
	Revert   automationRevert   `cmd:"" help:"Make a version the draft again."`
	Remove   automationRemove   `cmd:"" help:"Take an automation out of sight; versions and runs stay."`
}

type automationName struct {
	Name string `arg:"" help:"The automation's handle."`
}

type automationValidate struct {
	File string `arg:"" help:"A pawl-automation@1 file, - for standard input."`
}

// Run validates against the project.
func (c *automationValidate) Run(s *session) error {
	b, err := s.readFile(c.File)
	if err != nil {
		return err
	}
	var v api.Validation
	a, err := s.validate(b, &v)
	if err != nil {
		return err
	}
	s.show(a, func() {
		s.problems(c.File, v.Problems, v.Warnings)
		if v.Valid {
			s.say("%s: valid", c.File)
		}
	})
	if !v.Valid {
		return failed{}
	}
	return nil
}

// validate reads the document here first: a text that is none needs no server.
func (s *session) validate(b []byte, v *api.Validation) (*client.Answer, error) {
	_, problems := automation.Decode(b)
	if len(problems) == 0 {
		return s.post(s.inProject("/automations/validate"), json.RawMessage(b), v)
	}
	v.Warnings = []api.ProblemItem{}
	for _, p := range problems {
		v.Problems = append(v.Problems, api.ProblemItem{Kind: p.Kind, Reason: p.Reason, Message: p.Message, Where: p.Where, Details: p.Details})
	}
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write the verdict: %w", err)
	}
	return &client.Answer{Body: body}, nil
}

func (s *session) problems(about string, problems, warnings []api.ProblemItem) {
	for _, p := range problems {
		s.say("%s: %s", about, clean(client.Item{Kind: p.Kind, Reason: p.Reason, Message: p.Message, Where: p.Where}.String()))
	}
	for _, p := range warnings {
		s.say("%s: warning: %s", about, clean(client.Item{Kind: p.Kind, Reason: p.Reason, Message: p.Message, Where: p.Where}.String()))
	}
}

type automationPublish struct {
	automationName
	Message string `short:"m" help:"What changed."`
}

// Run publishes.
func (c *automationPublish) Run(s *session) error {
	var v api.Published
	a, err := s.post(s.inProject("/automations/%s/publish", c.Name), api.PublishRequest{Message: c.Message}, &v)
	if err != nil {
		return err
	}
	s.show(a, func() {
		s.problems(c.Name, nil, v.Warnings)
		if v.Changed {
			s.say("%s: version %d is live", c.Name, v.Version)
		} else {
			s.say("%s: version %d is this very document already", c.Name, v.Version)
		}
	})
	return nil
}

type automationList struct{ pageFlags }

// Run lists.
func (c *automationList) Run(s *session) error {
	return listing(s, s.inProject("/automations"), c.query(), "name|title|live|draft|last run|when|changed|by", func(a api.AutomationHead) []any {
		draft := "as live"
		if a.DraftDiffers {
			draft = "differs"
		}
		state, at := lastRun(a.LastRun)
		return []any{a.Name, a.Title, a.LiveVersion, draft, state, at, a.UpdatedAt, a.UpdatedBy}
	})
}

// lastRun is the state of an automation's latest run, and since when: its end, else its start; empty before the first.
func lastRun(r *api.LastRun) (state string, at *time.Time) {
	if r == nil {
		return "", nil
	}
	return r.State, cmp.Or(r.FinishedAt, r.StartedAt, &r.CreatedAt)
}

type automationShow struct {
	automationName
	Version int `help:"A published version; the draft without."`
}

// Run shows the document and what is known of it.
func (c *automationShow) Run(s *session) error {
	if c.Version > 0 {
		var v api.VersionDocument
		a, err := s.get(s.inProject("/automations/%s/versions/%s", c.Name, strconv.Itoa(c.Version)), nil, &v)
		if err != nil {
			return err
		}
		s.show(a, func() { s.raw(s.out, v.Document) })
		return nil
	}
	var info api.AutomationInfo
	a, err := s.get(s.inProject("/automations/%s", c.Name), nil, &info)
	if err != nil {
		return err
	}
	var versions list[api.VersionInfo]
	if !s.json {
		if _, err := s.get(s.inProject("/automations/%s/versions", c.Name), url.Values{"limit": {"20"}}, &versions); err != nil {
			return err
		}
	}
	s.show(a, func() {
		differs := ""
		if info.DraftDiffers && info.LiveVersion != nil {
			differs = ", which the draft differs from"
		}
		s.say("%s, %s: draft revision %d, live version %s%s", info.Name, clean(info.Title), info.DraftRev, cell(info.LiveVersion), differs)
		if r := info.LastRun; r != nil {
			s.say("last run: %s %s", r.ID, r.State)
		}
		s.problems(info.Name, info.Problems, info.Warnings)
		var rows [][]any
		for _, v := range versions.Items {
			rows = append(rows, []any{v.Version, v.Live, v.PublishedAt, v.Author, v.Message})
		}
		s.table("version|live|published|by|message", rows)
		s.raw(s.out, info.Draft)
	})
	return nil
}

type automationDiff struct {
	automationName
	From string `default:"live" help:"live, draft, or a version's number."`
	To   string `default:"draft" help:"live, draft, or a version's number."`
}

// Run compares.
func (c *automationDiff) Run(s *session) error {
	var d api.Diff
	a, err := s.get(s.inProject("/automations/%s/diff", c.Name), url.Values{"from": {c.From}, "to": {c.To}}, &d)
	if err != nil {
		return err
	}
	s.show(a, func() {
		if len(d.Differences) == 0 {
			s.say("%s and %s are the same.", d.From, d.To)
		}
		s.differences(d.Differences)
	})
	return nil
}

func (s *session) differences(list []api.Difference) {
	for _, d := range list {
		about := "step " + d.Step
		if d.Step == "" {
			about = "the document"
		}
		switch d.Change {
		case "moved":
			s.say("~ %s moved from %s to %s", about, place(d.From), place(d.To))
		case "added":
			s.say("+ %s in %s", about, place(d.To))
		case "removed":
			s.say("- %s from %s", about, place(d.From))
		}
		for _, m := range d.Members {
			s.say("~ %s, %s: %s -> %s", about, m.Member, side(m.Before), side(m.After))
		}
	}
}

func place(container string) string {
	if container == "" || container == "/steps" {
		return "the top"
	}
	return container
}

func side(b json.RawMessage) string {
	if len(b) == 0 {
		return "(absent)"
	}
	return clean(string(b))
}

type automationRevert struct {
	automationName
	To int `required:"" name:"to" help:"The version that becomes the draft."`
}

// Run reverts on top of the draft that is there now.
func (c *automationRevert) Run(s *session) error {
	header, err := s.onTop(s.inProject("/automations/%s", c.Name))
	if err != nil {
		return err
	}
	var d api.DraftSaved
	a, err := s.call(client.Request{Method: http.MethodPost, Path: s.inProject("/automations/%s/revert", c.Name), Header: header, Body: api.RevertRequest{Version: c.To}}, &d)
	if err != nil {
		return err
	}
	s.show(a, func() {
		s.say("%s: the draft is version %s again (revision %d)", d.Name, strconv.Itoa(c.To), d.Rev)
		s.problems(d.Name, d.Problems, d.Warnings)
	})
	return nil
}

type automationRemove struct{ automationName }

// Run removes, after asking.
func (c *automationRemove) Run(s *session) error {
	if err := s.confirm("Remove the automation " + c.Name + "? Nothing starts it any more; versions and runs stay."); err != nil {
		return err
	}
	a, err := s.call(client.Request{Method: http.MethodDelete, Path: s.inProject("/automations/%s", c.Name)}, nil)
	if err != nil {
		return err
	}
	s.show(a, func() { s.say("Removed %s.", c.Name) })
	return nil
}
