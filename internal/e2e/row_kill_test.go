package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pawl/internal/e2e/lab"
)

// A row of actions that is walked again after a kill -9 answers from the ledger what is recorded: the app sees each read
// once, and only the one that was on the wire again.
func TestARowSendsNoRecordedReadAgainAfterAKill(t *testing.T) {
	t.Parallel()
	in := newInstallation(t)
	steps := []string{`{"id":"nap","type":"wait","for":"1s"}`} // so that the history has the run's beginning before the row
	for i := range 8 {
		steps = append(steps, action(fmt.Sprintf("r%d", i), "get_item", fmt.Sprintf(`{"id":"row-%d"}`, i), ""))
	}
	steps = append(steps, action("slow", "slow_get", `{"ms":"3000"}`, ""), action("after", "create_order", `{"title":"after"}`, ""))
	setUp(t, in.api, "row", document("Row", strings.Join(steps, ","), ""))
	id := begin(t, in.api, "row", map[string]any{})
	eventually(t, func() bool { return in.target.Count("GET", "/slow") == 1 })
	in.program.Kill()
	in.start()
	eventually(t, func() bool { return show(t, in.api, id).State == "succeeded" })
	if got := in.target.Count("GET", "/item/row-"); got != 8 {
		t.Errorf("the app saw %d reads, want each of 8 once", got)
	}
	if got := in.target.Count("POST", "/orders"); got != 1 {
		t.Errorf("the app saw %d orders, want 1", got)
	}
}

// A tool that is killed in the middle of its call: one above read waits for a person, a read is called again.
func TestAKillInTheMiddleOfATool(t *testing.T) {
	t.Parallel()
	in := newInstallation(t)
	ctx := context.Background()
	must(t, in.api.Do(ctx, http.MethodPut, "/plugins/probe/draft", lab.ProbePlugin("1.0.0"), nil))
	must(t, in.api.Do(ctx, http.MethodPost, "/plugins/probe/promote", map[string]any{"to": "preview"}, nil))
	must(t, in.api.Do(ctx, http.MethodPost, "/plugins/probe/promote", map[string]any{"to": "production"}, nil))
	must(t, in.api.Do(ctx, http.MethodPost, "/projects/default/grants", map[string]any{"plugin": "probe", "host": lab.Host}, nil))
	must(t, in.api.Do(ctx, http.MethodPost, "/projects/default/grants", map[string]any{"action": lab.Probe + ".act"}, nil))
	publish(t, in.api, "read", document("Read", tool("s", lab.Probe+".look", `{"requests":[["GET","/slow/3000"]]}`, ""), ""))
	publish(t, in.api, "effect", document("Effect", tool("s", lab.Probe+".act", `{"requests":[["POST","/slow/3000"]]}`, ""), ""))
	read, effect := begin(t, in.api, "read", map[string]any{}), begin(t, in.api, "effect", map[string]any{})
	eventually(t, func() bool {
		return in.target.Count(http.MethodGet, "/slow") == 1 && in.target.Count(http.MethodPost, "/slow") == 1
	})
	in.program.Kill()
	in.start()
	eventually(t, func() bool { return show(t, in.api, read).State == "succeeded" })
	eventually(t, func() bool { return show(t, in.api, effect).State == "needs_attention" })
	if reads, posts := in.target.Count(http.MethodGet, "/slow"), in.target.Count(http.MethodPost, "/slow"); reads != 2 || posts != 1 {
		t.Errorf("the app saw %d reads, want 2, and %d effects, want 1", reads, posts)
	}
}
