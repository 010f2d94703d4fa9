package expr_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/expr"
	"pawl/internal/fault"
)

func TestEvalBool(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ template, want string }{
		{`true`, "true"},
		{`"{{ order.total > 1 }}"`, "true"},
		{`"{{ has(order.nothing) }}"`, "false"},
		{`"{{ order.total }}"`, "not_boolean"},
		{`"{{ order.note }}"`, "not_boolean"},
		{`"{{ 'true' }}"`, "not_boolean"},
		{`"true"`, "not_boolean"},
		{`"{{ order.nothing }}"`, "missing"},
	} {
		c, err := expr.Compile(json.RawMessage(test.template))
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.EvalBool(t.Context(), environment(t))
		text := map[bool]string{true: "true", false: "false"}[got]
		if err != nil {
			text = faultOf(t, err).Reason
		}
		if text != test.want {
			t.Errorf("%s: got %s, %v", test.template, text, err)
		}
	}
}

func TestEvalList(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ template, want string }{
		{`[1.0, "{{ order.id }}"]`, `1.0|"T-9"`},
		{`"{{ steps.a.output.list }}"`, `1|2`},
		{`"{{ steps.a.output.empty }}"`, ``},
		{`"{{ order.lines }}"`, `{"qty":2,"sku":"a"}|{"qty":3,"sku":"b"}`},
		{`"{{ order.lines.filter(l, l.qty > 2) }}"`, `{"qty":3,"sku":"b"}`},
		{`"{{ order }}"`, `not_list`},
		{`"{{ order.id }}"`, `not_list`},
		{`"{{ order.note }}"`, `not_list`},
		{`"{{ order.nothing }}"`, `missing`},
	} {
		c, err := expr.Compile(json.RawMessage(test.template))
		if err != nil {
			t.Fatal(err)
		}
		list, err := c.EvalList(t.Context(), environment(t))
		texts := make([]string, len(list))
		for i, e := range list {
			texts[i] = string(e)
		}
		text := strings.Join(texts, "|")
		if err != nil {
			text = faultOf(t, err).Reason
		}
		if text != test.want {
			t.Errorf("%s: got %s, %v", test.template, text, err)
		}
	}
}

func TestNamesOfATemplate(t *testing.T) {
	t.Parallel()
	c, err := expr.Compile(json.RawMessage(`{"a": "{{ steps.b.output + steps['a'].output.x }} {{ inputs.n }}",
	  "c": "{{ order.lines.map(order, order.qty + i) }}", "d": ["{{ has(steps.c) ? steps.?d.?output.orValue(now()) : uuid() }}"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a", "b", "c", "d"}, c.Steps()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"i", "inputs", "order"}, c.Vars()); d != "" {
		t.Error(d)
	}
	var uses []string
	c.Uses(func(root, step, member string, guarded bool, where fault.Where) {
		uses = append(uses, strings.Join([]string{root, step, member, map[bool]string{true: "?"}[guarded], where.Pointer}, " "))
	})
	slices.Sort(uses)
	want := []string{"i    /c", "inputs    /a", "order    /c", "steps a output  /a", "steps b output  /a", "steps c  ? /d/0", "steps d output ? /d/0"}
	if d := cmp.Diff(want, uses); d != "" {
		t.Error(d)
	}
	if err := c.CheckRoots([]string{"inputs", "order", "i"}); err != nil {
		t.Error(err)
	}
	f := faultOf(t, c.CheckRoots([]string{"inputs", "orders", "i"}))
	if f.Where.Pointer != "/c" || !strings.Contains(f.Message, `did you mean "orders"?`) {
		t.Errorf("got %v at %+v", f, f.Where)
	}
}

// TestPlaces: an error has the pointer inside the template, and the line and column inside the string.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, template string
		want           fault.Where
	}{
		{"syntax", `{"a/b": ["x", "é\n {{ 1 + ) }}"]}`, fault.Where{Expression: "1 + )", Pointer: "/a~1b/1", Line: 2, Column: 9}},
		{"second line of an expression", `"{{ 1 +\n\n  ) }}"`, fault.Where{Expression: "1 +\n\n  )", Line: 3, Column: 3}},
		{"unclosed", `["a {{ 1"]`, fault.Where{Pointer: "/0", Line: 1, Column: 3}},
		{"empty", `"{{}}"`, fault.Where{Line: 1, Column: 3}},
		{"at run time", `{"a": "ab {{ order.nope }}"}`, fault.Where{Expression: "order.nope", Pointer: "/a", Line: 1, Column: 7}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := evaluate(t, test.template)
			if d := cmp.Diff(&test.want, faultOf(t, err).Where); d != "" {
				t.Errorf("%s\n%v", d, err)
			}
		})
	}
}

// TestCompileBounds: what is too large or misshapen is refused as such.
func TestCompileBounds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, template string
		want           fault.Kind
	}{
		{"too large", `"` + strings.Repeat("x", expr.MaxTemplate) + `"`, fault.TooLarge},
		{"too deep", strings.Repeat("[", 102) + strings.Repeat("]", 102), fault.Limit},
		{"too many expressions", `"` + strings.Repeat("{{1}}", expr.MaxExpressions+1) + `"`, fault.Limit},
		{"long expression", `"{{ '` + strings.Repeat("x", expr.MaxExpression) + `' }}"`, fault.Limit},
		{"no JSON", `{`, fault.InvalidInput},
		{"two values", `1 2`, fault.InvalidInput},
		{"duplicate member", `{"a": 1, "a": 2}`, fault.InvalidInput},
		{"expression in a name", `{"{{ 1 }}": 1}`, fault.Expression},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := expr.Compile(json.RawMessage(test.template)); err == nil || faultOf(t, err).Kind != test.want {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestLongStringsPassThrough: a string beyond what functions work on can be passed on, and nothing else.
func TestLongStringsPassThrough(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", expr.MaxText+1)
	env := expr.Env{Vars: map[string]any{"a": map[string]any{"s": long}}}
	for source, want := range map[string]string{
		`a.s`: "", `has(a.s) ? a.s : ""`: "", `a.?s.orValue("")`: "",
		`a.s.split("")`: "type", `a.s + "x"`: "type", `a.s.matches("x+$")`: "type", `size(a.s)`: "type",
	} {
		c, err := expr.CompileText("{{ " + source + " }}")
		if err != nil {
			t.Fatal(err)
		}
		b, err := c.Eval(t.Context(), env)
		switch {
		case want == "" && (err != nil || len(b) != len(long)+2):
			t.Errorf("%s: %d bytes, %v", source, len(b), err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), "too long for anything but being passed on")):
			t.Errorf("%s: %.100s, %v", source, b, err)
		}
	}
}

func TestTemplatesAreSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	c, err := expr.Compile(json.RawMessage(`{"a": "{{ order.lines.map(l, l.qty * 1.5) }}", "b": "{{ uuid() }} {{ order.id }}"}`))
	if err != nil {
		t.Fatal(err)
	}
	env := environment(t)
	want, err := c.Eval(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if got, err := c.Eval(t.Context(), env); err != nil || string(got) != string(want) {
					t.Errorf("got %s, %v; want %s", got, err, want)
				}
			}
		})
	}
	wg.Wait()
}
