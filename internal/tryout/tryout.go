// Package tryout calls a tool or an action of a plugin once for a developer, in the console's test runner: outside of any
// run, so nothing of it is in the effect ledger, and for any stage, the draft first of all. What it sends is sent really.
package tryout

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"pawl/actions"
	"pawl/actions/httpcall"
	"pawl/actions/jsbox"
	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/connections/release"
	"pawl/internal/compile"
	"pawl/internal/fault"
	"pawl/internal/sandbox"
)

// Store reads what is tried, and writes down that it was.
type Store interface {
	PluginState(ctx context.Context, id string) (release.State, error)
	FrozenPlugin(ctx context.Context, id string, v connections.Version) (release.Freeze, error)
	HostGranted(ctx context.Context, project uuid.UUID, plugin, host string) (bool, error)
	// NoteTest appends to the audit log.
	NoteTest(ctx context.Context, n release.TestNote) error
}

// Tests makes test calls. All members are needed.
type Tests struct {
	Store  Store
	Box    *sandbox.Box
	Client *httpcall.Client
}

// Subject says of which plugin, in which stage, for which project, and who tests.
type Subject struct {
	Project   uuid.UUID
	LocalOnly bool // of the project: nothing goes out
	Plugin    string
	Stage     release.Stage
	By        string // as it is shown to people
}

// Result is what a test gave, a failed one too.
type Result struct {
	Version connections.Version
	Output  json.RawMessage // nil where it failed; of an action that was refused by its provider, what came
	Logs    []string
	Fetches []sandbox.Request
	// Request is what an action sent, without the key; nil for a tool and where it could not be built.
	Request *httpcall.Summary
	// Err is why it failed, nil for success.
	Err  *fault.Error
	Took time.Duration
}

// subject is what is tried: the compiled plugin.
type subject struct {
	Subject
	plugin   *genisys.Plugin
	settings *release.Settings
	digest   string
}

// open reads the bytes of a stage. A removed plugin is in none; a disabled one is still in the console's.
func (t *Tests) open(ctx context.Context, s Subject) (*subject, error) {
	state, err := t.Store.PluginState(ctx, s.Plugin)
	if err != nil {
		return nil, err
	}
	if !state.Exists || state.RemovedAt != nil {
		return nil, fault.New(fault.NotFound, "plugin", "There is no plugin %.60q. See which there are: pawl plugin list", s.Plugin)
	}
	document, sidecar := state.Draft.Document, state.Draft.Settings
	if v, frozen := stageVersion(&state, s.Stage); frozen {
		if v == nil {
			return nil, fault.New(fault.NotFound, "stage", "%s has no version in the stage %s.", s.Plugin, s.Stage)
		}
		f, err := t.Store.FrozenPlugin(ctx, s.Plugin, *v)
		if err != nil {
			return nil, err
		}
		document, sidecar = f.Document, f.Settings
	}
	p, problems := genisys.Thaw(document)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	settings, err := release.DecodeSettings(sidecar)
	if err != nil {
		return nil, err
	}
	return &subject{s, p, settings, hex.EncodeToString(release.Digest(document, sidecar))}, nil
}

func stageVersion(s *release.State, stage release.Stage) (v *connections.Version, frozen bool) {
	switch stage {
	case release.StagePreview:
		return s.Preview, true
	case release.StageProduction:
		return s.Production, true
	case release.StageTest:
	}
	return nil, false
}

// ended completes a result and notes it. The fault of a test is part of its result; the error is Pawl's own.
func (t *Tests) ended(ctx context.Context, s *subject, what string, sent bool, began time.Time, r Result, failed error) (Result, error) {
	r.Took, r.Version = time.Since(began), s.plugin.Manifest.Version
	if r.Err = fault.From(failed); r.Err != nil && r.Err.Kind == fault.Internal {
		return r, failed
	}
	return r, t.note(ctx, s, what, sent, r.Err)
}

func (t *Tests) note(ctx context.Context, s *subject, what string, sent bool, failed *fault.Error) error {
	outcome := "ok"
	if failed != nil {
		outcome = string(failed.Kind)
	}
	ctx = context.WithoutCancel(ctx) // who has gone meanwhile has tested all the same
	return t.Store.NoteTest(ctx, release.TestNote{
		Project: s.Project, By: s.By, Plugin: s.Plugin, Stage: s.Stage, Version: s.plugin.Manifest.Version, What: what, Outcome: outcome, Sent: sent,
	})
}

// Tool calls a tool in the sandbox with ctx.stage as the stage is called. Its hosts need the project's grants, as in a run;
// a standing grant for the tool it needs none, for the person who tests it is there. The error is a *fault.Error where the
// plugin, the stage or the tool is not there.
func (t *Tests) Tool(ctx context.Context, s Subject, tool string, input json.RawMessage) (Result, error) {
	began := time.Now()
	of, err := t.open(ctx, s)
	if err != nil {
		return Result{}, err
	}
	list, err := compile.Tools(of.plugin, of.settings, of.digest)
	if err != nil {
		return Result{}, err
	}
	a, err := pick(list, s.Plugin, "tool", tool)
	if err != nil {
		return Result{}, err
	}
	out, err := t.call(ctx, of, a, input)
	return t.ended(ctx, of, "tool "+tool, out.Sent(), began, Result{Output: out.Output, Logs: out.Logs, Fetches: out.Requests}, err)
}

func (t *Tests) call(ctx context.Context, s *subject, a *actions.Action, input json.RawMessage) (sandbox.Outcome, error) {
	if s.LocalOnly && !a.Local {
		return sandbox.Outcome{}, fault.New(fault.LocalOnly, "", "This project is local-only, and %s may reach something outside.", a.Name)
	}
	if err := sandbox.CheckInput(a.Tool, input); err != nil {
		return sandbox.Outcome{}, err
	}
	m, err := t.Box.Load(ctx, a.Tool)
	if err != nil {
		return sandbox.Outcome{}, fault.From(err)
	}
	return t.Box.Call(ctx, m, sandbox.Call{Tool: a.Tool, Input: input, Stage: jsbox.Stage(s.Stage), Allow: t.allow(s)})
}

// allow asks for the project's grant of a host before each request.
func (t *Tests) allow(s *subject) func(context.Context, string) (time.Time, error) {
	return func(ctx context.Context, host string) (time.Time, error) {
		granted, err := t.Store.HostGranted(ctx, s.Project, s.Plugin, host)
		if err != nil {
			return time.Time{}, fault.New(fault.Internal, "facts", "Whether the host is granted could not be looked up, so the request was not sent.").Because(err)
		}
		if !granted {
			return time.Time{}, connections.MissingHostGrant(s.Plugin, host)
		}
		return time.Time{}, nil
	}
}

// pick finds an action by its id.
func pick(list []*actions.Action, plugin, what, id string) (*actions.Action, error) {
	ids := make([]string, len(list))
	for i, a := range list {
		if a.ID == id {
			return a, nil
		}
		ids[i] = a.ID
	}
	return nil, unknown(plugin, what, id, ids)
}
