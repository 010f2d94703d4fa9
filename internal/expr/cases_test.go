package expr_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pawl/internal/expr"
	"pawl/internal/fault"
)

// TestC067ValuesAreNeverParsed: text that looks like an expression passes two steps unchanged.
func TestC067ValuesAreNeverParsed(t *testing.T) {
	t.Parallel()
	body := map[string]any{"name": "{{ secrets.api }} ${steps.a.output} {{ 7*7 }}"}
	want := `"{{ secrets.api }} ${steps.a.output} {{ 7*7 }}"`
	second := eval(t, `"{{ trigger.body.name }}"`, map[string]any{"trigger": map[string]any{"body": body}})
	if second != want {
		t.Fatalf("step 2 got %s", second)
	}
	output, err := expr.Parse([]byte(second))
	if err != nil {
		t.Fatal(err)
	}
	steps := map[string]any{"steps": map[string]any{"two": map[string]any{"output": output}}}
	for _, template := range []string{`"{{ steps.two.output }}"`, `"{{ steps.two.output + '' }}"`, `"{{ steps.two.output }}{{ '' }}"`} {
		if got := eval(t, template, steps); got != want {
			t.Errorf("%s: step 3 got %s", template, got)
		}
	}
}

func eval(t testing.TB, template string, vars map[string]any) string {
	t.Helper()
	c, err := expr.Compile(json.RawMessage(template))
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Eval(t.Context(), expr.Env{Vars: vars})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestC069MissingElement: an index beyond a list's end is an error of the step that names the expression.
func TestC069MissingElement(t *testing.T) {
	t.Parallel()
	_, err := evaluate(t, expression(`steps.a.output.list[9].id`))
	f := faultOf(t, err)
	if f.Kind != fault.Expression || f.Where.Expression != "steps.a.output.list[9].id" || !strings.Contains(f.Message, "steps.a.output.list has no element 9") {
		t.Errorf("got %v", f)
	}
}

// TestC071NoCredentialInScope: nothing but what the caller gives is in scope.
func TestC071NoCredentialInScope(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"request", "request.headers", "connection", "env", "secrets", "steps.a.request.headers['X-Api-Key']"} {
		if got, err := evaluate(t, expression(source)); err == nil {
			t.Errorf("%s gave %s", source, got)
		}
	}
}

// TestC073NumbersKeepTheirDigits: in a value of its own, in a list, in text, through CEL and through json().
func TestC073NumbersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, template, want string }{
		{
			"JSON body", `{"id": "{{ steps.a.output.p_id }}", "r": "{{ steps.a.output.r }}", "e": "{{ steps.a.output.e }}", "z": "{{ steps.a.output.neg0 }}"}`,
			`{"id":7615917337495251231,"r":0.1,"e":1e400,"z":-0}`,
		},
		{
			"text, as in a path, a query or a form", `"{{ steps.a.output.p_id }} {{ steps.a.output.r }} {{ steps.a.output.e }} {{ steps.a.output.neg0 }}"`,
			`"7615917337495251231 0.1 1e400 -0"`,
		},
		{"through CEL", `"{{ [steps.a.output].map(o, [o.p_id, o.r, o.e, o.neg0])[0] }}"`, `[7615917337495251231,0.1,1e400,-0]`},
		{"through json()", `"{{ json([steps.a.output.p_id, steps.a.output.e]) }}"`, `"[7615917337495251231,1e400]"`},
		{"through string()", `"{{ string(steps.a.output.p_id) }}"`, `"7615917337495251231"`},
		{"in a constant", `[7615917337495251231, 0.10, 1e400, -0]`, `[7615917337495251231,0.10,1e400,-0]`},
		{"told apart from its neighbour", `"{{ steps.a.output.p_id == 7615917337495251232 }}"`, `false`},
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

// TestC098SameAgain: what could differ between two evaluations does not.
func TestC098SameAgain(t *testing.T) {
	t.Parallel()
	members := make([]string, 20)
	for i := range members {
		members[i] = fmt.Sprintf(`"k%d": %d`, i*7%20, i)
	}
	v, err := expr.Parse([]byte(`{"inputs": {` + strings.Join(members, ",") + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	env := environment(t)
	env.Vars = v.(map[string]any)
	c, err := expr.CompileText(`{{ [now(), uuid(), uuid()] }} `)
	if err == nil {
		_, err = c.Eval(t.Context(), env)
	}
	if err == nil {
		t.Error("a list has a text form")
	}
	c, err = expr.CompileText(`{{ [string(now()), uuid(), uuid()] + keys(inputs) + inputs.map(k, k) + values(inputs).map(v, string(v)) }}`)
	if err != nil {
		t.Fatal(err)
	}
	first, err := c.Eval(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if again, err := c.Eval(t.Context(), env); err != nil || string(again) != string(first) {
			t.Fatalf("got %s, %v; first was %s", again, err, first)
		}
	}
	env.Seed = []byte("another position")
	if other, err := c.Eval(t.Context(), env); err != nil || string(other) == string(first) {
		t.Errorf("another seed gives the same: %s, %v", other, err)
	}
}

// TestC147ClosedLanguage: ways out of other expression languages end in an error, quickly and in little memory.
//
// It runs alone, because it looks at what the process allocates.
func TestC147ClosedLanguage(t *testing.T) {
	big := "order.id"
	for range 40 {
		big = "(" + big + "+" + big + ")"
		if len(big) > 9_000 {
			break
		}
	}
	for _, test := range []struct{ name, source string }{
		{"constructor", `this.constructor.constructor('return process')()`},
		{"by bracket", "order['constructor']['constructor']('return process')()"},
		{"member named constructor", `order.constructor`},
		{"prototype", `order.__proto__`},
		{"template literal", "order[`constructor`]"},
		{"concatenation", `order['const' + 'ructor']`},
		{"unicode escape", `order['\u0063onstructor']`},
		{"map callback", `[1].map(x, x.constructor)`},
		{"filter callback", `[order].filter(x, x.constructor('return process'))`},
		{"toString object", `{"toString": "x"} + ""`},
		{"valueOf object", `{"valueOf": 1} + 1`},
		{"find.call", `[].find.call`},
		{"parentheses", strings.Repeat("(", 1_000_000) + "1" + strings.Repeat(")", 1_000_000)},
		{"lists", strings.Repeat("[", 4_000) + strings.Repeat("]", 4_000)},
		{"nots", strings.Repeat("!", 9_000) + "true"},
		{"minuses", strings.Repeat("-", 9_000) + "1"},
		{"conditions", strings.Repeat("true ? 1 : ", 800) + "1"},
		{"calls", strings.Repeat("string(", 1_400) + "1" + strings.Repeat(")", 1_400)},
		{"selections", "order" + strings.Repeat(".a", 4_900)},
		{"short selections", "order" + strings.Repeat(".a", 1_900)},
		{"short additions", "order.nothing" + strings.Repeat("+1", 1_900)},
		{"additions", "order.nothing" + strings.Repeat("+1", 4_900)},
		{"ands", "order.nothing" + strings.Repeat("&&true", 1_600)},
		{"open", strings.Repeat("{", 5_000)},
		{"repeat", `'a'.repeat(1e9)`},
		{"doubling text", big},
		{"nested loops", `[1,2,3,4,5,6,7,8,9,10].map(a, [1,2,3,4,5,6,7,8,9,10].map(b, [1,2,3,4,5,6,7,8,9,10].map(c, [1,2,3,4,5,6,7,8,9,10].map(d, [1,2,3,4,5,6,7,8,9,10].map(e, a*b*c*d*e)))))`},
		{"growing list", `[1,2,3,4,5,6,7,8,9,10].map(a, [1,2,3,4,5,6,7,8,9,10].map(b, order.lines.map(c, json(order.lines) + json(order.lines) + json(order.lines) + json(order.lines) + json(order.lines) + json(order.lines) + json(order.lines) + json(order.lines) + json(order.lines) + json(order.lines) + json(order.lines) + json(order.lines) + json(order.lines) + json(order.lines) + json(order.lines) + json(order.lines) + json(order.lines) + json(order.lines)))).nothing`},
		{"replace", `'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'.replace('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa').replace('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa').replace('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa').replace('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')`},
		{"regular expression", `'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'.matches('^(a+)+$') ? 1 : order.nothing`},
		{"large regular expression", `'a'.matches('(((a{1,100}){1,100}){1,100})')`},
		{"computed regular expression", `'a'.matches('(((a{1,100}){1,100})' + '{1,100})')`},
		{"big power", `1e400`},
		{"big number", `steps.a.output.e + 1 == 1`},
		{"huge exponent", `double("1e999999999") + 1`},
		{"long number", strings.Repeat("9", 9_000)},
		{"file", `file("/etc/passwd")`},
		{"host", `env("HOME")`},
	} {
		t.Run(test.name, func(t *testing.T) {
			env := environment(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var got []byte
			c, err := expr.CompileText("{{ " + test.source + " }}")
			if err == nil {
				got, err = c.Eval(t.Context(), env)
			}
			runtime.ReadMemStats(&after)
			if err == nil {
				if test.name != "big number" && test.name != "doubling text" {
					t.Fatalf("gave %.100s", got)
				}
				return
			}
			f := faultOf(t, err)
			if f.Kind != fault.Expression && f.Kind != fault.Limit && f.Kind != fault.TooLarge {
				t.Errorf("got %v", f)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 10<<20 {
				t.Errorf("took %d bytes", used)
			}
			t.Logf("%.150s", f.Message)
		})
	}
}

// TestEndlessWorkEnds: a context that ends ends the evaluation.
func TestEndlessWorkEnds(t *testing.T) {
	t.Parallel()
	c, err := expr.CompileText(`{{ [1,2].map(x, x) }}`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Eval(ctx, expr.Env{}); !fault.Is(err, fault.Cancelled) {
		t.Errorf("got %v", err)
	}
}
