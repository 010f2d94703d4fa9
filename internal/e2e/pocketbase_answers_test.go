package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/e2e/tlsfront"
)

func (p *pocketBase) small(name, steps, more string) {
	p.t.Helper()
	p.do("automation", "apply", "--name", name, writeFile(p.t, name+".json", document(name, steps, more)))
	p.do("automation", "publish", name)
}

func pocketAction(id, name, input string) string {
	return fmt.Sprintf(`{"id":%q,"type":"action","action":"%s.%s","account":"crm","input":%s}`, id, pocketIdentity, name, input)
}

// A create call whose answer gets lost is unknown: a person looks at PocketBase and decides, and it holds one record.
func pocketLostAnswer(t *testing.T, p *pocketBase) {
	p.small("careful", `{"id":"again","type":"retry","policy":{"max_attempts":3,"initial":"10ms"},"steps":[`+
		pocketAction("make", "create_order", `{"number":"{{ inputs.number }}","customer":"{{ inputs.customer }}","total":12.30,"status":"new"}`)+`]},`+
		pocketAction("ship", "update_order", `{"id":"{{ steps.make.output.body.id }}","status":"shipped"}`),
		`,"inputs":{"type":"object","required":["number","customer"]},"output":"{{ steps.ship.output.body.status }}"`)
	customer := p.records(customers, "", "name")[0].text("id")
	tests := []struct {
		name    string
		fault   tlsfront.Fault
		there   int // records that the person finds
		as      string
		want    string // the run's state
		sent    int
		records int
	}{
		{name: "it is there, settled as succeeded", fault: tlsfront.CutAfter, there: 1, as: "succeeded", want: "succeeded", sent: 1, records: 1},
		{name: "it is not there, settled as retry", fault: tlsfront.CutBefore, there: 0, as: "retry", want: "succeeded", sent: 2, records: 1},
		{name: "it is there, settled as failed", fault: tlsfront.CutAfter, there: 1, as: "failed", want: "failed", sent: 1, records: 1},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p.t = t
			defer func(outer *testing.T) { p.t = outer }(p.t)
			number := fmt.Sprintf("careful-%d", i)
			already := p.front.Count(to(http.MethodPost, orderRecords))
			p.faults.next(1, tt.fault, to(http.MethodPost, orderRecords))
			id := p.start("careful", fmt.Sprintf(`{"number":%q,"customer":%q}`, number, customer))
			p.unknown(id)
			found := p.records(orderRecords, "number = '"+number+"'", "")
			if len(found) != tt.there {
				t.Fatalf("PocketBase holds %d records, want %d", len(found), tt.there)
			}
			settle := []string{"run", "settle", id, "make", "--as", tt.as}
			if tt.as == "succeeded" {
				body, err := json.Marshal(map[string]any{"status": 200, "headers": map[string]string{}, "body": found[0]})
				must(t, err)
				settle = append(settle, "--output", string(body))
			}
			p.do(settle...)
			r := p.until(id, tt.want)
			made := p.records(orderRecords, "number = '"+number+"'", "")
			if sent := p.front.Count(to(http.MethodPost, orderRecords)) - already; sent != tt.sent || len(made) != tt.records {
				t.Errorf("it was sent %d times and made %d records, want %d and %d", sent, len(made), tt.sent, tt.records)
			}
			if tt.want == "succeeded" && (made[0].text("status") != "shipped" || r.Output != "shipped") {
				t.Errorf("the run did not go on: %v, output %v", made[0], r.Output)
			}
			p.settled(&r, tt.as)
		})
	}
}

// unknown waits until the run needs a person, and checks what it says.
func (p *pocketBase) unknown(id string) {
	p.t.Helper()
	r := p.until(id, "needs_attention")
	make := r.step(p.t, "make")
	if make.State != "unknown" || len(make.Attempts) != 1 || make.Attempts[0].State != "unknown" || make.Error == nil || make.Error.Kind != "outcome_unknown" {
		p.t.Errorf("the step is shown as %+v", make)
	}
	if r.Waiting == nil || r.Waiting.For != "settle" || r.Waiting.Path != "make" {
		p.t.Errorf("the run waits for %+v", r.Waiting)
	}
}

func (p *pocketBase) settled(r *shown, as string) {
	p.t.Helper()
	first := r.step(p.t, "make").Attempts[0]
	if first.Settled == nil || first.Settled.As != as || !strings.HasPrefix(first.Settled.By, "admin@pawl.local") {
		p.t.Errorf("the first attempt is shown as settled %+v", first.Settled)
	}
	if as == "failed" && (r.Error == nil || r.Error.Where.Step != "make") {
		p.t.Errorf("the run failed with %+v", r.Error)
	}
}

// pocketActions runs the actions that the automation does not name, and one that PocketBase refuses.
func pocketActions(t *testing.T, p *pocketBase) {
	p.small("tour", strings.Join([]string{
		pocketAction("shape", "view_collection", `{"collection":"orders"}`),
		pocketAction("person", "create_customer", `{"name":"Zoë \"Z\" <z>","email":"zoe@example.com","city":"Åre","active":true}`),
		pocketAction("order", "create_order", `{"number":"tour/1","customer":"{{ steps.person.output.body.id }}","total":99999999.25,"status":"new","lines":{"a":[1,2.5,null,"{{ '{{ 1 + 1 }}' }}"]}}`),
		pocketAction("read", "view_order", `{"id":"{{ steps.order.output.body.id }}","expand":"customer"}`),
		pocketAction("gone", "delete_order", `{"id":"{{ steps.order.output.body.id }}"}`),
		`{"id":"refused","type":"try","steps":[` + pocketAction("twice", "create_customer", `{"name":"Again","email":"zoe@example.com"}`) +
			`],"catch":[{"id":"why","type":"set","value":"{{ error.kind }} {{ error.status }} {{ error.details.body }}"}]}`,
		pocketAction("page", "list_customers", `{"sort":"-created,name","page":2,"perPage":2}`),
		pocketAction("stats", "request_stats", `{"filter":"data.status >= 400"}`),
	}, ","), `,"output":{"fields":"{{ steps.shape.output.body.fields.map(f, f.name) }}","lines":"{{ steps.read.output.body.lines }}",
	 "who":"{{ steps.read.output.body.expand.customer.name }}","total":"{{ steps.read.output.body.total }}","gone":"{{ steps.gone.output.status }}","why":"{{ steps.why.output }}",
	 "page":"{{ steps.page.output.body.page }} of {{ steps.page.output.body.totalPages }}","items":"{{ steps.page.output.body.items.map(c, c.email) }}"}`)
	r, _ := p.run(0, "tour", `{}`)
	var second []any
	for _, c := range p.records(customers, "", "-created,name")[2:4] {
		second = append(second, c.text("email"))
	}
	want := map[string]any{
		"fields": []any{"id", "number", "customer", "total", "status", "lines", "note", "created", "updated"},
		"lines":  map[string]any{"a": []any{json.Number("1"), json.Number("2.5"), nil, "{{ 1 + 1 }}"}},
		"who":    `Zoë "Z" <z>`, "total": json.Number("99999999.25"), "gone": json.Number("204"),
		"why":  `rejected 400 {"data":{"email":{"code":"validation_not_unique","message":"Value must be unique."}},"message":"Failed to create record.","status":400}`,
		"page": "2 of 4", "items": second,
	}
	if diff := cmp.Diff(any(want), r.Output); diff != "" {
		t.Errorf("the output (-want +got):\n%s", diff)
	}
	if n := len(p.records(orderRecords, "number = 'tour/1'", "")); n != 0 {
		t.Errorf("%d deleted orders are still there", n)
	}
}

// pocketKey looks for the key in what the installation keeps and prints, and sees what a wrong one does.
func pocketKey(t *testing.T, p *pocketBase) {
	if strings.Contains(p.in.program.Out.String(), p.token) {
		t.Error("the log holds the account's key")
	}
	if n := p.filesWith("careful-0"); n == 0 {
		t.Error("no file of the installation holds an order's number: this looks in the wrong place")
	}
	if n := p.filesWith(p.token); n != 0 {
		t.Errorf("%d files of the installation hold the account's key", n)
	}
	if s := p.say("wrong", "account", "set", "stranger", "--identity", pocketIdentity); s.code != 0 {
		t.Fatalf("account set: %s", s.err)
	}
	p.small("stranger", strings.Replace(pocketAction("peek", "list_orders", `{}`), `"crm"`, `"stranger"`, 1), "")
	r, _ := p.run(1, "stranger", "{}")
	if r.Error == nil || r.Error.Kind != "rejected" || r.Error.Where.Step != "peek" || !strings.Contains(fmt.Sprint(r.Error.Details["body"]), "Only superusers") {
		t.Errorf("a wrong key gives %+v", r.Error)
	}
}

// filesWith counts the files of the installation that hold a text.
func (p *pocketBase) filesWith(text string) (n int) {
	p.t.Helper()
	must(p.t, filepath.WalkDir(p.in.dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return gone(err)
		}
		b, err := os.ReadFile(file)
		if bytes.Contains(b, []byte(text)) {
			n++
		}
		return gone(err)
	}))
	return n
}

// gone is nil for a file that PostgreSQL removed meanwhile.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
