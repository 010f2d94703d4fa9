package main

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pawl/internal/api"
	"pawl/internal/client"
	"pawl/internal/fault"
)

type pluginCommands struct {
	Validate pluginValidate `cmd:"" help:"All problems of files of plugins, bundles and release settings at once, each with its place. Needs no server."`
	Push     pluginPush     `cmd:"" help:"Make a file the draft, with the release settings beside it; or all plugins of a bundle."`
	Promote  pluginPromote  `cmd:"" help:"Freeze the draft to preview, or copy the preview to production."`
	Rollback pluginRollback `cmd:"" help:"Point production at an earlier frozen version."`
	Disable  pluginDisable  `cmd:"" help:"Withdraw it from everyone until it is enabled."`
	Enable   pluginEnable   `cmd:"" help:"Restore what disabling withdrew."`
	Remove   pluginRemove   `cmd:"" help:"Withdraw it from all stages; records and keys stay."`
	Impact   pluginImpact   `cmd:"" help:"Whom a promotion, rollback or removal would touch."`
	List     pluginList     `cmd:"" help:"The plugins."`
	Show     pluginShow     `cmd:"" help:"A plugin with its stages, frozen versions and bindings."`
	Export   pluginExport   `cmd:"" help:"The plugin as a file, its settings, or several plugins as a bundle."`
	Test     pluginTry      `cmd:"" help:"Call a tool once, or an action of the draft with a key that is forgotten after it, outside of any run."`
	Settings pluginSettings `cmd:"" help:"Show, set or take away the pawl-release@1 settings of the draft."`
}

type pluginID struct {
	ID string `arg:"" help:"The plugin's id."`
}

// onTop is the header that makes a write build on what is there now; none where nothing is.
func (s *session) onTop(path string) (http.Header, error) {
	a, err := s.get(path, nil, nil)
	var p *client.Problem
	if errors.As(err, &p) && p.Kind == fault.NotFound {
		return http.Header{"If-None-Match": {"*"}}, nil
	}
	if err != nil {
		return nil, err
	}
	return http.Header{"If-Match": {a.Header.Get("ETag")}}, nil
}

// move makes a call that changes the stages of a plugin and prints what it did.
func (s *session) move(r client.Request) error {
	var m api.Moved
	a, err := s.call(r, &m)
	if err != nil {
		return err
	}
	s.show(a, func() { s.moved(&m) })
	return nil
}

func (s *session) moved(m *api.Moved) {
	if !m.Changed {
		s.say("Nothing changed: it was so already.")
	}
	s.say("%s: draft %s, preview %s, production %s%s", m.Plugin.ID, stage(m.Plugin.Draft), stage(m.Plugin.Preview), stage(m.Plugin.Production), condition(&m.Plugin))
	for _, i := range m.Published {
		s.say("routed from now on:   %s", i)
	}
	for _, i := range m.Withdrawn {
		s.say("no longer routed:     %s", i)
	}
	for _, w := range m.Warnings {
		s.say("to be mended before it can be frozen: %s", clean(client.Item{Kind: w.Kind, Reason: w.Reason, Message: w.Message, Where: w.Where}.String()))
	}
	for _, w := range m.OnTheWire {
		s.say("still on the wire:    run %s, step %s, attempt %d of %s", w.Run, w.Path, w.N, w.Action)
	}
}

func stage(st *api.Stage) string {
	if st == nil {
		return "-"
	}
	return st.Version
}

func condition(p *api.PluginHead) string {
	if p.Enabled {
		return ""
	}
	return ", disabled"
}

type pluginPromote struct {
	pluginID
	To           string   `required:"" enum:"preview,production" help:"preview or production."`
	Projects     []string `help:"With preview: the projects to serve it in."`
	KeepPrevious string   `help:"With production: keep the version before for a time such as 14d or 12h, or until a date such as 2027-01-31."`
}

// Run promotes.
func (c *pluginPromote) Run(s *session) error {
	body := api.Promotion{To: c.To, Projects: c.Projects}
	if c.KeepPrevious != "" {
		until, err := instant(c.KeepPrevious, time.Now())
		if err != nil {
			return usageError{"--keep-previous: " + err.Error()}
		}
		body.KeepPrevious = &until
	}
	return s.move(client.Request{Method: http.MethodPost, Path: path("/api/v1/plugins/%s/promote", c.ID), Body: body})
}

// maxDays bounds a time from now in days, some 2,700 years: a later year has no form in JSON (RFC 3339).
const maxDays = 1_000_000

// instant reads a time from now ("14d", "36h") or a date or instant (RFC 3339).
func instant(text string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n <= maxDays {
			return now.AddDate(0, 0, n), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil {
		return now.Add(d), nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%q is no time that can be named: write 14d, 36h, 2027-01-31, or an instant such as 2027-01-31T12:00:00Z", text)
}

type pluginRollback struct {
	pluginID
	To string `required:"" help:"An earlier frozen version, for instance 1.0.0."`
}

// Run rolls back.
func (c *pluginRollback) Run(s *session) error {
	return s.move(client.Request{Method: http.MethodPost, Path: path("/api/v1/plugins/%s/rollback", c.ID), Body: api.RollbackRequest{To: c.To}})
}

type pluginDisable struct{ pluginID }

// Run disables.
func (c *pluginDisable) Run(s *session) error {
	return s.move(client.Request{Method: http.MethodPost, Path: path("/api/v1/plugins/%s/disable", c.ID)})
}

type pluginEnable struct{ pluginID }

// Run enables.
func (c *pluginEnable) Run(s *session) error {
	return s.move(client.Request{Method: http.MethodPost, Path: path("/api/v1/plugins/%s/enable", c.ID)})
}

type pluginRemove struct{ pluginID }

// Run removes, after asking.
func (c *pluginRemove) Run(s *session) error {
	if err := s.confirm("Remove " + c.ID + " from all stages? Steps that name it fail from now on."); err != nil {
		return err
	}
	return s.move(client.Request{Method: http.MethodDelete, Path: path("/api/v1/plugins/%s", c.ID)})
}
