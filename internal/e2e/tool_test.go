package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"pawl/internal/e2e/lab"
	"pawl/internal/launch"
	"pawl/internal/sandbox"
)

// toolLab is a lab with the tools of the probe and the words plugin in production and all grants, and its engine running.
func toolLab(t *testing.T) *lab.Lab {
	t.Helper()
	ctx := context.Background()
	l := startedLab(t)
	must(t, l.Release(ctx, lab.ProbePlugin("1.0.0")))
	must(t, l.Release(ctx, lab.WordsPlugin("1.0.0")))
	must(t, l.Grant(ctx, lab.Probe, "act"))
	must(t, l.GrantHost(ctx, "probe", lab.Host))
	return l
}

// tool is an action step of a plugin's tool.
func tool(id, action, input, more string) string {
	return fmt.Sprintf(`{"id":%q,"type":"action","action":%q,"input":%s%s}`, id, action, input, more)
}

// attempt is what the ledger has of one attempt.
type attempt struct {
	Effect, State string
	Error         *string
	Trace         sandbox.Trace
}

func lastAttempt(t *testing.T, l *lab.Lab, run uuid.UUID, path string) (a attempt) {
	t.Helper()
	var logs []byte
	must(t, l.Pool.QueryRow(context.Background(), `select effect, state, error, coalesce(logs, '{}') from attempt
		where run_id = $1 and path = $2 order by n desc limit 1`, run, path).Scan(&a.Effect, &a.State, &a.Error, &logs))
	must(t, json.Unmarshal(logs, &a.Trace))
	return a
}

func TestToolsAreSteps(t *testing.T) {
	t.Parallel()
	l := toolLab(t)
	doc := document("Tools", strings.Join([]string{
		tool("count", lab.Words+".count", `{"text":"{{ inputs.text }}"}`, ""),
		tool("look", lab.Probe+".look", `{"requests":[["GET","/item/7"]]}`, ""),
		tool("act", lab.Probe+".act", `{"requests":[["POST","/orders"],["PUT","/orders/{{ steps.count.output.words }}"]],"body":"{{ steps.look.output.answers[0].text }}"}`, ""),
	}, ","), `,"inputs":{"type":"object","properties":{"text":{"type":"string"}}},"output":{"words":"{{ steps.count.output.words }}","put":"{{ steps.act.output.answers[1].status }}","stage":"{{ steps.act.output.stage }}"}`)
	run := startRun(t, l, "tools", doc, `{"text":"one two  three"}`)
	l.WaitFor(t, run, soon, "succeeded")
	if got, want := output(t, l, run), `{"words":3,"put":200,"stage":"production"}`; !sameJSON(t, got, want) {
		t.Errorf("output %s, want %s", got, want)
	}
	if got := l.Target.Count(http.MethodPut, "/orders/3"); got != 1 {
		t.Errorf("%d PUTs, want 1", got)
	}
	act := lastAttempt(t, l, run, "act")
	if act.Effect != "unsafe" || act.State != "answered" || len(act.Trace.Requests) != 2 || act.Trace.Requests[0].Status != 201 ||
		fmt.Sprint(act.Trace.Logs) != "[POST /orders PUT /orders/3]" {
		t.Errorf("the ledger has %+v", act)
	}
	if count := lastAttempt(t, l, run, "count"); count.Effect != "read" || fmt.Sprint(count.Trace.Logs) != "[counted]" {
		t.Errorf("the ledger has %+v", count)
	}
}

// What keeps a tool from its work is said before anything is sent.
func TestToolsThatMayNot(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := startedLab(t)
	must(t, l.Release(ctx, lab.ProbePlugin("1.0.0")))
	const look, act = lab.Probe + ".look", lab.Probe + ".act"
	request := `{"requests":[["GET","{{ inputs.path }}"]]}`
	tests := []struct {
		name, step string
		want       []string
	}{
		{name: "no grant of the host", step: tool("s", look, request, ""), want: []string{`"permission_required"`, "probe", lab.Host, "pawl grant add --plugin probe --host " + lab.Host}},
		{name: "no grant of the action", step: tool("s", act, request, ""), want: []string{`"permission_required"`, act}},
		{name: "input of another type", step: tool("s", look, `{"requests":"{{ inputs.path }}"}`, ""), want: []string{`"invalid_input"`, "/requests"}},
		{name: "it throws", step: tool("s", lab.Probe+".throws", `{"what":"{{ inputs.path }}"}`, ""), want: []string{`"rejected"`, `"threw"`, "TypeError: no /item/1", `"line"`}},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name := fmt.Sprintf("may-not-%d", i)
			run := startRun(t, l, name, document("May not", tt.step, `,"inputs":{"type":"object","properties":{"path":{"type":"string"}}}`), `{"path":"/item/1"}`)
			problem := l.WaitFor(t, run, soon, "failed")
			for _, want := range append(tt.want, `"step":"s"`) {
				if !strings.Contains(problem, want) {
					t.Errorf("the error does not say %q: %s", want, problem)
				}
			}
		})
	}
	if n := len(l.Target.Hits()); n != 0 {
		t.Errorf("the target saw %d requests", n)
	}
}

// A host that the manifest does not name is refused whatever is granted.
func TestToolsReachTheHostsOfTheirManifest(t *testing.T) {
	t.Parallel()
	l := toolLab(t)
	run := startRun(t, l, "elsewhere", document("Elsewhere", tool("s", lab.Probe+".elsewhere", `{"host":"third.example.com"}`, ""), ""), `{}`)
	problem := l.WaitFor(t, run, soon, "failed")
	if !strings.Contains(problem, "third.example.com") || !strings.Contains(problem, "permissions.hosts") {
		t.Errorf("the error is %s", problem)
	}
}

// TestC041ToolsLostAnswerIsUnknown: a tool above read whose request got no answer is never called again by itself.
func TestC041ToolsLostAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := toolLab(t)
	for _, path := range []string{"/vanish/tool", "/slow/30000"} { // no answer, and none within the time of a call
		doc := document("Lost", `{"id":"again","type":"retry","policy":{"max_attempts":3,"initial":"10ms"},"steps":[`+
			tool("act", lab.Probe+".act", `{"requests":[["POST","`+path+`"]]}`, `,"timeout":"1s"`)+`]}`, "")
		run := startRun(t, l, "lost"+strings.ReplaceAll(path, "/", "-"), doc, `{}`)
		problem := l.WaitFor(t, run, soon, "needs_attention")
		if n := l.Target.Count(http.MethodPost, path); n != 1 {
			t.Errorf("%s: sent %d times (%s)", path, n, problem)
		}
		if a := lastAttempt(t, l, run, "act"); a.State != "unknown" || len(a.Trace.Requests) != 1 || !a.Trace.Requests[0].Sent {
			t.Errorf("%s: the ledger has %+v", path, a)
		}
		must(t, l.Starter.Settle(ctx, launch.SettleRequest{Run: run, Path: "act", As: "succeeded", Output: []byte(`{"by":"hand"}`), Actor: "ana"}))
		l.WaitFor(t, run, soon, "succeeded")
	}
}

// A read without an answer is repeated by a retry, as any read is.
func TestToolsReadIsRepeated(t *testing.T) {
	t.Parallel()
	l := toolLab(t)
	doc := document("Again", `{"id":"again","type":"retry","policy":{"max_attempts":2,"initial":"10ms"},"steps":[`+
		tool("look", lab.Probe+".look", `{"requests":[["GET","/vanish/read"]]}`, "")+`]}`, "")
	run := startRun(t, l, "again", doc, `{}`)
	problem := l.WaitFor(t, run, soon, "failed")
	if n := l.Target.Count(http.MethodGet, "/vanish/read"); n < 2 || !strings.Contains(problem, `"network"`) {
		t.Errorf("sent %d times: %s", n, problem)
	}
}

// A withdrawal in the middle of a call lets no further request begin.
func TestWithdrawnInTheMiddleOfATool(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, action, method string }{
		{name: "read", action: "look", method: http.MethodGet},
		{name: "effect", action: "act", method: http.MethodPost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := toolLab(t)
			steps := tool("s", lab.Probe+"."+tt.action, fmt.Sprintf(`{"requests":[[%q,"/slow/1500"],[%q,"/orders/second"]]}`, tt.method, tt.method), "")
			run := startRun(t, l, "middle", document("Middle", steps, ""), `{}`)
			eventually(t, func() bool { return l.Target.Count(tt.method, "/slow") == 1 })
			_, err := l.Stages.Disable(context.Background(), "probe", "ana")
			must(t, err)
			problem := l.WaitFor(t, run, soon, "failed")
			if !strings.Contains(problem, `"unavailable"`) || l.Target.Count(tt.method, "/orders/second") != 0 {
				t.Errorf("%d further requests: %s", l.Target.Count(tt.method, "/orders/second"), problem)
			}
			if a := lastAttempt(t, l, run, "s"); tt.name == "effect" && (a.State != "answered" || len(a.Trace.Requests) != 2 || a.Trace.Requests[1].Sent) {
				t.Errorf("the ledger has %+v", a)
			}
		})
	}
}

// The grant of a host holds for each request, not for the call.
func TestHostRevokedInTheMiddleOfATool(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := toolLab(t)
	steps := tool("s", lab.Probe+".act", `{"requests":[["POST","/slow/1500"],["POST","/orders/second"]]}`, "")
	run := startRun(t, l, "revoked", document("Revoked", steps, ""), `{}`)
	eventually(t, func() bool { return l.Target.Count(http.MethodPost, "/slow") == 1 })
	_, err := l.Pool.Exec(ctx, `update standing_grant set revoked_at = now() where kind = 'host'`)
	must(t, err)
	problem := l.WaitFor(t, run, soon, "failed")
	if !strings.Contains(problem, "host_grant") || l.Target.Count(http.MethodPost, "/orders/second") != 0 {
		t.Errorf("%d further requests: %s", l.Target.Count(http.MethodPost, "/orders/second"), problem)
	}
}

// A cancel lets a tool above read that has begun end, all its requests included, and begins nothing after it.
func TestCancelLetsAToolEnd(t *testing.T) {
	t.Parallel()
	l := toolLab(t)
	steps := tool("s", lab.Probe+".act", `{"requests":[["POST","/slow/1500"],["POST","/orders/second"]]}`, "") + "," +
		tool("after", lab.Probe+".act", `{"requests":[["POST","/orders/after"]]}`, "")
	run := startRun(t, l, "cancel", document("Cancel", steps, ""), `{}`)
	eventually(t, func() bool { return l.Target.Count(http.MethodPost, "/slow") == 1 })
	must(t, l.Starter.Cancel(context.Background(), run, "ana", false))
	l.WaitFor(t, run, soon, "cancelled")
	if second, after := l.Target.Count(http.MethodPost, "/orders/second"), l.Target.Count(http.MethodPost, "/orders/after"); second != 1 || after != 0 {
		t.Errorf("%d second requests, want 1; %d of the step after, want 0", second, after)
	}
	if a := lastAttempt(t, l, run, "s"); a.State != "answered" {
		t.Errorf("the ledger has %+v", a)
	}
}

// A local-only run may call a tool that reaches nothing, and no other.
func TestLocalOnlyRunsCallLocalTools(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := toolLab(t)
	tests := []struct{ name, step, want string }{
		{name: "local", step: tool("s", lab.Words+".count", `{"text":"a b"}`, ""), want: "succeeded"},
		{name: "outside", step: tool("s", lab.Probe+".look", `{"requests":[]}`, ""), want: "failed"},
	}
	for _, tt := range tests {
		a, err := l.Publish(ctx, tt.name, document("Local", tt.step, ""))
		must(t, err)
		run, _, err := l.Starter.Start(ctx, launch.StartRequest{
			Project: l.Project, Automation: a, Input: json.RawMessage(`{}`), Trigger: "api", Actor: "lab", LocalOnly: true,
		})
		must(t, err)
		l.WaitFor(t, run, soon, tt.want)
	}
}
