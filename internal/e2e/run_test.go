package e2e_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"pawl/internal/e2e/lab"
)

const soon = 30 * time.Second

func startRun(t *testing.T, l *lab.Lab, name, doc, input string) uuid.UUID {
	t.Helper()
	ctx := context.Background()
	a, err := l.Publish(ctx, name, doc)
	must(t, err)
	run, err := l.Run(ctx, a, input)
	must(t, err)
	return run
}

func output(t *testing.T, l *lab.Lab, run uuid.UUID) string {
	t.Helper()
	var out *string
	must(t, l.Pool.QueryRow(context.Background(), `select output from run where id = $1`, run).Scan(&out))
	if out == nil {
		return ""
	}
	return *out
}

func TestARunOfEveryKindOfStep(t *testing.T) {
	t.Parallel()
	l := startedLab(t)
	doc := document("Everything", strings.Join([]string{
		action("list", "list_items", `{"n":"{{ inputs.count }}","filter":"a&b=c"}`, ""),
		`{"id":"picked","type":"set","value":{"first":"{{ steps.list.output.body.items[0].big }}","n":"{{ size(steps.list.output.body.items) }}"}}`,
		`{"id":"way","type":"branch","cases":[{"when":"{{ steps.picked.output.n > 2 }}","steps":[` + action("big", "create_order", `{"title":"Big {{ steps.picked.output.n }}","payload":"{{ steps.picked.output }}"}`, "") + `]}],"otherwise":[` + action("small", "get_item", `{"id":"small"}`, "") + `]}`,
		`{"id":"each","type":"each","items":"{{ steps.list.output.body.items }}","as":"it","index":"i","concurrency":3,"steps":[` +
			action("put", "put_order", `{"id":"{{ it.id }}","title":"T {{ i }}"}`, "") + `,` +
			action("patch", "patch_order", `{"id":"{{ it.id }}","title":"{{ it.big }}"}`, "") + `]}`,
		`{"id":"again","type":"retry","policy":{"max_attempts":4,"initial":"10ms","max":"50ms"},"steps":[` + action("flaky", "flaky_get", `{"key":"k1","n":"2"}`, "") + `]}`,
		action("form", "form_order", `{"title":"x=1&y=2","qty":"7"}`, ""),
		action("gone", "delete_order", `{"id":"o/1"}`, ""),
		`{"id":"side","type":"parallel","branches":[{"steps":[` + action("p1", "get_item", `{"id":"1"}`, "") + `]},{"steps":[` + action("p2", "get_item", `{"id":"2"}`, "") + `,{"id":"nap","type":"wait","for":"50ms"}]}]}`,
		`{"id":"safe","type":"try","steps":[` + action("bad", "status_get", `{"code":"404"}`, "") + `],"catch":[{"id":"why","type":"set","value":"{{ error.kind }} {{ error.step }}"}],"finally":[{"id":"last","type":"set","value":true}]}`,
		action("skipped", "get_item", `{"id":"never"}`, `,"if":"{{ false }}"`),
	}, ","), `,"inputs":{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]},
	 "output":{"first":"{{ steps.picked.output.first }}","why":"{{ steps.why.output }}","tries":"{{ steps.flaky.output.body.tries }}","n":"{{ size(steps.each.output) }}","last":"{{ steps.each.output[4].body.got.title }}"}`)
	run := startRun(t, l, "everything", doc, `{"count":5}`)
	l.WaitFor(t, run, soon, "succeeded")
	want := `{"first":7615917337495251200,"why":"rejected bad","tries":3,"n":5,"last":"7615917337495251204"}`
	if !sameJSON(t, output(t, l, run), want) {
		t.Errorf("output %s, want %s", output(t, l, run), want)
	}
	if n := l.Target.Count("GET", "/item/never"); n != 0 {
		t.Errorf("a skipped step was sent %d times", n)
	}
	if d := l.Target.Doubled(); d != nil {
		t.Errorf("doubled: %v", d)
	}
}

// sameJSON compares texts that may differ in the order of members only.
func sameJSON(t *testing.T, got, want string) bool {
	t.Helper()
	return normal(t, got) == normal(t, want)
}

func normal(t *testing.T, s string) string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return s
	}
	b, err := json.Marshal(v)
	must(t, err)
	return string(b)
}
