package e2e_test

import (
	"context"
	"net/http"
	"testing"
)

// A cancel and a kill -9 while an effect of a row of actions is on the wire: what is not known stays a question for a
// person, whichever of the two came first.
func TestACancelledRowKeepsItsOpenQuestionOverAKill(t *testing.T) {
	t.Parallel()
	row := orders(3, 0, "") + "," + action("mid", "slow_post", `{"ms":"4000","title":"mid"}`, "") + "," + action("after", "create_order", `{"title":"after"}`, "")
	tests := []struct {
		name, steps string
		first       bool // the cancel comes before the kill
	}{
		{name: "cancelled before the kill", steps: row, first: true},
		{name: "cancelled after the restart", steps: row},
		{name: "in a try with finally", steps: `{"id":"t","type":"try","steps":[` + row + `],"finally":[` + action("last", "get_item", `{"id":"last"}`, "") + `]}`, first: true},
		{name: "in a retry", steps: `{"id":"r","type":"retry","policy":{"max_attempts":3},"steps":[` + row + `]}`, first: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := newInstallation(t)
			setUp(t, in.api, "row", document("Row", tt.steps, ""))
			id := begin(t, in.api, "row", map[string]any{})
			eventually(t, func() bool { return in.target.Count("POST", "/slow") == 1 })
			cancel := func() {
				must(t, in.api.Do(context.Background(), http.MethodPost, "/projects/default/runs/"+id+"/cancel", map[string]any{}, nil))
			}
			if tt.first {
				cancel()
			}
			in.program.Kill()
			in.start()
			if !tt.first {
				cancel()
			}
			eventually(t, func() bool { return show(t, in.api, id).State == "needs_attention" })
			must(t, in.api.Do(context.Background(), http.MethodPost, "/projects/default/runs/"+id+"/steps/mid/settle", map[string]any{"as": "failed"}, nil))
			eventually(t, func() bool { s := show(t, in.api, id).State; return s == "cancelled" || s == "failed" })
			if slow, after := in.target.Count("POST", "/slow"), in.target.Count("POST", "/orders"); slow != 1 || after != 3 {
				t.Errorf("the target saw %d slow calls and %d orders", slow, after)
			}
		})
	}
}
