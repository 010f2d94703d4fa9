package e2e_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pawl/internal/auth"
	"pawl/internal/e2e/lab"
	"pawl/internal/serving"
	"pawl/internal/store"
)

// agentSite is a server over a lab, for agents.
type agentSite struct {
	t    *testing.T
	l    *lab.Lab
	url  string
	key  string // a live key of the administrator
	wait time.Duration
}

func newAgentSite(t *testing.T, l *lab.Lab, wait time.Duration) *agentSite {
	t.Helper()
	ctx := context.Background()
	admin, err := auth.Bootstrap(ctx, store.New(l.Pool), "ana@example.org")
	must(t, err)
	srv, err := serving.New(serving.Config{
		Pool: l.Pool, Vault: l.Vault, Starter: l.Starter, Guard: l.Guard(), Sandbox: l.Sandbox(), Log: l.Log, Version: "test", Cookies: auth.AnyScheme,
		Ready: l.Pool.Ping, AgentWait: wait,
	})
	must(t, err)
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	must(t, err)
	serve, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(serve, ln) }()
	t.Cleanup(func() {
		stop()
		must(t, <-ended)
	})
	return &agentSite{t, l, "http://" + ln.Addr().String(), admin.KeyText, wait}
}

// keyed sends an API key with every request.
type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return http.DefaultTransport.RoundTrip(r)
}

// agent connects the SDK's client.
func (s *agentSite) agent(key string) *mcp.ClientSession {
	s.t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: keyed{key}}, MaxRetries: -1, DisableStandaloneSSE: true}, nil)
	must(s.t, err)
	s.t.Cleanup(func() { _ = session.Close() })
	return session
}

func toolNames(t *testing.T, c *mcp.ClientSession) []string {
	t.Helper()
	var names []string
	for tool, err := range c.Tools(context.Background(), nil) {
		must(t, err)
		names = append(names, tool.Name)
	}
	return names
}

// called calls a tool and gives its structured content as JSON.
func called(t *testing.T, c *mcp.ClientSession, name, arguments string, meta mcp.Meta) (content string, isError bool) {
	t.Helper()
	r, err := c.CallTool(context.Background(), &mcp.CallToolParams{Meta: meta, Name: name, Arguments: json.RawMessage(arguments)})
	must(t, err)
	b, err := json.Marshal(r.StructuredContent)
	must(t, err)
	return string(b), r.IsError
}

// post sends a request to the API.
func (s *agentSite) post(method, path, body string) string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, s.url+path, strings.NewReader(body))
	must(s.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := http.DefaultClient.Do(r)
	must(s.t, err)
	defer resp.Body.Close()
	var b strings.Builder
	if err := resp.Write(&b); err != nil {
		s.t.Fatal(err)
	}
	return b.String()
}

// TestAgentsCallTools: what a released plugin and app offer can be called over MCP, under grants, through the ledger.
func TestAgentsCallTools(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := toolLab(t)
	s := newAgentSite(t, l, 20*time.Second)
	c := s.agent(s.key)
	names := strings.Join(toolNames(t, c), " ")
	for _, want := range []string{"words__count", "probe__look", "probe__act", "skill_list", "skill_read", "run_result"} {
		if !strings.Contains(names, want) {
			t.Errorf("no %s among %s", want, names)
		}
	}
	_, err := l.Stages.Store.PluginState(ctx, "words")
	must(t, err)
	s.post("POST", "/api/v1/projects/default/grants", `{"agents":"plugin:words"}`)
	s.post("POST", "/api/v1/projects/default/grants", `{"agents":"plugin:probe"}`)
	if got, isError := called(t, c, "words__count", `{"text":"one two {{ 1 }}"}`, nil); isError || got != `{"words":5}` {
		t.Errorf("words__count: %s", got)
	}
	if got, isError := called(t, c, "words__count", `{"text":7}`, nil); !isError || !strings.Contains(got, `"invalid_input"`) || !strings.Contains(got, `/text`) {
		t.Errorf("an argument that does not fit: %s", got)
	}
	meta := mcp.Meta{"pawl/idempotency-key": "once"}
	for range 2 {
		if got, isError := called(t, c, "probe__act", `{"requests":[["POST","/orders/agent"]],"body":"a"}`, meta); isError || !strings.Contains(got, `"status":201`) {
			t.Errorf("probe__act: %s", got)
		}
	}
	if n := l.Target.Count(http.MethodPost, "/orders/agent"); n != 1 {
		t.Errorf("sent %d times under one key", n)
	}
	if got, isError := called(t, c, "probe__act", `{"requests":[["POST","/vanish/agent"]]}`, nil); !isError || !strings.Contains(got, "outcome_unknown") || !strings.Contains(got, "needs_attention") {
		t.Errorf("a lost answer: %s", got)
	}
	if n := l.Target.Count(http.MethodPost, "/vanish/agent"); n != 1 {
		t.Errorf("the unknown call was sent %d times", n)
	}
	if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "words__cont"}); err == nil || !strings.Contains(err.Error(), "no tool") {
		t.Errorf("a tool that is not there: %v", err)
	}
	list := s.post("GET", "/api/v1/projects/default/runs", "")
	if !strings.Contains(list, `"action":"plugin.words.v1-0-0.count"`) || !strings.Contains(list, `"trigger":"agent"`) {
		t.Errorf("the runs: %.500s", list)
	}
}

// TestAgentsWaitForAPerson: without a grant a call waits for an approval, which is for exactly it, once.
func TestAgentsWaitForAPerson(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := toolLab(t)
	s := newAgentSite(t, l, 500*time.Millisecond)
	c := s.agent(s.key)
	const arguments = `{"requests":[["POST","/orders/asked"]],"body":"x"}`
	approval := func(got string) string {
		t.Helper()
		var r struct{ Approval, State string }
		if err := json.Unmarshal([]byte(got), &r); err != nil || r.Approval == "" || r.State != "waiting" {
			t.Fatalf("%s does not wait", got)
		}
		return r.Approval
	}
	got, _ := called(t, c, "probe__act", arguments, nil)
	id := approval(got)
	again, _ := called(t, c, "probe__act", `{"body":"x","requests":[["POST","/orders/asked"]]}`, nil)
	if other := approval(again); other != id {
		t.Errorf("the same call asks twice: %s, %s", id, other)
	}
	read, _ := called(t, c, "probe__look", `{"requests":[]}`, nil)
	denied := approval(read)
	if n := l.Target.Count(http.MethodPost, "/orders/asked"); n != 0 {
		t.Errorf("%d requests before anybody allowed it", n)
	}
	for range 2 {
		s.post("POST", "/api/v1/projects/default/approvals/"+id+"/allow", `{}`)
	}
	eventually(t, func() bool {
		got, isError := called(t, c, "run_result", `{"approval":"`+id+`"}`, nil)
		return !isError && strings.Contains(got, `"status":201`)
	})
	if n := l.Target.Count(http.MethodPost, "/orders/asked"); n != 1 {
		t.Errorf("allowed once, sent %d times", n)
	}
	s.post("POST", "/api/v1/projects/default/approvals/"+denied+"/deny", `{"comment":"not today"}`)
	if got, isError := called(t, c, "run_result", `{"approval":"`+denied+`"}`, nil); !isError || !strings.Contains(got, `"denied"`) || !strings.Contains(got, "not today") {
		t.Errorf("a call that was refused: %s", got)
	}
	got, _ = called(t, c, "probe__act", arguments, nil)
	stale := approval(got)
	if stale == id {
		t.Error("an approval was used twice")
	}
	_, err := l.Stages.Disable(ctx, "probe", "ana")
	must(t, err)
	if said := s.post("POST", "/api/v1/projects/default/approvals/"+stale+"/allow", `{}`); !strings.Contains(said, "no longer routed") {
		t.Errorf("allowing what was withdrawn: %s", said)
	}
	if n := l.Target.Count(http.MethodPost, "/orders/asked"); n != 1 {
		t.Errorf("sent %d times", n)
	}
}
