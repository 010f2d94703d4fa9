package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/e2e/process"
	"pawl/internal/e2e/tlsfront"
)

const (
	pocketHost     = "pocketbase.example.com"
	pocketIdentity = "developer.pocketbase.v1-0-0"
	orderRecords   = "/api/collections/orders/records"
	customers      = "/api/collections/customers/records"
)

// pocketBase is a PocketBase in its own process, and an installation that reaches it through a front.
type pocketBase struct {
	commandLine
	in             *installation
	front          *tlsfront.Front
	faults         *interference
	address, token string
}

func example(name string) string {
	return filepath.Join(process.Root(), "docs", "examples", "pocketbase", name)
}

func newPocketBase(t *testing.T) *pocketBase {
	t.Helper()
	p := &pocketBase{faults: &interference{}}
	bin := process.Build(t, "internal/e2e/pocketbase", "PAWL_POCKETBASE_BIN")
	server := process.Start(t, nil, bin, "--dir", t.TempDir(), "--customers", "7", "--orders", "24")
	var ready struct{ Address, Token string }
	must(t, json.Unmarshal([]byte(server.WaitFor(t, `"address"`)), &ready))
	p.address, p.token = ready.Address, ready.Token
	p.in, p.front = newFronted(t, pocketHost, tlsfront.Proxy(p.address), p.faults.decide)
	p.commandLine = p.in.commandLine(t)
	return p
}

// record is a record of PocketBase as it stands there.
type record map[string]any

func (r record) text(member string) string { s, _ := r[member].(string); return s }

func (r record) number(t *testing.T, member string) float64 {
	t.Helper()
	f, err := r[member].(json.Number).Float64()
	must(t, err)
	return f
}

// direct asks PocketBase itself, past Pawl and the front.
func (p *pocketBase) direct(path string, into any) int {
	p.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+p.address+path, nil)
	must(p.t, err)
	req.Header.Set("Authorization", "Bearer "+p.token)
	resp, err := http.DefaultClient.Do(req)
	must(p.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(p.t, err)
	p.parse(string(text), into)
	return resp.StatusCode
}

// records lists the records that satisfy a filter.
func (p *pocketBase) records(path, filter, sort string) []record {
	p.t.Helper()
	var page struct{ Items []record }
	if status := p.direct(path+"?"+url.Values{"perPage": {"500"}, "filter": {filter}, "sort": {sort}}.Encode(), &page); status != http.StatusOK {
		p.t.Fatalf("PocketBase answers %d to %s with the filter %s", status, path, filter)
	}
	return page.Items
}

// What issue 2 asks under "Real input": Pawl and a server that its authors did not write.
func TestPocketBase(t *testing.T) {
	t.Parallel()
	p := newPocketBase(t)
	for _, part := range []struct {
		name string
		test func(t *testing.T, p *pocketBase)
	}{
		{"set up", pocketSetUp},
		{"an automation goes through the records", pocketFollowUp},
		{"an answer that got lost", pocketLostAnswer},
		{"every other action", pocketActions},
		{"the key stays in the vault", pocketKey},
	} {
		if !t.Run(part.name, func(t *testing.T) { p.t = t; part.test(t, p) }) {
			return
		}
	}
}

func pocketSetUp(t *testing.T, p *pocketBase) {
	p.do("plugin", "validate", example("pocketbase.genisys-plugin.json"))
	p.do("plugin", "push", example("pocketbase.genisys-plugin.json"))
	p.do("plugin", "promote", "pocketbase", "--to", "preview")
	p.do("plugin", "promote", "pocketbase", "--to", "production")
	if s := p.say(p.token, "account", "set", "crm", "--identity", pocketIdentity); s.code != 0 {
		t.Fatalf("account set: %s", s.err)
	}
	for _, a := range []string{"create_customer", "register_customer", "update_customer", "delete_customer", "create_order", "update_order", "delete_order", "refresh_token"} {
		p.do("grant", "add", "--action", pocketIdentity+"."+a)
	}
	p.do("automation", "validate", example("follow-up-orders.json"))
	p.do("automation", "apply", example("follow-up-orders.json"))
	p.do("automation", "publish", "follow-up-orders")
}

// expected is what the automation must come to, from PocketBase's own data.
type expected struct {
	customers, thanked []any
	sums               map[string]float64 // of the thanked, by email
	quiet              map[string]string  // cities of the others, by email
}

const enough = 400

func (p *pocketBase) expect(campaign string) expected {
	p.t.Helper()
	e := expected{sums: map[string]float64{}, quiet: map[string]string{}, thanked: []any{}}
	for _, c := range p.records(customers, "active = true && city != ''", "-name") {
		sum := 0.0
		for _, o := range p.records(orderRecords, "customer = '"+c.text("id")+"' && status != 'cancelled'", "") {
			sum += o.number(p.t, "total")
		}
		e.customers = append(e.customers, c.text("email"))
		if sum >= enough {
			e.sums[c.text("email")] = sum
			e.thanked = append(e.thanked, campaign+"-"+c.text("email"))
		} else {
			e.quiet[c.text("email")] = c.text("city")
		}
	}
	slices.SortFunc(e.thanked, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	return e
}

func pocketFollowUp(t *testing.T, p *pocketBase) {
	before := len(p.records(orderRecords, "", ""))
	e := p.expect("spring")
	if len(e.sums) < 2 || len(e.quiet) < 2 {
		t.Fatalf("the records do not try both ways: %+v", e)
	}
	// Two reads of orders find the connection cut; the first deletion is done and its answer lost.
	p.faults.next(2, tlsfront.CutBefore, func(r tlsfront.Request) bool {
		return to(http.MethodGet, orderRecords)(r) && strings.Contains(r.Query, "customer")
	})
	p.faults.next(1, tlsfront.CutAfter, to(http.MethodDelete, customers))
	r, raw := p.run(0, "follow-up-orders", fmt.Sprintf(`{"campaign":"spring","enough":%d}`, enough))
	if left := p.faults.left(); left != 0 {
		t.Errorf("%d planned faults met no request", left)
	}
	out, _ := r.Output.(map[string]any)
	want := map[string]any{
		"collections": []any{"customers", "orders"}, "customers": e.customers, "thanked": e.thanked, "temporary": "Łódź", "by": "pawl@example.com",
		"before": json.Number(fmt.Sprint(before)), "after": json.Number(fmt.Sprint(before + len(e.thanked))), "answers": out["answers"],
	}
	if diff := cmp.Diff(any(want), r.Output); diff != "" {
		t.Errorf("the output (-want +got):\n%s", diff)
	}
	if answers, _ := out["answers"].([]any); len(answers) != len(e.customers) {
		t.Errorf("%d iterations, want %d", len(answers), len(e.customers))
	}
	p.asRecorded(&e)
	if n := len(p.records(customers, "name ~ 'Temporary'", "")); n != 0 {
		t.Errorf("%d temporary customers are left", n)
	}
	p.retried(&r)
	p.once("spring")
	who, _ := r.step(t, "who").Output.(map[string]any)["body"].(map[string]any)
	if strings.Contains(raw, p.token) || who["token"] == nil {
		t.Errorf("the account's key, which an answer echoes, is shown as %v", who["token"])
	}
}

// asRecorded holds PocketBase's records against what was expected.
func (p *pocketBase) asRecorded(e *expected) {
	p.t.Helper()
	for email, sum := range e.sums {
		customer := p.records(customers, "email = '"+email+"'", "")[0]
		orders := p.records(orderRecords, "number = 'spring-"+email+"'", "")
		if len(orders) != 1 {
			p.t.Errorf("%s has %d thank-you orders, want 1", email, len(orders))
			continue
		}
		latest := p.records(orderRecords, "customer = '"+customer.text("id")+"' && number !~ 'spring'", "-total")[0]
		lines, err := json.Marshal(orders[0]["lines"])
		must(p.t, err)
		wantLines := fmt.Sprintf(`[{"after":%q,"count":1,"sku":"THANKS","sum":%v}]`, latest.text("number"), sum)
		wantNote := "For " + customer.text("name") + " of " + customer.text("city") + ` & "friends" <3`
		if orders[0].text("status") != "shipped" || orders[0].text("note") != wantNote || string(lines) != wantLines || orders[0].text("customer") != customer.text("id") {
			p.t.Errorf("the order of %s is %v with lines %s, want %s and %s", email, orders[0], lines, wantNote, wantLines)
		}
	}
	for email, city := range e.quiet {
		if c := p.records(customers, "email = '"+email+"'", "")[0]; c.text("city") != city+" (quiet)" || c["active"] != false {
			p.t.Errorf("%s is %v, want the city %s (quiet) and not active", email, c, city)
		}
	}
}

// retried checks what the run says of the faults it met.
func (p *pocketBase) retried(r *shown) {
	p.t.Helper()
	tries := 0
	for _, s := range r.Steps {
		if s.ID == "orders" {
			tries += len(s.Attempts) - 1
		}
	}
	if tries != 2 {
		p.t.Errorf("orders were read again %d times, want 2", tries)
	}
	remove := r.step(p.t, "remove")
	if again := remove.Attempts[len(remove.Attempts)-1].StartedAt.Sub(remove.Attempts[0].StartedAt); again < 2*time.Second {
		p.t.Errorf("the deletion was sent again %v after the first time, before its deadline of 2 s", again)
	}
	if len(remove.Attempts) != 2 || remove.Attempts[0].State != "lost" || remove.Attempts[0].Error == nil || remove.Attempts[1].Status == nil || *remove.Attempts[1].Status != http.StatusNotFound || remove.State != "succeeded" {
		p.t.Errorf("the deletion whose answer was lost is shown as %+v", remove)
	}
}

// once checks that no unsafe write reached the front twice, and that keys tell writes apart.
func (p *pocketBase) once(about string) {
	p.t.Helper()
	seen, keys := map[string]int{}, map[string]int{}
	for _, r := range p.front.Requests() {
		if r.Header.Get("Authorization") != "Bearer "+p.token {
			p.t.Errorf("%s %s was sent without the account's key", r.Method, r.Path)
		}
		if r.Method == http.MethodPost || r.Method == http.MethodPatch {
			seen[r.Method+" "+r.Path+" "+r.Body]++
			keys[r.Key]++
		}
	}
	for what, n := range seen {
		if n > 1 {
			p.t.Errorf("%s: %s was sent %d times", about, what, n)
		}
	}
	for key, n := range keys {
		if key == "" || n > 1 {
			p.t.Errorf("%s: the key %q went out with %d writes", about, key, n)
		}
	}
}
