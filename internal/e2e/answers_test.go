package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"pawl/internal/e2e/lab"
	"pawl/internal/fault"
)

// Whatever an app answers to an effect, the answer is recorded, the effect is known to have happened, and it is sent once.
func TestC075OddAnswersOfEffectsAreKept(t *testing.T) {
	t.Parallel()
	l := startedLab(t)
	const asJSON = "application/json"
	tests := []struct {
		name   string
		answer lab.Saying
		state  string
		kind   fault.Kind
		output string // a part of the step's output; where the run succeeds, value is what the next step sent
		value  string
	}{
		{name: "nul", answer: lab.Saying{ContentType: asJSON, Body: `{"a":"x\u0000y"}`}, state: "succeeded", output: `"a":"x\u0000y"`, value: `"x\u0000y"`},
		{name: "nul-text", answer: lab.Saying{ContentType: "text/plain", Body: "x\x00y"}, state: "succeeded", output: `"body":"x\u0000y"`, value: `"x\u0000y"`},
		{name: "half-pair", answer: lab.Saying{ContentType: asJSON, Body: `{"a":"x\ud83dy"}`}, state: "succeeded", output: `"notes":[{"note":"lone_surrogate","count":1,"at":["/body/a"]}],"received":{"$blob"`, value: "\"x\uFFFDy\""},
		{name: "no-utf8", answer: lab.Saying{ContentType: asJSON, Body: "{\"a\":\"caf\xe9\"}"}, state: "succeeded", output: `"note":"undecodable"`, value: "\"caf\uFFFD\""},
		{name: "double", answer: lab.Saying{ContentType: asJSON, Body: `{"a":1,"a":"2"}`}, state: "succeeded", output: `{"a":1,"a":"2"},"notes":[{"note":"duplicate_member"`, value: `"2"`},
		{name: "numbers", answer: lab.Saying{ContentType: asJSON, Body: `{"a":[1e400,-0,1E5,7615917337495251231]}`}, state: "succeeded", output: `[1e400,-0,1E5,7615917337495251231]`, value: `[1e400,-0,1E5,7615917337495251231]`},
		{name: "not-json", answer: lab.Saying{Status: 201, ContentType: asJSON, Body: `{"a":"o-17",}`}, state: "failed", kind: fault.InvalidResponse, output: `"body":"{\"a\":\"o-17\",}"`},
		{name: "not-text", answer: lab.Saying{Status: 201, ContentType: asJSON, Body: "\x89PNG\x00\xff"}, state: "failed", kind: fault.InvalidResponse, output: `"$blob"`},
		{name: "refused-nul", answer: lab.Saying{Status: 500, ContentType: "text/plain", Body: "boom\x00tail"}, state: "failed", kind: fault.ProviderError, output: `"body":"boom\u0000tail"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l.Target.Say(tt.name, tt.answer)
			pick := "{{ steps.say.output.body.a }}"
			if tt.answer.ContentType != asJSON {
				pick = "{{ steps.say.output.body }}"
			}
			steps := `{"id":"again","type":"retry","policy":{"max_attempts":3,"initial":"10ms"},"steps":[` + action("say", "say_post", `{"name":"`+tt.name+`"}`, "") + `]},` +
				action("next", "create_order", `{"title":"`+tt.name+`","payload":"{{ json(steps.pick.output) }}"}`, "")
			steps = strings.Replace(steps, `]},`, `]},{"id":"pick","type":"set","value":"`+pick+`"},`, 1)
			run := startRun(t, l, "odd-"+tt.name, document("Odd", steps, ""), `{}`)
			problem := l.WaitFor(t, run, soon, tt.state)
			if f := fault.FromJSON([]byte(problem)); tt.kind != "" && f.Kind != tt.kind {
				t.Errorf("the error is %s, want %s", problem, tt.kind)
			}
			if n := l.Target.Count(http.MethodPost, "/say/"+tt.name); n != 1 {
				t.Errorf("sent %d times, want once", n)
			}
			if got := stepOutput(t, l, run, "say"); !strings.Contains(got, tt.output) {
				t.Errorf("the output is %s, want %s in it", got, tt.output)
			}
			wantSent(t, l, tt.name, tt.value)
		})
	}
}

// wantSent fails unless the order of a name was sent with a value; an empty value wants no order.
func wantSent(t *testing.T, l *lab.Lab, name, value string) {
	t.Helper()
	var got []string
	for _, h := range l.Target.Hits() {
		if h.Path == "/orders" && strings.Contains(h.Body, `"title":"`+name+`"`) {
			got = append(got, h.Body)
		}
	}
	want := fmt.Sprintf(`[{"title":%q,"payload":%s}]`, name, value)
	if value == "" {
		want = "[]"
	}
	if fmt.Sprint(got) != want {
		t.Errorf("the next step sent %s, want %s", got, want)
	}
}

// stepOutput reads what the ledger has as the output of a step, and fails the test where it names bytes that are not kept.
func stepOutput(t *testing.T, l *lab.Lab, run uuid.UUID, path string) string {
	t.Helper()
	var out string
	var missing int
	must(t, l.Pool.QueryRow(context.Background(), `select output, (select count(*) from regexp_matches(output, '"sha256":"([0-9a-f]{64})"', 'g') as m(digest)
		where not exists (select 1 from blob where run_id = a.run_id and encode(digest, 'hex') = m.digest[1]))
		from attempt a where run_id = $1 and path = $2 and n = 1 and state = 'answered'`, run, path).Scan(&out, &missing))
	if missing > 0 {
		t.Errorf("%d bodies that %s names are not kept", missing, out)
	}
	return out
}

// NUL characters of an input reach every place that stores or sends values: the run, a loop's items, a decision, a label of a
// branch, a request, an error, the output.
func TestC075NULOfAnInputIsKept(t *testing.T) {
	t.Parallel()
	l := startedLab(t)
	doc := document("NUL", strings.Join([]string{
		`{"id":"each","type":"each","items":"{{ inputs.list }}","as":"x","steps":[` + action("order", "create_order", `{"title":"{{ x }}"}`, "") + `]}`,
		`{"id":"way","type":"branch","cases":[{"when":"{{ inputs.list[0] == \"a\\u0000b\" }}","steps":[{"id":"set","type":"set","value":"{{ inputs.list[0] }}"}]}]}`,
		`{"id":"safe","type":"try","steps":[` + action("bad", "get_item", `{"id":"{{ inputs.list[0] }}"}`, "") + `],"catch":[{"id":"why","type":"set","value":"{{ error.kind }}"}]}`,
	}, ","), `,"output":{"set":"{{ steps.set.output }}","why":"{{ steps.why.output }}","got":"{{ steps.each.output.map(o, o.body.got.title) }}"}`)
	run := startRun(t, l, "nul", doc, `{"list":["a\u0000b","\u0000"]}`)
	l.WaitFor(t, run, soon, "succeeded")
	if got, want := output(t, l, run), `{"set":"a\u0000b","why":"invalid_input","got":["a\u0000b","\u0000"]}`; !sameJSON(t, got, want) {
		t.Errorf("output %s, want %s", got, want)
	}
}
