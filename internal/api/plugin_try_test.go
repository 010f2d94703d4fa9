package api_test

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"pawl/actions/egress"
	"pawl/internal/auth"
)

const tryPath = project + "/plugins/probe/test"

// remote is what test calls reach as example.com; it remembers what it was sent.
type remote struct {
	mu   sync.Mutex
	seen []string
}

func (r *remote) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	r.seen = append(r.seen, q.Method+" "+q.URL.RequestURI()+" "+q.Header.Get("Authorization")+" "+string(body))
	r.mu.Unlock()
	switch q.URL.Path {
	case "/missing":
		http.Error(w, `{"message":"no such thing"}`, http.StatusNotFound)
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"n":9007199254740993,"echo":%q}`, q.Header.Get("Authorization"))
	}
}

func (r *remote) requests() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.seen...)
}

// probing is a site whose test calls reach a remote, with the draft of the plugin probe.
func probing(t *testing.T) (*site, *remote) {
	t.Helper()
	r := &remote{}
	srv := httptest.NewUnstartedServer(r)
	srv.EnableHTTP2 = false
	srv.StartTLS()
	t.Cleanup(srv.Close)
	pool := x509.NewCertPool()
	pool.AddCert(srv.Certificate())
	s := newSiteFor(t, egress.Config{
		CA: pool, Allow: egress.Allow{"example.com": {netip.MustParsePrefix("127.0.0.0/8")}},
		ConnectTo: egress.ConnectTo{"example.com": srv.Listener.Addr().String()},
	})
	s.must(201, "PUT", root+"/plugins/probe/draft", probe("1.0.0", probeModule))
	return s, r
}

const probeModule = `export default { tools: {
  async look(input, ctx) {
    ctx.log('look', input.path, ctx.stage);
    const { status, text } = await ctx.fetch('https://example.com' + input.path, { method: input.method });
    return { status, text };
  },
  echo: (input, ctx) => ({ text: input.text, pwn: typeof globalThis.pwn }),
  bad() {
    throw new TypeError('no');
  },
} };`

// probe is a plugin file with tools and an app.
func probe(version, code string) string {
	text := map[string]any{"type": "string"}
	input := map[string]any{"type": "object", "properties": map[string]any{"path": text, "method": text, "text": text}, "additionalProperties": false}
	tool := func(name, risk string) map[string]any {
		return map[string]any{"name": name, "description": name, "input": input, "risk": risk}
	}
	b, err := json.Marshal(map[string]any{"format": "genisys-plugin@1", "code": code, "manifest": map[string]any{
		"id": "probe", "name": "Probe", "version": version, "description": "For tests.",
		"tools":       []any{tool("look", "act"), tool("echo", "read"), tool("bad", "read")},
		"permissions": map[string]any{"hosts": []string{"example.com"}}, "skills": []any{},
		"app": map[string]any{"baseUrl": "https://example.com", "auth": "bearer", "logo": "", "secretLabel": "Key", "keyHelp": "", "docs": "", "actions": []any{
			map[string]any{"id": "get_item", "name": "Get", "description": "Gets.", "method": "GET", "path": "/{id}", "inputs": []any{map[string]any{"id": "id", "label": "Id", "in": "path", "required": true}}},
			map[string]any{"id": "make", "name": "Make", "description": "Makes.", "method": "POST", "path": "/things", "inputs": []any{map[string]any{"id": "title", "label": "Title", "in": "body"}}},
		}},
	}})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestAToolIsTried(t *testing.T) {
	t.Parallel()
	s, r := probing(t)
	call := `{"tool":"look","input":{"path":"/a"}}`
	a := s.must(200, "POST", tryPath, call)
	if a.json(t, "error.kind") != "permission_required" || a.json(t, "fetches.0.sent") != "false" || !strings.Contains(a.body, "pawl grant add --plugin probe --host example.com") {
		t.Errorf("without the grant of the host: %s", a.body)
	}
	s.must(200, "POST", project+"/grants", `{"plugin":"probe","host":"example.com"}`)
	a = s.must(200, "POST", tryPath, call)
	if a.json(t, "output.status") != "200" || a.json(t, "logs.0") != "look /a test" || a.json(t, "fetches.0.status") != "200" || a.json(t, "error") != "" ||
		a.json(t, "stage") != "test" || a.json(t, "version") != "1.0.0" {
		t.Errorf("with it: %s", a.body)
	}
	a = s.must(200, "POST", tryPath, `{"tool":"bad"}`)
	if a.json(t, "error.reason") != "threw" || a.json(t, "error.where.line") != "9" || a.json(t, "output") != "" {
		t.Errorf("a tool that throws: %s", a.body)
	}
	a = s.must(200, "POST", tryPath, `{"tool":"echo","input":{"text":7}}`)
	if a.json(t, "error.kind") != "invalid_input" || a.json(t, "error.where.pointer") != "/text" {
		t.Errorf("an input that does not fit: %s", a.body)
	}
	if got := r.requests(); len(got) != 1 {
		t.Errorf("the remote saw %q", got)
	}
	s.must(404, "POST", tryPath, `{"tool":"lok"}`)
	s.must(404, "POST", tryPath, `{"tool":"look","stage":"preview"}`)
	s.must(422, "POST", tryPath, `{"tool":"look","action":"make"}`)
	s.must(422, "POST", tryPath, `{"tool":"look","key":"x"}`)
	audit := s.must(200, "GET", root+"/audit?object=plugin:probe", "")
	for _, want := range []string{`"verb":"plugin.test"`, `"call":"tool look"`, `"outcome":"permission_required"`, `"sent":true`} {
		if !strings.Contains(audit.body, want) {
			t.Errorf("the audit log has no %s: %s", want, audit.body)
		}
	}
}

// TestC130InputsStayData: what is typed into a test reaches the tool as it is.
func TestC130InputsStayData(t *testing.T) {
	t.Parallel()
	s, _ := probing(t)
	for _, text := range []string{`'); globalThis.pwn=1; ('`, `</script>`, "\u2028", "${1+1}", "`${1}`", `\u0027`} {
		in, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		a := s.must(200, "POST", tryPath, `{"tool":"echo","input":{"text":`+string(in)+`}}`)
		if a.json(t, "output.text") != text || a.json(t, "output.pwn") != "undefined" {
			t.Errorf("%q came back in %s", text, a.body)
		}
	}
}

// TestADraftsActionIsTriedWithATypedKey: the key goes out once, and is in no answer, no row and no other request.
func TestADraftsActionIsTriedWithATypedKey(t *testing.T) {
	t.Parallel()
	s, r := probing(t)
	a := s.must(200, "POST", tryPath, `{"action":"make","input":{"title":"x"},"key":"`+canary+`"}`)
	if a.json(t, "output.status") != "200" || a.json(t, "output.body.n") != "9007199254740993" || a.json(t, "request.url") != "https://example.com/things" {
		t.Errorf("the answer: %s", a.body)
	}
	if strings.Contains(a.body, canary) || !strings.Contains(a.body, "[redacted]") {
		t.Errorf("the key that the app echoed: %s", a.body)
	}
	if got, want := r.requests(), []string{"POST /things Bearer " + canary + ` {"title":"x"}`}; len(got) != 1 || got[0] != want[0] {
		t.Errorf("the remote saw %q, want %q", got, want)
	}
	a = s.must(200, "POST", tryPath, `{"action":"get_item","input":{"id":"missing"},"key":"`+canary+`"}`)
	if a.json(t, "error.kind") != "rejected" || a.json(t, "error.status") != "404" || a.json(t, "output.status") != "404" {
		t.Errorf("an action that its app refuses: %s", a.body)
	}
	for _, c := range []struct{ body, pointer string }{
		{`{"action":"make"}`, "/key"},
		{`{"action":"make","key":"two\nlines"}`, "/key"},
		{`{"action":"make","key":"k","input":{"titel":"x"}}`, "/titel"},
		{`{"action":"get_item","key":"k"}`, "/id"},
	} {
		if a := s.must(200, "POST", tryPath, c.body); a.json(t, "error.where.pointer") != c.pointer || a.json(t, "error.kind") != "invalid_input" {
			t.Errorf("%s: %s", c.body, a.body)
		}
	}
	if n := len(r.requests()); n != 2 {
		t.Errorf("the remote saw %d requests, want 2", n)
	}
	s.must(422, "POST", tryPath, `{"action":"make","key":"k","stage":"production"}`)
	for _, query := range []string{`select coalesce(string_agg(detail, ''), '') from audit`, `select coalesce(string_agg(run::text, ''), '') from run`} {
		var text string
		if err := s.pool.QueryRow(t.Context(), query).Scan(&text); err != nil || strings.Contains(text, canary) {
			t.Errorf("%s: %v, %s", query, err, text)
		}
	}
}

// TestWhoMayTest: a viewer may not; a test key tests drafts alone; a removed plugin is not there, a disabled one is.
func TestWhoMayTest(t *testing.T) {
	t.Parallel()
	s, _ := probing(t)
	call := `{"tool":"echo","input":{"text":"a"}}`
	viewer, developer, test := s.key(auth.Viewer, auth.LiveKey), s.key(auth.Developer, auth.LiveKey), s.key(auth.Admin, auth.TestKey)
	if a := s.call(viewer, "POST", tryPath, call); a.status != 403 {
		t.Errorf("a viewer: %d %s", a.status, a.body)
	}
	if a := s.call(developer, "POST", tryPath, call); a.status != 200 {
		t.Errorf("a developer: %d %s", a.status, a.body)
	}
	s.must(200, "POST", root+"/plugins/probe/promote", `{"to":"preview","projects":["default"]}`)
	s.must(200, "POST", root+"/plugins/probe/promote", `{"to":"production"}`)
	production := `{"tool":"echo","input":{"text":"a"},"stage":"production"}`
	if a := s.call(test, "POST", tryPath, production); a.status != 403 || a.json(t, "reason") != "test_key" {
		t.Errorf("a test key in production: %d %s", a.status, a.body)
	}
	if a := s.call(test, "POST", tryPath, call); a.status != 200 {
		t.Errorf("a test key: %d %s", a.status, a.body)
	}
	s.must(200, "POST", root+"/plugins/probe/disable", "")
	if a := s.must(200, "POST", tryPath, production); a.json(t, "output.text") != "a" {
		t.Errorf("disabled: %s", a.body)
	}
	s.must(200, "DELETE", root+"/plugins/probe", "")
	s.must(404, "POST", tryPath, call)
}

// TestTheBrowserFetchesThroughPawl: the rules are those of the server's sandbox.
func TestTheBrowserFetchesThroughPawl(t *testing.T) {
	t.Parallel()
	s, r := probing(t)
	at := project + "/plugins/probe/fetch"
	if a := s.must(403, "POST", at, `{"url":"https://example.com/a"}`); a.json(t, "kind") != "permission_required" {
		t.Errorf("without the grant: %s", a.body)
	}
	s.must(200, "POST", project+"/grants", `{"plugin":"probe","host":"example.com"}`)
	a := s.must(200, "POST", at, `{"url":"https://example.com/a","method":"POST","headers":{"X-A":"1"},"body":"hello"}`)
	if a.json(t, "status") != "200" || !strings.Contains(a.body, "9007199254740993") {
		t.Errorf("%s", a.body)
	}
	for _, c := range []struct {
		status int
		body   string
	}{
		{403, `{"url":"https://example.org/a"}`},
		{422, `{"url":"http://example.com/a"}`},
		{422, `{"url":"https://u:p@example.com/a"}`},
		{422, `{"url":"https://example.com/a","headers":{"Cookie":"a=b"}}`},
	} {
		s.must(c.status, "POST", at, c.body)
	}
	if got := r.requests(); len(got) != 1 || got[0] != "POST /a  hello" {
		t.Errorf("the remote saw %q", got)
	}
}

// TestC126OnlyTheSandboxRunsTheTopLevel: a module whose top level tries to get out is saved with a warning, and refused where
// it would be frozen; nothing leaves.
func TestC126OnlyTheSandboxRunsTheTopLevel(t *testing.T) {
	t.Parallel()
	s, r := probing(t)
	s.must(200, "POST", project+"/grants", `{"plugin":"probe","host":"example.com"}`)
	for _, c := range []struct{ name, code, reason, line string }{
		{"a process", "\nprocess.exit(1);\n" + probeModule, "threw", "2"},
		{"a request", "\n\nawait fetch('https://example.com/marker');\n" + probeModule, "threw", "3"},
		{"a require", "require('fs').writeFileSync('/tmp/marker', '1');\n" + probeModule, "threw", "1"},
		{"an import", "import fs from 'fs';\n" + probeModule, "import", "1"},
		{"a syntax error", "export default {\n  tools: { async look( { }\n};", "syntax", ""},
		{"a tool that is not there", "export default { tools: { look() {}, echo() {} } };", "tool_missing", ""},
	} {
		tag := s.must(200, "GET", root+"/plugins/probe", "").header.Get("ETag")
		a := s.must(200, "PUT", root+"/plugins/probe/draft", probe("1.0.0", c.code), "If-Match", tag)
		if a.json(t, "warnings.0.reason") != c.reason || a.json(t, "warnings.0.where.pointer") != "/code" {
			t.Errorf("%s: pushing gives %s", c.name, a.body)
		}
		if c.line != "" && a.json(t, "warnings.0.where.line") != c.line {
			t.Errorf("%s: the line is %s, want %s", c.name, a.json(t, "warnings.0.where.line"), c.line)
		}
		if a := s.call(s.admin, "POST", root+"/plugins/probe/promote", `{"to":"preview","projects":[]}`); a.status != 409 || a.json(t, "details.problem") != c.reason || a.json(t, "where.pointer") != "/code" {
			t.Errorf("%s: freezing gives %d %s", c.name, a.status, a.body)
		}
	}
	if got := r.requests(); len(got) != 0 {
		t.Errorf("the remote saw %q", got)
	}
	if a := s.must(200, "GET", root+"/plugins/probe", ""); a.json(t, "preview") != "" || a.json(t, "releases") != "[]" {
		t.Errorf("something was frozen: %s", a.body)
	}
}

// TestTheHarnessIsServed: under its own policy, for frames of our own pages alone.
func TestTheHarnessIsServed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.call("", "GET", "/harness", "")
	policy := a.header.Get("Content-Security-Policy")
	if a.status != 200 || !strings.HasPrefix(policy, "sandbox allow-scripts; default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'self'") ||
		a.header.Get("X-Frame-Options") != "SAMEORIGIN" || !strings.Contains(a.body, "__genisys") {
		t.Errorf("%d %q %.100s", a.status, policy, a.body)
	}
	if first := s.call("", "GET", "/", ""); !strings.Contains(first.header.Get("Content-Security-Policy"), "frame-src 'self'") {
		t.Errorf("the pages' policy: %s", first.header.Get("Content-Security-Policy"))
	}
}
