package e2e_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"pawl/internal/launch"
)

// TestLocalOnlyRunsSendNothing: a local-only run fails at its first call of an app, a read or an effect, and the app sees
// nothing.
func TestLocalOnlyRunsSendNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := startedLab(t)
	for name, step := range map[string]string{
		"read":   action("get", "get_item", `{"id":"1"}`, ""),
		"effect": action("make", "create_order", `{"title":"x"}`, ""),
	} {
		a, err := l.Publish(ctx, name, document(name, step, ""))
		must(t, err)
		run, _, err := l.Starter.Start(ctx, launch.StartRequest{
			Project: l.Project, Automation: a, Input: json.RawMessage(`{}`), Trigger: "api", Actor: "lab", LocalOnly: true,
		})
		must(t, err)
		if problem := l.WaitFor(t, run, soon, "failed"); !strings.Contains(problem, `"local_only"`) {
			t.Errorf("%s: the run failed with %s", name, problem)
		}
	}
	if n := len(l.Target.Hits()); n != 0 {
		t.Errorf("the target saw %d requests", n)
	}
}
