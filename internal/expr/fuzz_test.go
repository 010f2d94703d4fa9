package expr_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/expr"
	"pawl/internal/fault"
)

// FuzzText: no text makes the scanner, the compiler or an evaluation panic or give anything but JSON or a fault.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"", "a", "{{", "}}", "{{}}", "{{ '}}' }}", "{{ {\"a\": {\"b\": 1}}}}", "{{ r'\\' }}{{ 1 }}", "{{ \"\"\"a\"\"\" }}", "{{ 1 // }}\n}}",
		"{{ steps.a.output.list[9].id }}", "{{ order.lines.map(l, l.qty * 1.5) }}", "{{ order.?x.orValue([1,{'a':2.0}]) == [1, {'a': 2}] }}",
		"{{ [1,2].filter(x, x in [1.0]) }}", "{{ now() - duration('1h') }}", "{{ uuid() }}", "{{ 1e3 + .5 - 01.5 }}", "{{ -1.0e-5 }}",
		"{{ div(1, 3, 5) + round(2.345, 2) }}", "{{ fixed(-0.001, 2) }}", "{{ 'aXbX'.replace('X', 'YY', 1).split('Y') }}", "{{ 'a'.matches('[') }}",
		"{{ has(steps.a) ? steps['a'].output : null }}", "{{ steps[?'a'].?output.orValue(1) }}", "{{ \"\\u0000\\ud83d\\ude00\" }}", "{{ min([1, 'a']) }}",
		"{{ {'a': 1}.map(k, k) }}", "{{ @now }}", "{{ __result__ }}", "{{ timestamp('2026-01-01T00:00:00Z').getHours('Europe/Zurich') }}",
		"{{ ''.join() }}", "{{ [1].join('') }}", "{{ type }}", "{{ int }}", "{{ optional.none() }}", "{{ optional.of(1).orValue(2) }}", "{{ [1, 2].first() }}",
		"{{ 9223372036854775807 + 1 }}", "{{ -9223372036854775808 }}", "{{ 5 % 0 }}", "{{ dyn(1) == 1.0 }}", "{{ strings.quote('a') }}",
	} {
		f.Add(s)
	}
	env := environment(f)
	f.Fuzz(func(t *testing.T, s string) {
		c, err := expr.CompileText(s)
		if err == nil {
			var b []byte
			if b, err = c.Eval(t.Context(), env); err == nil && !json.Valid(b) {
				t.Errorf("%q gave %q", s, b)
			}
			again, second := c.Eval(t.Context(), env)
			if (second == nil) != (err == nil) || !bytes.Equal(b, again) {
				t.Errorf("%q gave %q, %v, then %q, %v", s, b, err, again, second)
			}
		}
		if err == nil {
			return
		}
		if k := faultOf(t, err).Kind; k != fault.Expression && k != fault.Limit && k != fault.TooLarge {
			t.Errorf("%q: %v", s, err)
		}
		if strings.Contains(err.Error(), "internal error") {
			t.Errorf("%q: %v", s, err)
		}
	})
}

// FuzzCompile: a JSON value without expressions comes out as it went in.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{
		``, `null`, `{"a": [1.0, -0, 1e400, "\u0041\ud83d"], "b": {}}`, `{"a": 1, "a": 2}`, `[`, `[1,]`, `1 2`, `"{{ 1 }}"`, `{"{{": 1}`,
		strings.Repeat("[", 300), `{"a" : "x" , "b":[ ]}`, "\ufeff1", "\"\x00\"",
	} {
		f.Add([]byte(s))
	}
	env := environment(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := expr.Compile(raw)
		if err != nil {
			faultOf(t, err)
			return
		}
		if !json.Valid(raw) {
			t.Fatalf("%q is no JSON and compiled", raw)
		}
		b, err := c.Eval(t.Context(), env)
		if !c.Constant() {
			return
		}
		want, problem := expr.Parse(raw)
		got, other := expr.Parse(b)
		if err != nil || problem != nil || other != nil {
			t.Fatalf("%q gave %q: %v, %v, %v", raw, b, err, problem, other)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q gave %q: %s", raw, b, d)
		}
	})
}

// FuzzValue: whatever JSON a provider gave, every function gives JSON or a fault, and what is only passed on stays as it is.
func FuzzValue(f *testing.F) {
	for _, s := range []string{
		"1e400", "-0", "1E5", "1e2147483648", "1e-99999999999999", "0.1", strings.Repeat("7", 100), "0." + strings.Repeat("3", 1500), "1e999999999",
		`"x\u0000y"`, `"2026-01-01T00:00:00Z"`, `"9h"`, `"\ud83d"`, "null", "true", `[1,"a",null,{"b":[]}]`, `{"a":1,"a":2}`, `{"":{"~/":1}}`,
	} {
		f.Add([]byte(s), []byte("3"))
	}
	var all []*expr.Template
	for _, source := range []string{
		"a + b", "a - b", "a * b", "a / b", "a % b", "a == b", "a < b", "-a", "abs(a)", "floor(a)", "ceil(a)", "round(a, 2)", "fixed(a, 2)", "div(a, b, 3)",
		"int(a)", "double(a)", "string(a)", "json(a)", "sum([a, b])", "max([a, b])", "a in [b]", "[a, b]", "{'a': a, 'b': b}", "size(a)", "a.a", "a[0]", "a.?b.orValue(b)",
		"a.map(x, x)", "keys(a)", "values(a)", "a.join(b)", "a.split(b)", "a.replace(b, a)", "a.substring(1)", "a.matches(b)", "timestamp(a)", "duration(a)", "a ? a : b",
	} {
		c, err := expr.CompileText("{{ " + source + " }}")
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, c)
	}
	same, err := expr.CompileText("{{ a }}")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		a, err := expr.Parse(first)
		if err != nil {
			return
		}
		b, err := expr.Parse(second)
		if err != nil {
			return
		}
		env := expr.Env{Vars: map[string]any{"a": a, "b": b}}
		passed, err := same.Eval(t.Context(), env)
		if err != nil {
			t.Fatalf("%q is not passed on: %v", first, err)
		}
		if again, err := expr.Parse(passed); err != nil || !cmp.Equal(a, again) {
			t.Fatalf("%q is passed on as %q", first, passed)
		}
		for _, c := range all {
			switch b, err := c.Eval(t.Context(), env); {
			case err == nil && !json.Valid(b):
				t.Errorf("%q, %q gave %q", first, second, b)
			case err != nil:
				if k := faultOf(t, err).Kind; k != fault.Expression && k != fault.Limit && k != fault.TooLarge {
					t.Errorf("%q, %q: %v", first, second, err)
				}
			}
		}
	})
}
