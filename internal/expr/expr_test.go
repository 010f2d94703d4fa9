package expr_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"pawl/internal/expr"
	"pawl/internal/fault"
)

// vars is what most tests see.
const vars = `{
  "inputs": {"since": "2026-01-01", "n": 3},
  "order": {"id": "T-9", "total": 1000.50, "lines": [{"sku": "a", "qty": 2}, {"sku": "b", "qty": 3}], "note": null},
  "steps": {
    "a": {"output": {"name": "Ann", "p_id": 7615917337495251231, "r": 0.1, "e": 1e400, "neg0": -0, "one": 1.0,
      "list": [1, 2], "empty": [], "text": "{{ secrets.api }} ${steps.a.output} {{ 7*7 }}", "o": {"b": 1, "a": [true, null]},
      "x-y": "dash"}},
    "orders": {"output": {"status": 200, "body": {"items": [{"id": 1, "total": 10}, {"id": 2, "total": 2.5}]}}}
  }
}`

func environment(t testing.TB) expr.Env {
	t.Helper()
	v, err := expr.Parse([]byte(vars))
	if err != nil {
		t.Fatal(err)
	}
	return expr.Env{Vars: v.(map[string]any), Now: time.Date(2026, 7, 1, 12, 30, 0, 0, time.UTC), Seed: []byte("run-1/a/1")}
}

// evaluate compiles and evaluates one JSON template.
func evaluate(t testing.TB, raw string) (string, error) {
	t.Helper()
	c, err := expr.Compile(json.RawMessage(raw))
	if err != nil {
		return "", err
	}
	b, err := c.Eval(t.Context(), environment(t))
	return string(b), err
}

// expression gives the template that is one expression.
func expression(source string) string {
	b, _ := json.Marshal("{{ " + source + " }}")
	return string(b)
}

func faultOf(t testing.TB, err error) *fault.Error {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("want a fault, got %v", err)
	}
	return f
}

func TestEval(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, template, want string }{
		{"constant keeps its text", `{"b": 1.0, "a":[ "x\u0041", 1e400 ] }`, `{"b":1.0,"a":["x\u0041",1e400]}`},
		{"type is kept", `"{{ order.lines }}"`, `[{"qty":2,"sku":"a"},{"qty":3,"sku":"b"}]`},
		{"null is kept", `"{{ order.note }}"`, `null`},
		{"text", `"Order {{ order.id }}: {{ order.total }}"`, `"Order T-9: 1000.50"`},
		{"nested", `{"a": ["{{ inputs.n }}", {"b": "x{{ inputs.n + 1 }}"}]}`, `{"a":[3,{"b":"x4"}]}`},
		{"braces inside", `"{{ {\"a\": {\"b\": 1}}}}"`, `{"a":{"b":1}}`},
		{"end inside a string", `"{{ \"}}\" + '{{' }}"`, `"}}{{"`},
		{"comment", `"{{ inputs.n // }}\n }}"`, `3`},
		{"triple quotes", `"{{ '''it's }}''' }}"`, `"it's }}"`},
		{"raw string", `"{{ r'\\' }}"`, `"\\"`},
		{"stray close is text", `"a }} b"`, `"a }} b"`},
		{"index by name", `"{{ steps['a'].output[\"x-y\"] }}"`, `"dash"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := evaluate(t, test.template)
			if err != nil || got != test.want {
				t.Errorf("got %s, %v; want %s", got, err, test.want)
			}
		})
	}
}

func TestExpressions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ source, want string }{
		{`order.total > 1000`, `true`},
		{`order.total == 1000.5`, `true`},
		{`order.total != 1000.5`, `false`},
		{`size(steps.orders.output.body.items)`, `2`},
		{`steps.orders.output.body.items.map(i, i.id)`, `[1,2]`},
		{`steps.orders.output.body.items.filter(i, i.total > 5)[0].id`, `1`},
		{`steps.orders.output.body.items.exists(i, i.total == 2.50)`, `true`},
		{`steps.orders.output.body.items.all(i, i.total >= 2.5)`, `true`},
		{`sum(steps.orders.output.body.items.map(i, i.total))`, `12.5`},
		{`steps.orders.output.body.items.map(i, i.id).join(", ")`, `"1, 2"`},
		{`json(steps.a.output.o)`, `"{\"a\":[true,null],\"b\":1}"`},
		{`json(steps.a.output.e)`, `"1e400"`},
		{`has(order.note) && !has(order.nothing)`, `true`},
		{`order.?nothing.orValue("d")`, `"d"`},
		{`order.?lines[0].sku.orValue("d")`, `"a"`},
		{`order[?"nothing"].orValue(1.50)`, `1.50`},
		{`steps.?zz.?output.orValue(0)`, `0`},
		{`0.1 + 0.2`, `0.3`},
		{`0.1 + 0.2 == 0.3`, `true`},
		{`9223372036854775807 + 1`, `9223372036854775808`},
		{`steps.a.output.p_id + 1`, `7615917337495251232`},
		{`steps.a.output.p_id * steps.a.output.p_id`, `58002196891560756441932257475807015361`},
		{`steps.a.output.p_id == 7615917337495251231`, `true`},
		{`steps.a.output.p_id == 7615917337495251000`, `false`},
		{`steps.a.output.e > 1`, `true`},
		{`steps.a.output.one == 1`, `true`},
		{`1 in [1.0, 2]`, `true`},
		{`[1, {"a": 2.0}] == [1.0, {"a": 2}]`, `true`},
		{`steps.a.output.neg0 == 0`, `true`},
		{`true ? steps.a.output.neg0 : 1`, `-0`},
		{`[steps.a.output.one, steps.a.output.e, steps.a.output.p_id]`, `[1.0,1e400,7615917337495251231]`},
		{`1.50`, `1.50`},
		{`.5`, `0.5`},
		{`-1.25e2`, `-1.25e2`},
		{`7 / 2`, `3.5`},
		{`6 / 2`, `3`},
		{`div(7, 2)`, `3`},
		{`div(1, 3, 4)`, `0.3333`},
		{`div(2, 3, 4)`, `0.6667`},
		{`7 % 4`, `3`},
		{`-7 % 4`, `-3`},
		{`round(2.5)`, `3`},
		{`round(-2.5)`, `-3`},
		{`round(2.345, 2)`, `2.35`},
		{`floor(-2.1)`, `-3`},
		{`ceil(2.1)`, `3`},
		{`floor(0.001)`, `0`},
		{`ceil(0.001)`, `1`},
		{`abs(-2.5)`, `2.5`},
		{`-order.total`, `-1000.5`},
		{`int("42") + int(3.9)`, `45`},
		{`int("99999999999999999999")`, `99999999999999999999`},
		{`double("0.10")`, `0.10`},
		{`string(order.total) + "!"`, `"1000.50!"`},
		{`min([3, 1.5, 2])`, `1.5`},
		{`max([3, 1.5, 2])`, `3`},
		{`keys(steps.a.output.o)`, `["a","b"]`},
		{`values(steps.a.output.o)`, `[[true,null],1]`},
		{`"a" in steps.a.output.o`, `true`},
		{`now()`, `"2026-07-01T12:30:00Z"`},
		{`now() - duration("24h")`, `"2026-06-30T12:30:00Z"`},
		{`now() > timestamp("2026-01-01T00:00:00Z")`, `true`},
		{`now().getFullYear()`, `2026`},
		{`timestamp("2026-01-01T00:00:00Z") - timestamp("2025-12-31T00:00:00Z")`, `"86400s"`},
		{`"Hello".upperAscii().substring(0, 2)`, `"HE"`},
		{`"a,b".split(",")`, `["a","b"]`},
		{`"abc".matches("^a.c$")`, `true`},
		{`"x" + "y"`, `"xy"`},
		{`true ? 1 : 2.5`, `1`},
		{`[1] + [2.0]`, `[1,2.0]`},
		{`order.lines.map(l, l.qty) + [1]`, `[2,3,1]`},
		{`order.lines.exists_one(l, l.qty == 2)`, `true`},
		{`{"k": order.id, "a": 1}`, `{"a":1,"k":"T-9"}`},
		{`uuid() != uuid()`, `true`},
		{`order.lines.map(steps, steps.sku)`, `["a","b"]`},
	} {
		t.Run(test.source, func(t *testing.T) {
			t.Parallel()
			got, err := evaluate(t, expression(test.source))
			if err != nil || got != test.want {
				t.Errorf("got %s, %v; want %s", got, err, test.want)
			}
		})
	}
}
