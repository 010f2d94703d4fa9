package e2e_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"pawl/internal/e2e/tlsfront"
)

// shownWhole looks at runs that did not come to all of their steps, or came to some more than once.
func shownWhole(t *testing.T, n *newcomer) {
	loop := `{"id":"each","type":"each","items":[1,2],"as":"x","steps":[` + action("read", "flaky_get", `{"key":"rounds","n":1}`, "") + `,{"id":"x2","type":"set","value":"{{ x }}"}]}`
	n.small("rounds", `{"id":"again","type":"retry","restart":true,"policy":{"max_attempts":3,"initial":"10ms"},"steps":[`+loop+`]},
		{"id":"guard","type":"try","steps":[{"id":"odd","type":"check","condition":"{{ false }}"}],"catch":[{"id":"why","type":"set","value":"{{ error.step }}"}]},
		{"id":"way","type":"branch","cases":[{"when":"{{ true }}","steps":[{"id":"enough","type":"stop","outcome":"succeeded"}]}],"otherwise":[{"id":"other","type":"set","value":1}]},
		{"id":"never","type":"each","items":[1],"as":"y","steps":[{"id":"one","type":"set","value":1}]}`, "")
	r, _ := n.run(0, "rounds", "{}")
	want := map[string]string{
		"again": "succeeded", "each": "failed", "each.0.read": "failed", "each.0.x2": "pending",
		"again~2.each": "succeeded", "again~2.each.0.read": "succeeded", "again~2.each.0.x2": "succeeded", "again~2.each.1.read": "succeeded", "again~2.each.1.x2": "succeeded",
		"guard": "succeeded", "odd": "failed", "why": "succeeded", "way": "succeeded", "enough": "succeeded", "other": "skipped",
		"never": "pending", "never.*.one": "pending",
	}
	if len(r.Steps) != len(want) {
		t.Errorf("the run shows %s", r.states())
	}
	for path, state := range want {
		if got := r.step(t, path).State; got != state {
			t.Errorf("%s is %s, want %s", path, got, state)
		}
	}
	if out := r.step(t, "guard").Output; out != nil {
		t.Errorf("the try gives %v", out)
	}
	if text := n.do("run", "show", r.ID); !strings.Contains(text, "not reached") || !strings.Contains(text, "caught") {
		t.Errorf("run show prints %s", text)
	}
}

// requestShown compares what a run says that it sent with what arrived. C071: the key is not in it.
func requestShown(t *testing.T, n *newcomer) {
	n.small("sends", action("make", "create_order", `{"title":"shown <1>"}`, ""), "")
	r, _ := n.run(0, "sends", "{}")
	var step struct {
		Attempts []struct {
			Status  int
			Request struct {
				Method, URL, Body string
				Headers           map[string]string
				BodyBytes         int `json:"body_bytes"`
			}
		}
	}
	raw := n.read(&step, "run", "show", r.ID, "--step", "make")
	hits := n.target.Hits()
	hit, sent := hits[len(hits)-1], step.Attempts[0].Request
	if sent.Method != hit.Method || !strings.HasSuffix(sent.URL, hit.Path) || sent.Body != hit.Body || sent.BodyBytes != len(hit.Body) || step.Attempts[0].Status != http.StatusCreated {
		t.Errorf("the run shows %+v, and what arrived is %+v", step, hit)
	}
	if key := sent.Headers["X-Api-Key"]; key != "[redacted]" { // spelt as the plugin declares it
		t.Errorf("the run shows the headers %v", sent.Headers)
	}
	if text := n.do("run", "show", r.ID, "--step", "make"); strings.Contains(raw+text, shopKey) || !strings.Contains(text, `{"title":"shown <1>"}`) {
		t.Errorf("run show --step prints %s", text)
	}
}

// besideAWait follows a run of which one branch waits while the other works, is in doubt, and waits too.
func besideAWait(t *testing.T, n *newcomer) {
	n.small("beside", `{"id":"both","type":"parallel","branches":[{"steps":[{"id":"nap","type":"wait","for":"1h"}]},{"steps":[`+
		action("make", "create_order", `{"title":"beside"}`, "")+`,{"id":"rest","type":"wait","for":"1h"}]}]}`, "")
	lost := &plan{is: to(http.MethodPost, "/orders"), times: 1, fault: tlsfront.CutAfter, met: make(chan struct{}), until: make(chan struct{})}
	n.faults.add(lost)
	release := sync.OnceFunc(func() { close(lost.until) })
	defer release()
	id := n.start("beside", "{}")
	await(t, "the order", lost.met)
	eventually(t, func() bool {
		var r shown
		n.read(&r, "run", "show", id)
		return r.step(t, "nap").State == "waiting"
	})
	n.listed(id, "running")
	release()
	n.until(id, "needs_attention")
	n.listed(id, "needs_attention")
	var settled shown
	n.read(&settled, "run", "settle", id, "make", "--as", "succeeded", "--output", `{"status":201,"headers":{},"body":null}`)
	if settled.State != "running" || settled.Waiting != nil {
		t.Errorf("the answer to the settlement is %+v", settled)
	}
	r := n.until(id, "waiting")
	if r.Waiting == nil || r.Waiting.For != "timer" || r.step(t, "both").State != "waiting" || r.step(t, "rest").State != "waiting" {
		t.Errorf("in the end the run is %+v", r)
	}
	n.listed(id, "waiting")
	n.do("run", "cancel", id)
	n.until(id, "cancelled")
}

// listed expects a run in the list of those in a state, and in no other one.
func (n *newcomer) listed(id, state string) {
	n.t.Helper()
	for _, asked := range []string{"running", "waiting", "needs_attention"} {
		out := n.do("run", "list", "--state", asked, "--json")
		if strings.Contains(out, id) != (asked == state) {
			n.t.Errorf("the list of %s runs is %s", asked, out)
		}
	}
	var list struct {
		Items []struct {
			Name    string
			LastRun *struct{ ID, State string } `json:"last_run"`
		}
	}
	n.parse(n.do("automation", "list", "--json"), &list)
	for _, a := range list.Items {
		if a.Name == "beside" && (a.LastRun == nil || a.LastRun.ID != id || a.LastRun.State != state) {
			b, _ := json.Marshal(a) // plain data
			n.t.Errorf("the automation says %s, want %s", b, state)
		}
	}
}
