package expr_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pawl/internal/expr"
)

func BenchmarkEval(b *testing.B) {
	for _, bench := range []struct{ name, template string }{
		{"constant", `{"a": 1, "b": "x"}`},
		{"selection", `"{{ steps.orders.output.body.items }}"`},
		{"selections", `{"id": "{{ order.id }}", "total": "{{ order.total }}", "name": "{{ steps.a.output.name }}"}`},
		{"text", `"Order {{ order.id }}: {{ order.total }}"`},
		{"condition", `"{{ order.total > 1000 }}"`},
		{"map", `"{{ steps.orders.output.body.items.map(i, i.id) }}"`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			t, err := expr.Compile(json.RawMessage(bench.template))
			if err != nil {
				b.Fatal(err)
			}
			env := environment(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := t.Eval(b.Context(), env); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, bench := range []struct{ name, template string }{
		{"selection", `"{{ steps.orders.output.body.items }}"`},
		{"condition", `"{{ order.total > 1000 }}"`},
		{"map", `"{{ steps.orders.output.body.items.map(i, i.id) }}"`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := expr.Compile(json.RawMessage(bench.template)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkList evaluates over a list of 1,000 objects.
func BenchmarkList(b *testing.B) {
	items := make([]string, 1000)
	for i := range items {
		items[i] = fmt.Sprintf(`{"id": %d, "total": %d.5, "name": "item %d"}`, i, i, i)
	}
	v, err := expr.Parse([]byte(`{"items": [` + strings.Join(items, ",") + `]}`))
	if err != nil {
		b.Fatal(err)
	}
	env := expr.Env{Vars: v.(map[string]any)}
	for _, bench := range []struct{ name, source string }{
		{"selection", `items`},
		{"map", `items.map(i, i.id)`},
		{"filter_sum", `sum(items.filter(i, i.total > 100).map(i, i.total))`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			t, err := expr.CompileText("{{ " + bench.source + " }}")
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := t.Eval(b.Context(), env); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
