package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/e2e/lab"
	"pawl/internal/e2e/tlsfront"
)

// newcomer is somebody who follows the documentation with the pawl command, against an installation of their own.
type newcomer struct {
	commandLine
	in     *installation
	target *lab.Target
	front  *tlsfront.Front
	faults *interference
}

// What issue 2 asks of a newcomer's first day: from a file to a run, and every change of the plugin under it.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	n := &newcomer{target: lab.NewTarget(), faults: &interference{}}
	t.Cleanup(n.target.Close)
	n.in, n.front = newFronted(t, lab.Host, n.target.Server.Config.Handler, n.faults.decide)
	n.commandLine = n.in.commandLine(t)
	for _, part := range []struct {
		name string
		test func(t *testing.T, n *newcomer)
	}{
		{"from a file to the catalogue", fileToCatalogue},
		{"from a document to a run", documentToRun},
		{"a run is shown whole, round by round", shownWhole},
		{"what was sent is shown", requestShown},
		{"a branch that works beside one that waits", besideAWait},
		{"a new release fails what names the old one, and rolling back mends it", releaseAndRollback},
		{"disabled in the middle of a run", disabledInTheMiddle},
		{"held until the binding returns", heldUntilItReturns},
		{"rights that were taken away", rightsTakenAway},
		{"exit codes and errors for programs", exitCodes},
	} {
		if !t.Run(part.name, func(t *testing.T) { n.t = t; part.test(t, n) }) {
			return // each part builds on the one before
		}
	}
}

// catalogue lists the identities in GET /api/v1/catalog.
func (n *newcomer) catalogue() map[string][]string {
	n.t.Helper()
	var page struct {
		Items []struct {
			Identity string
			Actions  []struct{ Identity string }
		}
	}
	must(n.t, n.in.api.Do(context.Background(), http.MethodGet, "/catalog", nil, &page))
	found := map[string][]string{}
	for _, e := range page.Items {
		for _, a := range e.Actions {
			found[e.Identity] = append(found[e.Identity], a.Identity)
		}
	}
	return found
}

// moved is what the commands that change a plugin's stages print.
type moved struct {
	Changed              bool
	Published, Withdrawn []string
	OnTheWire            []struct {
		Run, Path, Action string
		N                 int
	} `json:"on_the_wire"`
	Plugin struct {
		Draft, Preview, Production *struct{ Version string }
		Enabled                    bool
	}
}

func (n *newcomer) move(args ...string) (m moved) {
	n.t.Helper()
	n.read(&m, append([]string{"plugin"}, args...)...)
	return m
}

func fileToCatalogue(t *testing.T, n *newcomer) {
	file := "testdata/shop.genisys-plugin.json"
	var verdicts []struct {
		File     string
		Valid    bool
		Problems []any
	}
	n.read(&verdicts, "plugin", "validate", file)
	if len(verdicts) != 1 || !verdicts[0].Valid || verdicts[0].File != file || verdicts[0].Problems == nil {
		t.Errorf("the verdict is %+v", verdicts)
	}
	for _, move := range [][]string{{"push", file}, {"promote", "shop", "--to", "preview"}} {
		m := n.move(move...)
		if !m.Changed || len(m.Published) != 0 || m.Plugin.Draft == nil || m.Plugin.Draft.Version != "1.0.0" || m.Plugin.Production != nil {
			t.Errorf("plugin %s gives %+v", strings.Join(move, " "), m)
		}
		if c := n.catalogue(); len(c) != 0 {
			t.Errorf("after plugin %s the catalogue has %v", strings.Join(move, " "), c)
		}
	}
	m := n.move("promote", "shop", "--to", "production")
	if !m.Changed || !slices.Equal(m.Published, []string{"developer.shop.v1-0-0"}) || m.Plugin.Production.Version != "1.0.0" {
		t.Errorf("the promotion to production gives %+v", m)
	}
	want := map[string][]string{}
	for _, a := range []string{"list_items", "get_item", "flaky_get", "create_order", "form_order", "patch_order", "delete_order"} {
		want["developer.shop.v1-0-0"] = append(want["developer.shop.v1-0-0"], "developer.shop.v1-0-0."+a)
	}
	if diff := cmp.Diff(want, n.catalogue()); diff != "" {
		t.Errorf("the catalogue (-want +got):\n%s", diff)
	}
	if again := n.move("promote", "shop", "--to", "production"); again.Changed {
		t.Errorf("promoting the same again changed something: %+v", again)
	}
}

// verdict is what automation validate prints.
type verdict struct {
	Valid              bool
	Problems, Warnings []trouble
}

// places are the kinds and pointers of problems, sorted.
func places(list []trouble) []string {
	var all []string
	for _, p := range list {
		all = append(all, strings.TrimSpace(p.Kind+" "+p.Reason+" "+p.Where.Pointer))
	}
	slices.Sort(all)
	return all
}

func documentToRun(t *testing.T, n *newcomer) {
	validatedAsRightsCome(t, n)
	n.do("automation", "apply", "testdata/orders.json")
	if out := n.do("automation", "publish", "orders", "-m", "first"); !strings.Contains(out, "version 1 is live") {
		t.Errorf("publishing prints %s", out)
	}
	r, raw := n.run(0, "orders", `{"count":4,"day":"monday"}`)
	if want := []string{"succeeded", "orders"}; r.State != want[0] || r.Automation != want[1] || r.Version == nil || *r.Version != 1 || r.Error != nil || r.Waiting != nil {
		t.Errorf("the run is %+v", r)
	}
	if out := n.do("run", "show", r.ID, "--json"); out != raw {
		t.Errorf("run start --wait --json and run show --json differ:\n%s\n%s", raw, out)
	}
	want := map[string]any{
		"first": json.Number("7615917337495251200"), "changed": []any{"7615917337495251200", "7615917337495251201", "7615917337495251202", "7615917337495251203"},
		"tries": json.Number("3"), "form": "title=x%3D1%26y%3D2+%2B+f%C3%BCr&qty=7&urgent=true", "gone": json.Number("204"),
	}
	if diff := cmp.Diff(any(want), r.Output); diff != "" {
		t.Errorf("the output (-want +got):\n%s", diff)
	}
	if strings.Contains(raw, shopKey) {
		t.Error("the run shows the account's key")
	}
	everyStepIsShown(t, &r)
	n.onTheWire("monday")
}

// validatedAsRightsCome validates the document before there is an account, before there are grants, and after.
func validatedAsRightsCome(t *testing.T, n *newcomer) {
	file := "testdata/orders.json"
	missing := func() []string {
		s := n.say("", "automation", "validate", file, "--json")
		var v verdict
		n.parse(s.out, &v)
		if v.Valid != (len(v.Problems) == 0) || (s.code == 0) != v.Valid {
			t.Errorf("exit code %d, valid %v, problems %v", s.code, v.Valid, v.Problems)
		}
		return places(v.Problems)
	}
	accounts := []string{"/0", "/2/cases/0/steps/0", "/2/otherwise/0", "/3/steps/1", "/4/steps/0", "/5", "/6", "/7"}
	acts := []string{"/2/cases/0/steps/0", "/3/steps/1", "/5", "/7"}
	var want []string
	for _, p := range accounts {
		want = append(want, "not_found missing_account /steps"+p+"/account")
	}
	for _, p := range acts {
		want = append(want, "permission_required grant /steps"+p+"/action")
	}
	if diff := cmp.Diff(want, missing()); diff != "" {
		t.Errorf("problems before there is an account (-want +got):\n%s", diff)
	}
	s := n.say(shopKey+"\n", "account", "set", "main", "--identity", "developer.shop.v1-0-0", "--json")
	var account struct{ Name, Identity, Status string }
	n.parse(s.out, &account)
	if s.code != 0 || account.Name != "main" || account.Status != "unchecked" || strings.Contains(s.out+s.err, shopKey) {
		t.Errorf("account set: exit code %d, %s%s", s.code, s.out, s.err)
	}
	if diff := cmp.Diff(want[len(accounts):], missing()); diff != "" {
		t.Errorf("problems before there are grants (-want +got):\n%s", diff)
	}
	for _, a := range []string{"create_order", "form_order", "patch_order", "delete_order"} {
		n.do("grant", "add", "--action", "developer.shop.v1-0-0."+a)
	}
	if got := missing(); got != nil {
		t.Errorf("problems at last: %v", got)
	}
}

// everyStepIsShown checks that the run has every step's input, output, attempts and times.
func everyStepIsShown(t *testing.T, r *shown) {
	t.Helper()
	want := map[string]string{
		"items": "succeeded 1", "picked": "succeeded 0", "way": "succeeded 0", "collect": "succeeded 1", "each": "succeeded 0",
		"lucky": "succeeded 3", "form": "succeeded 1", "never": "skipped 0", "gone": "succeeded 1", "single": "skipped 0",
	}
	for i := range 4 {
		want[fmt.Sprintf("each.%d.label", i)], want[fmt.Sprintf("each.%d.change", i)] = "succeeded 0", "succeeded 1"
	}
	got := map[string]string{}
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Type != "retry" { // whether a wrapper is shown is not promised
			got[s.Path] = fmt.Sprintf("%s %d", s.State, len(s.Attempts))
		}
		if s.ID != "single" { // of the case that was not taken
			complete(t, s)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps, states and attempts (-want +got):\n%s", diff)
	}
	items := map[string]any{"n": json.Number("4"), "filter": "state eq 'new/open' & fresh", "tag": []any{"a b", "c&d"}, "$top": json.Number("100")}
	if diff := cmp.Diff(any(items), r.step(t, "items").Input); diff != "" {
		t.Errorf("the input of items (-want +got):\n%s", diff)
	}
	change := map[string]any{"id": "monday/2", "dry": false, "title": json.Number("7615917337495251202")}
	if diff := cmp.Diff(any(change), r.step(t, "each.2.change").Input); diff != "" {
		t.Errorf("the input of each.2.change (-want +got):\n%s", diff)
	}
	if way, each := r.step(t, "way"), r.step(t, "each"); way.Label != "case 1" || each.Count == nil || *each.Count != 4 {
		t.Errorf("way took %q, each has %v items", way.Label, each.Count)
	}
	lucky := r.step(t, "lucky")
	for i, a := range lucky.Attempts {
		if i < 2 && (a.Error == nil || a.Error.Kind != "rate_limited" || *a.Status != 503) || i == 2 && (a.Error != nil || *a.Status != 200) {
			t.Errorf("attempt %d of lucky is %+v", a.N, a)
		}
	}
}

// complete checks what every step of a run that succeeded has.
func complete(t *testing.T, s *shownStep) {
	t.Helper()
	if s.StartedAt == nil || s.FinishedAt == nil || s.FinishedAt.Before(*s.StartedAt) || s.Error != nil || s.ID == "" || s.Type == "" {
		t.Errorf("step %s is %+v", s.Path, *s)
	}
	if s.Type != "action" || s.State == "skipped" {
		return
	}
	out, ok := s.Output.(map[string]any)
	if !ok || out["status"] == nil || out["headers"] == nil || s.Input == nil || s.Action != "developer.shop.v1-0-0."+s.Action[strings.LastIndex(s.Action, ".")+1:] {
		t.Errorf("step %s has input %v, output %v, action %s", s.Path, s.Input, s.Output, s.Action)
	}
	for i, a := range s.Attempts {
		if a.N != i+1 || a.State != "answered" || a.Status == nil || a.StartedAt.IsZero() || a.FinishedAt == nil || a.FinishedAt.Before(a.StartedAt) {
			t.Errorf("attempt %d of %s is %+v", i+1, s.Path, a)
		}
	}
}

// onTheWire checks what the target and the front saw of one run of orders.json.
func (n *newcomer) onTheWire(day string) {
	n.t.Helper()
	var got []string
	for _, h := range n.target.Hits() {
		got = append(got, h.Method+" "+h.Path+" "+h.Body)
	}
	want := []string{
		"GET /items/4?filter=state%20eq%20%27new%2Fopen%27%20%26%20fresh&tag=a%20b&tag=c%26d&%24top=100 ",
		`POST /orders {"title":"` + day + ` <4 & more>","payload":{"first":7615917337495251200,"n":4},"amount":12.5}`,
		"GET /flaky/" + day + "/2 ", "GET /flaky/" + day + "/2 ", "GET /flaky/" + day + "/2 ",
		"POST /orders title=x%3D1%26y%3D2+%2B+f%C3%BCr&qty=7&urgent=true",
		"DELETE /orders/" + day + " ",
	}
	for i := range 4 {
		want = append(want, fmt.Sprintf(`PATCH /orders/%s%%2F%d?dry=false {"title":"761591733749525120%d"}`, day, i, i))
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		n.t.Errorf("on the wire (-want +got):\n%s", diff)
	}
	for _, r := range n.front.Requests() {
		key := r.Header["X-Api-Key"]
		if len(key) != 1 || key[0] != shopKey || r.Header.Get("Authorization") != "" || (r.Key != "") != (r.Method == http.MethodPost || r.Method == http.MethodPatch) {
			n.t.Errorf("%s %s went out with %v", r.Method, r.Path, r.Header)
		}
	}
}
