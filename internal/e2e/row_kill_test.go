package e2e_test

import (
	"fmt"
	"strings"
	"testing"
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
