package httpcall_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actions"
	"pawl/actions/httpcall"
)

func TestC073LargeNumbersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	const id = "7615917337495251231"
	for _, kind := range []actions.Type{actions.Text, actions.Number, actions.Integer, ""} {
		in := actions.Input{ID: "p", Type: kind}
		for _, input := range []string{`{"p":` + id + `}`, `{"p":"` + id + `"}`} {
			in.In = actions.InQuery
			if got := build(t, act("GET", "/", "", in), input).URL; got != "https://shop.test/?p="+id {
				t.Errorf("%s query: %s", kind, got)
			}
			in.In = actions.InBody
			if got := string(build(t, act("POST", "/", actions.FormBody, in), input).Body); got != "p="+id {
				t.Errorf("%s form: %s", kind, got)
			}
			want := `{"p":` + id + `}`
			if kind == actions.Text || kind == "" {
				want = `{"p":"` + id + `"}`
			}
			if got := string(build(t, act("POST", "/", actions.JSONBody, in), input).Body); got != want {
				t.Errorf("%s json: %s, want %s", kind, got, want)
			}
			in.In = actions.InPath
			if got := build(t, act("GET", "/{p}", "", in), input).URL; got != "https://shop.test/"+id {
				t.Errorf("%s path: %s", kind, got)
			}
		}
	}
	a := act("POST", "/", actions.JSONBody, actions.Input{ID: "j", In: actions.InBody, JSON: true})
	const exact = `{"j":{"p_id":7615917337495251231,"r":0.1,"e":1e400,"neg0":-0,"d":1.10}}`
	if got := string(build(t, a, exact).Body); got != exact {
		t.Errorf("json input: %s", got)
	}
}

func TestTypesAreChecked(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		kind  actions.Type
		value string
		want  string // as JSON; "!" = refused
	}{
		{name: "text", kind: actions.Text, value: `"a"`, want: `"a"`},
		{name: "number for text", kind: actions.Text, value: `1.50`, want: `"1.50"`},
		{name: "truth for text", kind: actions.Text, value: `true`, want: `"true"`},
		{name: "object for text", kind: actions.Text, value: `{}`, want: "!"},
		{name: "list for text", kind: actions.Text, value: `[1]`, want: "!"},
		{name: "number", kind: actions.Number, value: `1e400`, want: `1e400`},
		{name: "number as text", kind: actions.Number, value: `"-0.50"`, want: `-0.50`},
		{name: "zero", kind: actions.Number, value: `0`, want: `0`},
		{name: "no number", kind: actions.Number, value: `"1 "`, want: "!"},
		{name: "hex", kind: actions.Number, value: `"0x10"`, want: "!"},
		{name: "infinity", kind: actions.Number, value: `"Infinity"`, want: "!"},
		{name: "leading zero", kind: actions.Number, value: `"007"`, want: "!"},
		{name: "empty number", kind: actions.Number, value: `""`, want: "!"},
		{name: "truth for number", kind: actions.Number, value: `true`, want: "!"},
		{name: "integer", kind: actions.Integer, value: `42`, want: `42`},
		{name: "integer with exponent", kind: actions.Integer, value: `1e+06`, want: `1000000`},
		{name: "integer with fraction 0", kind: actions.Integer, value: `12.00`, want: `12`},
		{name: "integer moved right", kind: actions.Integer, value: `1.5e1`, want: `15`},
		{name: "negative", kind: actions.Integer, value: `-1e2`, want: `-100`},
		{name: "zero with exponent", kind: actions.Integer, value: `-0e9`, want: `0`},
		{name: "moved left", kind: actions.Integer, value: `100e-2`, want: `1`},
		{name: "fraction", kind: actions.Integer, value: `1.5`, want: "!"},
		{name: "small", kind: actions.Integer, value: `1e-2`, want: "!"},
		{name: "too long", kind: actions.Integer, value: `1e999`, want: "!"},
		{name: "absurd exponent", kind: actions.Integer, value: `1e99999999999999999999`, want: "!"},
		{name: "true", kind: actions.Boolean, value: `true`, want: `true`},
		{name: "false", kind: actions.Boolean, value: `false`, want: `false`},
		{name: "truth as text", kind: actions.Boolean, value: `"false"`, want: `false`},
		{name: "one for truth", kind: actions.Boolean, value: `1`, want: "!"},
		{name: "yes", kind: actions.Boolean, value: `"yes"`, want: "!"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := act("POST", "/", actions.JSONBody, actions.Input{ID: "v", In: actions.InBody, Type: tt.kind})
			if tt.want == "!" {
				if diff := cmp.Diff([]string{"/v type"}, problems(t, a, `{"v":`+tt.value+`}`)); diff != "" {
					t.Error(diff)
				}
				return
			}
			if got := string(build(t, a, `{"v":`+tt.value+`}`).Body); got != `{"v":`+tt.want+`}` {
				t.Errorf("body %s, want %s", got, tt.want)
			}
		})
	}
}

func TestListsAndRows(t *testing.T) {
	t.Parallel()
	list := actions.Input{ID: "v", List: true, Type: actions.Integer}
	row := actions.Input{ID: "v", Row: true}
	rows := actions.Input{ID: "v", Row: true, List: true}
	tests := []struct {
		name              string
		in                actions.Input
		value             string
		json, form, query string // "!" = refused
	}{
		{name: "list", in: list, value: `[1,"2",3e1]`, json: `[1,2,30]`, form: "v=1&v=2&v=30", query: "?v=1&v=2&v=30"},
		{name: "list as text", in: list, value: `"[1, 2]"`, json: `[1,2]`, form: "v=1&v=2", query: "?v=1&v=2"},
		{name: "empty list", in: list, value: `[]`, json: `[]`, form: "", query: ""},
		{name: "list of another type", in: list, value: `[1,"x"]`, json: "!", form: "!", query: "!"},
		{name: "null in a list", in: list, value: `[null]`, json: "!", form: "!", query: "!"},
		{name: "no list", in: list, value: `1`, json: "!", form: "!", query: "!"},
		{
			name: "row", in: row, value: `{"b":1,"a":"x y"}`, json: `{"b":1,"a":"x y"}`,
			form: "v=%7B%22b%22%3A1%2C%22a%22%3A%22x+y%22%7D", query: "?v=%7B%22b%22%3A1%2C%22a%22%3A%22x%20y%22%7D",
		},
		{name: "no row", in: row, value: `[1]`, json: "!", form: "!", query: "!"},
		{
			name: "rows", in: rows, value: `[{"a":1},{"a":2}]`, json: `[{"a":1},{"a":2}]`,
			form: "v=%7B%22a%22%3A1%7D&v=%7B%22a%22%3A2%7D", query: "?v=%7B%22a%22%3A1%7D&v=%7B%22a%22%3A2%7D",
		},
		{name: "no rows", in: rows, value: `[1]`, json: "!", form: "!", query: "!"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			input := `{"v":` + tt.value + `}`
			in := tt.in
			in.In = actions.InBody
			compare(t, act("POST", "/", actions.JSONBody, in), input, tt.json, func(r *httpcall.Request) string {
				return strings.TrimSuffix(strings.TrimPrefix(string(r.Body), `{"v":`), "}")
			})
			compare(t, act("POST", "/", actions.FormBody, in), input, tt.form, func(r *httpcall.Request) string { return string(r.Body) })
			in.In = actions.InQuery
			compare(t, act("GET", "/", "", in), input, tt.query, func(r *httpcall.Request) string {
				return strings.TrimPrefix(r.URL, "https://shop.test/")
			})
		})
	}
}

func compare(t *testing.T, a *actions.Action, input, want string, part func(*httpcall.Request) string) {
	t.Helper()
	if want == "!" {
		if got := problems(t, a, input); got[0] != "/v type" {
			t.Errorf("got %v", got)
		}
		return
	}
	if got := part(build(t, a, input)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
