package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/actions/egress"
	"pawl/actions/jsbox"
	"pawl/connections/vault"
	"pawl/internal/auth"
	"pawl/internal/launch"
	"pawl/internal/serving"
	"pawl/internal/store"
	"pawl/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// sandboxEngine is the one that all sites share: compiling it takes a second.
var sandboxEngine = sync.OnceValues(func() (*jsbox.Engine, error) { return jsbox.New(jsbox.Config{}) }) //nolint:gochecknoglobals // once for the process

// site is a server with a database of its own, as pawl serve runs it, and its first administrator.
type site struct {
	t       testing.TB
	url     string
	pool    *pgxpool.Pool
	store   *store.Store
	signIns *auth.SignIns
	client  *http.Client
	admin   string // API key
	link    string // token of a one-time link
}

const page = `<!doctype html><meta name="nonce" content="__CSP_NONCE__"><title>Pawl</title>`

// uiFiles are pages whose app-1.js is not worth compressing.
func uiFiles() fstest.MapFS {
	script := strings.Repeat("export const number = 7615917337495251231;\n", 1000)
	return fstest.MapFS{
		"index.html": {Data: []byte(page)}, "assets/app-1.js": {Data: []byte("1")}, "assets/app-2.js": {Data: []byte(script)},
		"assets/font.woff2": {Data: []byte(script)}, "pawl.svg": {Data: []byte("<svg>" + script + "</svg>")},
	}
}

func newSite(t testing.TB) *site {
	t.Helper()
	return newSiteFor(t, egress.Config{})
}

// newSiteFor is a site whose test calls go out as way says.
func newSiteFor(t testing.TB, way egress.Config) *site {
	t.Helper()
	box, err := sandboxEngine()
	if err != nil {
		t.Fatal(err)
	}
	pool := storetest.New(t)
	s := &site{t: t, pool: pool, store: store.New(pool)}
	admin, err := auth.Bootstrap(t.Context(), s.store, "ana@example.org")
	if err != nil {
		t.Fatal(err)
	}
	s.admin, s.link = admin.KeyText, admin.LinkToken
	master, err := vault.NewMasterKey()
	if err != nil {
		t.Fatal(err)
	}
	v, err := vault.New(master)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	notifier := launch.NewNotifier(s.store, log)
	srv, err := serving.New(serving.Config{
		Pool: pool, Vault: v, Starter: launch.NewStarter(s.store, notifier.Work, notifier.Changed), Log: log, Version: "test",
		Cookies: auth.AnyScheme, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}, Ready: pool.Ping,
		UI: uiFiles(), Guard: egress.New(way), Sandbox: box,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.signIns = srv.SignIns
	s.serve(srv, notifier)
	s.client = &http.Client{
		Transport:     &http.Transport{DisableCompression: true}, // what a test does not ask for must not come compressed
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(s.client.CloseIdleConnections)
	return s
}

func (s *site) serve(srv *serving.Server, notifier *launch.Notifier) {
	s.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.url = "http://" + ln.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	served, told := make(chan error, 1), make(chan struct{})
	go func() { served <- srv.Serve(ctx, ln) }()
	go func() { defer close(told); notifier.Run(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			s.t.Error(err)
		}
		<-told
	})
}

// key makes a person with a role in the project default, and a key of it.
func (s *site) key(role auth.Role, kind auth.KeyKind) string {
	s.t.Helper()
	p, err := s.store.ProjectByName(s.t.Context(), "default")
	if err != nil {
		s.t.Fatal(err)
	}
	person, err := s.store.AddMember(s.t.Context(), p.ID, string(role)+"@example.org", role, "test")
	if err != nil {
		s.t.Fatal(err)
	}
	k, text, err := auth.NewKey(kind, person.ID, nil, "test", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	hash, _ := auth.HashKey(text)
	if err := s.store.CreateKey(s.t.Context(), k, hash, "test"); err != nil {
		s.t.Fatal(err)
	}
	return text
}

// answer is what the server said.
type answer struct {
	status int
	header http.Header
	body   string
}

// json gives a member of the answer by its path, such as "items.0.name", as text.
func (a answer) json(t testing.TB, path string) string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(a.body))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%d %q is no JSON: %v", a.status, a.body, err)
	}
	for _, part := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[part]
		case []any:
			i := 0
			if _, err := fmt.Sscan(part, &i); err != nil || i >= len(at) {
				return ""
			}
			v = at[i]
		default:
			return ""
		}
	}
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case json.Number, bool:
		return fmt.Sprint(x)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// call is a request to the site; key is empty for none, and headers come in pairs.
func (s *site) call(key, method, path, body string, headers ...string) answer {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return s.do(req)
}

func (s *site) do(req *http.Request) answer {
	s.t.Helper()
	res, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(b)}
}

// must is call by the administrator that fails the test unless the status is as wanted.
func (s *site) must(status int, method, path, body string, headers ...string) answer {
	s.t.Helper()
	a := s.call(s.admin, method, path, body, headers...)
	if a.status != status {
		s.t.Fatalf("%s %s: got %d %s, want %d", method, path, a.status, a.body, status)
	}
	return a
}

const (
	root    = "/api/v1"
	project = "/api/v1/projects/default"
)

// plugin is a file of the plugin shop with a read and a write.
func plugin(version string) string {
	return fmt.Sprintf(`{"format":"genisys-plugin@1","manifest":{"id":"shop","name":"Shop","version":%q,"description":"Orders.",
		"tools":[],"skills":[],"permissions":{"hosts":[]},"app":{"baseUrl":"https://shop.example.com","auth":"bearer","actions":[
		{"id":"list_orders","name":"List orders","description":"Lists.","method":"GET","path":"/orders","inputs":[{"id":"status","label":"Status","in":"query"}]},
		{"id":"create_order","name":"Create order","description":"Creates.","method":"POST","path":"/orders","inputs":[{"id":"title","label":"Title","in":"body","required":true}]}]}},
		"code":"export default {};"}`, version)
}

// released promotes a version of the plugin shop to production.
func (s *site) released(version string) {
	s.t.Helper()
	header := []string{}
	if a := s.call(s.admin, "GET", root+"/plugins/shop", ""); a.status == 200 {
		header = []string{"If-Match", a.header.Get("ETag")}
	}
	if a := s.call(s.admin, "PUT", root+"/plugins/shop/draft", plugin(version), header...); a.status >= 300 {
		s.t.Fatalf("push: %d %s", a.status, a.body)
	}
	s.must(200, "POST", root+"/plugins/shop/promote", `{"to":"preview"}`)
	s.must(200, "POST", root+"/plugins/shop/promote", `{"to":"production"}`)
}

// document is an automation with steps.
func document(steps string) string {
	return `{"format":"pawl-automation@1","name":"Orders","steps":[` + steps + `]}`
}

const setStep = `{"id":"a","type":"set","value":{"n":7615917337495251231}}`

// published makes and publishes an automation without connections.
func (s *site) published(name, steps string) {
	s.t.Helper()
	s.must(201, "PUT", project+"/automations/"+name+"/draft", document(steps))
	s.must(200, "POST", project+"/automations/"+name+"/publish", "")
}

func (s *site) started(name, body string) uuid.UUID {
	s.t.Helper()
	a := s.must(201, "POST", project+"/automations/"+name+"/runs", body)
	id, err := uuid.Parse(a.json(s.t, "id"))
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}
