package e2e_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pawl/internal/e2e/process"
)

// version pushes the plugin in another version and promotes it to production.
func (n *newcomer) version(to string) moved {
	n.t.Helper()
	text := strings.Replace(readTestdata(n.t, "shop.genisys-plugin.json"), `"version": "1.0.0"`, `"version": "`+to+`"`, 1)
	n.move("push", writeFile(n.t, "shop.genisys-plugin.json", text))
	n.move("promote", "shop", "--to", "preview")
	return n.move("promote", "shop", "--to", "production")
}

// accounts lists the accounts as they are shown.
func (n *newcomer) accounts() string {
	n.t.Helper()
	return n.do("account", "list", "--json")
}

// explained checks that an error says which binding is gone, since when, by whom, and the ways to mend it.
func explained(t *testing.T, e *trouble, step string, parts ...string) {
	t.Helper()
	if e == nil || e.Kind != "unavailable" || e.Where.Step != step || e.Retryable {
		t.Fatalf("the error is %+v, want unavailable in step %s", e, step)
	}
	for _, want := range append(parts, "developer.shop.v1-0-0", "admin@pawl.local", time.Now().UTC().Format("2006-01-02")) {
		if !strings.Contains(e.Message, want) {
			t.Errorf("the error does not say %q: %s", want, e.Message)
		}
	}
}

func releaseAndRollback(t *testing.T, n *newcomer) {
	accounts, sent := n.accounts(), len(n.target.Hits())
	m := n.version("1.1.0")
	if !slices.Equal(m.Published, []string{"developer.shop.v1-1-0"}) || !slices.Equal(m.Withdrawn, []string{"developer.shop.v1-0-0"}) {
		t.Errorf("the promotion gives %+v", m)
	}
	r, _ := n.run(1, "orders", `{"count":4,"day":"tuesday"}`)
	if r.State != "failed" || r.Output != nil {
		t.Errorf("the run is %+v", r)
	}
	explained(t, r.Error, "items", "pawl plugin rollback shop --to 1.0.0", "developer.shop.v1-1-0")
	explained(t, r.step(t, "items").Error, "items")
	if now := len(n.target.Hits()); now != sent {
		t.Errorf("%d requests were sent", now-sent)
	}
	var v verdict
	n.parse(n.say("", "automation", "validate", "testdata/orders.json", "--json").out, &v)
	if v.Valid || len(v.Problems) == 0 || v.Problems[0].Kind != "unavailable" || v.Problems[0].Where.Pointer != "/steps/0/action" {
		t.Errorf("the checker says %+v", v.Problems)
	}
	m = n.move("rollback", "shop", "--to", "1.0.0")
	if !slices.Equal(m.Published, []string{"developer.shop.v1-0-0"}) || !slices.Equal(m.Withdrawn, []string{"developer.shop.v1-1-0"}) {
		t.Errorf("the rollback gives %+v", m)
	}
	if r, _ = n.run(0, "orders", `{"count":4,"day":"wednesday"}`); *r.Version != 1 {
		t.Errorf("the run follows version %d, want the one that was saved", *r.Version)
	}
	if got := n.accounts(); got != accounts {
		t.Errorf("the accounts changed from %s to %s", accounts, got)
	}
}

// small publishes an automation of some steps of the shop.
func (n *newcomer) small(name, steps, more string) {
	n.t.Helper()
	n.do("automation", "apply", "--name", name, writeFile(n.t, name+".json", document(name, steps, more)))
	n.do("automation", "publish", name)
}

func disabledInTheMiddle(t *testing.T, n *newcomer) {
	n.small("middle", action("first", "create_order", `{"title":"middle first"}`, "")+","+action("second", "create_order", `{"title":"middle second"}`, ""), "")
	met, release := n.faults.hold(to(http.MethodPost, "/orders"))
	defer release()
	id := n.start("middle", "{}")
	await(t, "the first order", met)
	m := n.move("disable", "shop")
	if !slices.Equal(m.Withdrawn, []string{"developer.shop.v1-0-0"}) || m.Plugin.Enabled || len(m.OnTheWire) != 1 || m.OnTheWire[0].Run != id || m.OnTheWire[0].Path != "first" {
		t.Errorf("disabling gives %+v", m)
	}
	release()
	r := n.until(id, "failed")
	explained(t, r.Error, "second", "disabled", "pawl plugin enable shop")
	if first := r.step(t, "first"); first.State != "succeeded" || first.Output.(map[string]any)["status"] != json.Number("201") {
		t.Errorf("what was done before is shown as %+v", first)
	}
	if second := r.step(t, "second"); second.State != "failed" {
		t.Errorf("the step that met the withdrawal is %+v", second)
	}
	for title, want := range map[string]int{"middle first": 1, "middle second": 0} {
		if got := n.orders(title); got != want {
			t.Errorf("%d orders %q, want %d", got, title, want)
		}
	}
}

// orders counts the orders of a title that reached the target.
func (n *newcomer) orders(title string) int {
	count := 0
	for _, h := range n.target.Hits() {
		if h.Method == http.MethodPost && strings.Contains(h.Body, title) {
			count++
		}
	}
	return count
}

func heldUntilItReturns(t *testing.T, n *newcomer) {
	n.move("enable", "shop")
	n.small("held", action("read", "get_item", `{"id":"held"}`, "")+","+action("make", "create_order", `{"title":"held"}`, ""), `,"on_unavailable":"hold","output":"{{ steps.make.output.status }}"`)
	n.move("disable", "shop")
	began := time.Now()
	id := n.start("held", "{}")
	r := n.until(id, "waiting")
	w := r.Waiting
	if w == nil || w.For != "hold" || w.Key != "developer.shop.v1-0-0" || w.Path != "read" || w.Since.Before(began.Add(-time.Minute)) || w.Until == nil || !w.Until.After(began.Add(6*24*time.Hour)) {
		t.Errorf("the run waits for %+v", w)
	}
	if text := n.do("run", "show", id); !strings.Contains(text, "waits for hold since") || !strings.Contains(text, "developer.shop.v1-0-0") {
		t.Errorf("run show prints %s", text)
	}
	if n.target.Count(http.MethodGet, "/item/held") != 0 || n.orders("held") != 0 {
		t.Error("a request was sent although the connection is withdrawn")
	}
	n.move("enable", "shop")
	r = n.until(id, "succeeded")
	if r.Output != json.Number("201") || r.Waiting != nil || n.target.Count(http.MethodGet, "/item/held") != 1 || n.orders("held") != 1 {
		t.Errorf("the run went on as %+v; %d orders", r, n.orders("held"))
	}
}

// rightsTakenAway ends the grant, then the account, of a published automation: its runs fail before anything is sent.
func rightsTakenAway(t *testing.T, n *newcomer) {
	n.small("rights", action("make", "create_order", `{"title":"rights"}`, ""), "")
	fails := func(want, way string) { // kind and reason
		t.Helper()
		r, _ := n.run(1, "rights", "{}")
		if r.Error == nil || r.Error.Kind+" "+r.Error.Reason != want || r.Error.Where.Step != "make" || !strings.Contains(r.Error.Message, way) {
			t.Errorf("the run fails with %+v, want %s in step make with %q", r.Error, want, way)
		}
	}
	grant := []string{"--action", "developer.shop.v1-0-0.create_order"}
	n.do(append([]string{"grant", "remove"}, grant...)...)
	fails("permission_required grant", "pawl grant add --action developer.shop.v1-0-0.create_order")
	n.do(append([]string{"grant", "add"}, grant...)...)
	n.do("account", "remove", "main", "--yes")
	fails("not_found missing_account", "pawl account set")
	if made := n.orders("rights"); made != 0 {
		t.Errorf("%d orders were sent", made)
	}
	if s := n.say("another-key", "account", "set", "main", "--identity", "developer.shop.v1-0-0"); s.code != 0 {
		t.Fatal(s.err)
	}
	if n.run(0, "rights", "{}"); n.orders("rights") != 1 {
		t.Errorf("%d orders, want 1", n.orders("rights"))
	}
	sent := n.front.Requests()
	if key := sent[len(sent)-1].Header.Get("X-Api-Key"); key != "another-key" {
		t.Errorf("the order was sent with the key %q", key)
	}
}

func exitCodes(t *testing.T, n *newcomer) {
	elsewhere := process.FreeAddress(t)
	tests := []struct {
		name string
		env  []string
		args []string
		code int
		want string // in the error: "kind reason" with --json, else a text
	}{
		{name: "help", args: []string{"--help"}, code: 0},
		{name: "no command", args: nil, code: 2, want: "--help"},
		{name: "unknown command", args: []string{"plugins"}, code: 2, want: "--help"},
		{name: "unknown flag", args: []string{"plugin", "list", "--all-of-them"}, code: 2, want: "pawl plugin list --help"},
		{name: "missing argument", args: []string{"run", "start"}, code: 2, want: "name"},
		{name: "wrong stage", args: []string{"plugin", "promote", "shop", "--to", "nowhere"}, code: 2, want: "preview"},
		{name: "wrong time", args: []string{"plugin", "promote", "shop", "--to", "production", "--keep-previous", "a while"}, code: 2, want: "14d"},
		{name: "confirmation without a terminal", args: []string{"plugin", "remove", "shop"}, code: 2, want: "--yes"},
		{name: "file and folder", args: []string{"automation", "apply", "a.json", "-f", "b"}, code: 2, want: "FILE"},
		{name: "settle as nothing", args: []string{"run", "settle", "x", "y", "--as", "maybe"}, code: 2, want: "retry"},
		{name: "no such automation", args: []string{"run", "start", "nothing", "--json"}, code: 1, want: "not_found automation"},
		{name: "no such plugin", args: []string{"plugin", "show", "nothing", "--json"}, code: 1, want: "not_found plugin"},
		{name: "no such version", args: []string{"plugin", "rollback", "shop", "--to", "9.9.9", "--json"}, code: 1, want: "not_found"},
		{name: "no such project", args: []string{"--project", "elsewhere", "run", "list", "--json"}, code: 1, want: "not_found project"},
		{name: "no such file", args: []string{"plugin", "push", "nothing.json"}, code: 1, want: "nothing.json"},
		{name: "run id of another form", args: []string{"run", "show", "42", "--json"}, code: 1, want: "invalid_input"},
		{name: "no such run", args: []string{"run", "show", "01890000-0000-7000-8000-000000000000", "--json"}, code: 1, want: "not_found run"},
		{name: "input that is no JSON", args: []string{"run", "start", "orders", "--input", "{count:1}", "--json"}, code: 1, want: "invalid_input"},
		{name: "input that does not fit", args: []string{"run", "start", "orders", "--input", `{"count":"many"}`, "--json"}, code: 1, want: "invalid_input"},
		{name: "wrong key", env: []string{"PAWL_KEY=pawl_live_wrong"}, args: []string{"plugin", "list", "--json"}, code: 1, want: "unauthenticated"},
		{name: "no key", env: []string{"PAWL_KEY="}, args: []string{"plugin", "list"}, code: 1, want: "admin.key"},
		{name: "no server", env: []string{"PAWL_URL=http://" + elsewhere}, args: []string{"plugin", "list", "--json"}, code: 1, want: "network server"},
		{name: "no server, for people", env: []string{"PAWL_URL=http://" + elsewhere}, args: []string{"plugin", "list"}, code: 1, want: elsewhere},
		{name: "no address", env: []string{"PAWL_URL=::"}, args: []string{"plugin", "list"}, code: 1, want: "PAWL_URL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := commandLine{t, n.bin, append(slices.Clone(n.env), tt.env...)}
			s := c.say("", tt.args...)
			got := s.err
			if slices.Contains(tt.args, "--json") && tt.code == 1 {
				var p struct{ Kind, Reason, Detail string }
				c.parse(s.err, &p)
				if got = p.Kind + " " + p.Reason; p.Detail == "" {
					t.Errorf("the error says nothing: %s", s.err)
				}
			}
			if s.code != tt.code || !strings.Contains(got, tt.want) || (tt.code != 0) != (s.out == "") {
				t.Errorf("exit code %d, prints %q, error %q; want %d and %q", s.code, s.out, s.err, tt.code, tt.want)
			}
		})
	}
}
