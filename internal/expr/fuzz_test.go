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
