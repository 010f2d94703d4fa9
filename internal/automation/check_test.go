package automation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/connections"
	"pawl/internal/automation"
	"pawl/internal/expr"
	"pawl/internal/fault"
)

// catalog is a project with the plugin shop.
type catalog struct{}

func (catalog) Action(identity connections.ActionIdentity) automation.ActionInfo {
	switch identity {
	case "developer.shop.v1-0-0.list_orders":
		return automation.ActionInfo{Found: true, Risk: "read", Inputs: []automation.InputInfo{{ID: "status"}, {ID: "limit"}}}
	case "developer.shop.v1-0-0.create_order":
		return automation.ActionInfo{Found: true, Risk: "write", NeedsAccount: true, Inputs: []automation.InputInfo{{ID: "title", Required: true}}}
	case "developer.shop.v0-9-0.list_orders":
		return automation.ActionInfo{Found: true, Risk: "read", Withdrawn: "developer.shop.v0-9-0 was withdrawn by Ann."}
	}
	return automation.ActionInfo{Near: []string{"developer.shop.v1-0-0.list_orders"}}
}

func (catalog) Account(connection connections.ConnectionIdentity, name string) bool {
	return connection == "developer.shop.v1-0-0" && name == "shop"
}

func environment() automation.CheckEnv {
	return automation.CheckEnv{
		Catalog: catalog{},
		Compile: func(raw json.RawMessage) (automation.Template, error) {
			t, err := expr.Compile(raw)
			if err != nil {
				return nil, err
			}
			return t, nil
		},
	}
}

const (
	list   = `{"id": "list", "type": "action", "action": "developer.shop.v1-0-0.list_orders"}`
	use    = `{"id": "use", "type": "set", "value": "{{ steps.list.output }}"}`
	policy = `"policy": {"max_attempts": 3}`
)

func set(id, value string) string {
	b, _ := json.Marshal(value)
	return `{"id": "` + id + `", "type": "set", "value": ` + string(b) + `}`
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"clean", steps(list + "," + use), ""},
		{"syntax", steps(set("a", "{{ 1 + }}")), "error expression syntax a /steps/0/value"},
		{"pointer inside a template", steps(`{"id": "a", "type": "set", "value": {"x/y": ["{{ nope }}"]}}`), "error expression unknown_name a /steps/0/value/x~1y/0"},
		{"after", steps(use + "," + list), "error expression not_before use /steps/0/value"},
		{"itself", steps(set("a", "{{ steps.a.output }}")), "error expression not_before a /steps/0/value"},
		{"around", steps(`{"id": "e", "type": "each", "items": [1], "as": "x", "steps": [` + set("a", "{{ steps.e.output }}") + `]}`), "error expression not_before a /steps/0/steps/0/value"},
		{"inside", steps(`{"id": "e", "type": "each", "items": "{{ steps.a.output }}", "as": "x", "steps": [` + set("a", "v") + `]}`), "error expression not_before e /steps/0/items"},
		{"out of a loop", steps(`{"id": "e", "type": "each", "items": [1], "as": "x", "steps": [` + set("a", "{{ x }}") + `]}, ` + set("b", "{{ steps.a.output }}") + `,` + set("c", "{{ steps.e.output }}")), "error expression inside_loop b /steps/1/value"},
		{"same iteration", steps(`{"id": "e", "type": "each", "items": [1], "as": "x", "index": "i", "steps": [` + set("a", "{{ x + i }}") + `,` + set("b", "{{ steps.a.output }}") + `]}`), ""},
		{"variable outside", steps(`{"id": "e", "type": "each", "items": [1], "as": "x", "steps": [` + set("a", "{{ x }}") + `]}, ` + set("b", "{{ x }}")), "error expression unknown_name b /steps/1/value"},
		{"case not taken", steps(`{"id": "br", "type": "branch", "cases": [{"when": true, "steps": [` + set("a", "v") + `]}]}, ` + set("b", "{{ steps.a.output }}")), "warning expression may_be_absent b /steps/1/value"},
		{"case not taken, asked for", steps(`{"id": "br", "type": "branch", "cases": [{"when": true, "steps": [` + set("a", "v") + `]}]}, ` + set("b", "{{ has(steps.a) ? steps.a.output : 1 }}") + `,` + set("c", "{{ steps.?a.?output.orValue(1) }}")), ""},
		{"another case", steps(`{"id": "br", "type": "branch", "cases": [{"when": true, "steps": [` + set("a", "v") + `]}], "otherwise": [` + set("b", "{{ steps.a.output }}") + `]}`), "error expression not_before b /steps/0/otherwise/0/value"},
		{"another branch of a parallel", steps(`{"id": "p", "type": "parallel", "branches": [{"steps": [` + set("a", "v") + `]}, {"steps": [` + set("b", "{{ steps.a.output }}") + `]}]}, ` + set("c", "{{ steps.a.output }}")), "error expression not_before b /steps/0/branches/1/steps/0/value"},
		{
			"try", steps(`{"id": "t", "type": "try", "steps": [` + set("a", "v") + `], "catch": [` + set("b", "{{ steps.a.output }}{{ error.kind }}") + `], "finally": [` + set("c", "{{ steps.b.output }}") + `]}, ` + set("d", "{{ steps.a.output }}{{ steps.c.output }}")),
			"warning expression may_be_absent b /steps/0/catch/0/value\nwarning expression may_be_absent c /steps/0/finally/0/value\nwarning expression may_be_absent d /steps/1/value",
		},
		{"error outside of catch", steps(set("a", "{{ error.kind }}")), "error expression unknown_name a /steps/0/value"},
		{"skipped by if", steps(`{"id": "a", "type": "set", "value": 1, "if": "{{ inputs.x }}"}, ` + set("b", "{{ steps.a.output }}")), "warning expression may_be_absent b /steps/1/value"},
		{"goes on after an error", steps(`{"id": "list", "type": "action", "action": "developer.shop.v1-0-0.list_orders", "on_error": "continue"}, ` + use), "warning expression may_be_absent use /steps/1/value"},
		{"a container has no output", steps(`{"id": "r", "type": "retry", ` + policy + `, "steps": [` + set("a", "v") + `]}, ` + set("b", "{{ steps.r.output }}") + `,` + set("c", "{{ steps.a.output }}")), "error expression no_output b /steps/1/value"},
		{"member of a step", steps(list + `,` + set("b", "{{ steps.list.outptu }}")), "error expression unknown_member b /steps/1/value"},
		{"a step without steps", steps(list + `,` + set("b", "{{ list.output }}")), "error expression unknown_name b /steps/1/value"},
		{"output", `{"format": "pawl-automation@1", "name": "n", "steps": [` + list + `], "output": {"a": "{{ steps.list.output }}", "b": "{{ steps.lst.output }}"}}`, "error expression unknown_step  /output/b"},
		{"output after a stop", `{"format": "pawl-automation@1", "name": "n", "steps": [{"id": "s", "type": "stop", "outcome": "succeeded", "if": "{{ inputs.x }}"}, ` + list + `], "output": "{{ steps.list.output }}"}`, "warning expression may_be_absent  /output"},
		{"condition of a case", steps(`{"id": "br", "type": "branch", "cases": [{"when": "{{ x }}", "steps": []}]}`), "error expression unknown_name br /steps/0/cases/0/when"},
		{"unknown action", steps(`{"id": "a", "type": "action", "action": "developer.shop.v1-0-0.list_order"}`), "error unavailable unknown_action a /steps/0/action"},
		{"withdrawn", steps(`{"id": "a", "type": "action", "action": "developer.shop.v0-9-0.list_orders"}`), "error unavailable withdrawn a /steps/0/action"},
		{
			"inputs", steps(`{"id": "a", "type": "action", "action": "developer.shop.v1-0-0.create_order", "account": "shop", "input": {"tite": "x"}}`),
			"error invalid_input missing_input a /steps/0/input\nerror invalid_input unknown_input a /steps/0/input/tite",
		},
		{
			"account", steps(`{"id": "a", "type": "action", "action": "developer.shop.v1-0-0.create_order", "account": "shp", "input": {"title": "x"}}, {"id": "b", "type": "action", "action": "developer.shop.v1-0-0.create_order", "input": {"title": "x"}}`),
			"error not_found missing_account a /steps/0/account\nerror not_found missing_account b /steps/1",
		},
		{
			"restart over a write", steps(`{"id": "r", "type": "retry", "restart": true, ` + policy + `, "steps": [{"id": "a", "type": "action", "action": "developer.shop.v1-0-0.create_order", "account": "shop", "input": {"title": "x"}}]}`),
			"error invalid_input repeats_effects r /steps/0/restart",
		},
		{"restart acknowledged", steps(`{"id": "r", "type": "retry", "restart": true, "acknowledge_repeats": true, ` + policy + `, "steps": [{"id": "a", "type": "action", "action": "developer.shop.v1-0-0.create_order", "account": "shop", "input": {"title": "x"}}]}`), ""},
		{"restart over a read", steps(`{"id": "r", "type": "retry", "restart": true, ` + policy + `, "steps": [` + list + `]}`), ""},
		{"repeat always", steps(`{"id": "list", "type": "action", "action": "developer.shop.v1-0-0.list_orders", "repeat": "always"}`), "warning invalid_input repeat_always list /steps/0/repeat"},
		{"unreachable", steps(`{"id": "s", "type": "stop", "outcome": "failed"}, ` + set("a", "v")), "warning invalid_input unreachable a /steps/1"},
		{
			"hidden variable", steps(`{"id": "e", "type": "each", "items": [1], "as": "x", "steps": [{"id": "f", "type": "each", "items": [1], "as": "x", "index": "x", "steps": [` + set("a", "v") + `]}]}`),
			"error invalid_input duplicate_variable f /steps/0/steps/0/index\nerror invalid_input duplicate_variable f /steps/0/steps/0/as\nerror invalid_input duplicate_variable f /steps/0/steps/0/index",
		},
		{
			"later", `{"format": "pawl-automation@1", "name": "n", "triggers": [{"id": "m", "type": "manual"}, {"id": "h", "type": "webhook"}], "steps": [{"id": "a", "type": "approve", "message": "?"}, {"id": "c", "type": "call", "automation": "x", "version": 1}, {"id": "w", "type": "wait", "event": {"name": "paid"}}]}`,
			"error invalid_input not_in_this_version  /triggers/1/type\nerror invalid_input not_in_this_version a /steps/0/type\nerror invalid_input not_in_this_version c /steps/1/type\nerror invalid_input not_in_this_version w /steps/2/event",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			problems := automation.Check(decode(t, test.text), environment())
			if d := cmp.Diff(test.want, severities(problems)); d != "" {
				t.Errorf("%s\n%v", d, problems)
			}
		})
	}
}

func severities(problems fault.List) string {
	lines := make([]string, 0, len(problems))
	for _, p := range problems {
		level := "error"
		if automation.Warning(p) {
			level = "warning"
		}
		lines = append(lines, strings.Join([]string{level, string(p.Kind), p.Reason, p.Where.Step, p.Where.Pointer}, " "))
	}
	return strings.Join(lines, "\n")
}

func TestErrorsLeavesWarningsOut(t *testing.T) {
	t.Parallel()
	problems := automation.Check(decode(t, steps(`{"id": "s", "type": "stop", "outcome": "failed"}, `+set("a", "{{ x }}"))), environment())
	if len(problems) != 2 || len(automation.Errors(problems)) != 1 {
		t.Errorf("got %v", problems)
	}
}

// TestC069MissingStep: a reference to a step that does not exist is refused before publishing, naming both.
func TestC069MissingStep(t *testing.T) {
	t.Parallel()
	problems := automation.Check(decode(t, steps(set("a", "v")+`,`+set("b", "{{ steps.zz.output.id }}"))), environment())
	if len(problems) != 1 {
		t.Fatalf("got %v", problems)
	}
	p := problems[0]
	if p.Kind != fault.Expression || p.Where.Step != "b" || p.Where.Expression != "steps.zz.output.id" || !strings.Contains(p.Message, `"zz"`) {
		t.Errorf("got %+v, %+v", p, p.Where)
	}
}

// TestC071NoCredentialInScope: no place where expressions are allowed knows a request, a connection or a secret.
func TestC071NoCredentialInScope(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"request", "request.headers", "connection", "env", "secrets", "steps.list.request.headers['X-Api-Key']"} {
		quoted, _ := json.Marshal("{{ " + source + " }}")
		for name, text := range map[string]string{
			"mapping":   steps(list + `, {"id": "a", "type": "action", "action": "developer.shop.v1-0-0.list_orders", "input": {"status": ` + string(quoted) + `}}`),
			"branch":    steps(list + `, {"id": "a", "type": "branch", "cases": [{"when": ` + string(quoted) + `, "steps": []}]}`),
			"condition": steps(list + `, {"id": "a", "type": "set", "value": 1, "if": ` + string(quoted) + `}`),
			"message":   steps(list + `, {"id": "a", "type": "stop", "outcome": "failed", "message": ` + string(quoted) + `}`),
			"output":    `{"format": "pawl-automation@1", "name": "n", "steps": [` + list + `], "output": ` + string(quoted) + `}`,
		} {
			if problems := automation.Check(decode(t, text), environment()); len(automation.Errors(problems)) != 1 {
				t.Errorf("%s in %s: got %v", source, name, problems)
			}
		}
	}
}
