package tryout

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"pawl/actions"
	"pawl/actions/httpcall"
	"pawl/actions/jsbox"
	"pawl/connections"
	"pawl/connections/release"
	"pawl/connections/vault"
	"pawl/internal/canon"
	"pawl/internal/compile"
	"pawl/internal/fault"
)

// Action sends an action of the draft's app with a key that was typed for this test. The key is used for this request and
// kept nowhere; an account's key is never taken. The action is sent once: nothing is tried again. A frozen version's
// actions are tested by runs.
func (t *Tests) Action(ctx context.Context, s Subject, action string, input json.RawMessage, key vault.Secret) (Result, error) {
	began := time.Now()
	if s.Stage != release.StageTest {
		return Result{}, fault.New(fault.InvalidInput, "stage", "Only the draft's actions are tested with a typed key; those of a release run with an account, in a run.").At("/stage")
	}
	of, err := t.open(ctx, s)
	if err != nil {
		return Result{}, err
	}
	if of.plugin.Manifest.App == nil {
		return Result{}, fault.New(fault.NotFound, "action", "%s has no app, so it has no actions.", s.Plugin)
	}
	a, err := pick(compile.Actions(of.plugin.Manifest.App, of.settings), s.Plugin, "action", action)
	if err != nil {
		return Result{}, err
	}
	a.Identity = s.Plugin + "." + a.ID
	r, sent, err := t.send(ctx, of, a, input, key)
	return t.ended(ctx, of, "action "+action, sent, began, r, err)
}

func (t *Tests) send(ctx context.Context, s *subject, a *actions.Action, input json.RawMessage, key vault.Secret) (Result, bool, error) {
	switch {
	case s.LocalOnly:
		return Result{}, false, fault.New(fault.LocalOnly, "", "This project is local-only: %s would send a request to an outside app.", a.ID)
	case key.Empty():
		return Result{}, false, fault.New(fault.InvalidInput, "secret", "The test of an action needs a key, typed for this test. It is forgotten after it.").At("/key")
	}
	if err := connections.CheckSecret(secretKind(a), key); err != nil {
		return Result{}, false, fault.From(err).At("/key")
	}
	request, err := httpcall.Build(a, input)
	if err != nil {
		return Result{}, false, fault.One(err)
	}
	summary := request.Summary()
	answer, err := t.Client.Do(ctx, &httpcall.Exchange{Request: request, Auth: a.Auth, Secret: key, Effect: a.Effect})
	r := Result{Request: &summary}
	if answer.Status != 0 {
		r.Output = httpcall.Output(answer)
	}
	return r, answer.Sent, err
}

// secretKind is how the key of an app's action is applied.
func secretKind(a *actions.Action) connections.SecretKind {
	if a.Auth.Kind == actions.AuthHeader {
		return connections.HeaderSecret
	}
	return connections.BearerSecret
}

// Fetch is a request of a module that runs in a browser's sandbox.
type Fetch struct {
	URL     string
	Method  string // empty = GET
	Headers map[string]string
	Body    string
}

// Fetch sends what a module asked for with ctx.fetch in the iframe of the console, under the rules for the server's
// sandbox: the hosts that the stage's manifest names, and the project's grants. The error is a *fault.Error, which the
// module reads.
func (t *Tests) Fetch(ctx context.Context, s Subject, f Fetch) (httpcall.Fetched, error) {
	of, err := t.open(ctx, s)
	if err != nil {
		return httpcall.Fetched{}, err
	}
	if s.LocalOnly {
		return httpcall.Fetched{}, fault.New(fault.LocalOnly, "", "This project is local-only: nothing is sent.")
	}
	answer, sent, err := t.Client.Fetch(ctx, httpcall.Fetch{
		URL: f.URL, Method: f.Method, Headers: f.Headers, Body: f.Body, Hosts: of.plugin.Manifest.Hosts, Timeout: jsbox.MaxTime, Permit: t.allow(of),
	})
	failed := fault.From(err)
	if failed != nil && failed.Kind == fault.Internal {
		return answer, err
	}
	if noted := t.note(ctx, of, "fetch "+address(f), sent, failed); noted != nil {
		return answer, noted
	}
	return answer, err
}

// address names a request in the audit log: without path and query, which may hold what is private.
func address(f Fetch) string {
	host := "an address that can't be read"
	if u, err := url.Parse(f.URL); err == nil && u.Host != "" {
		host = u.Scheme + "://" + u.Hostname()
	}
	return cut(f.Method, 20) + " " + cut(host, 300)
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func unknown(plugin, what, id string, ids []string) error {
	return fault.New(fault.NotFound, what, "%s has no %s %s%s", plugin, what, canon.Quote(id), canon.Suggest(id, ids))
}
