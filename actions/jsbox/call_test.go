package jsbox_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actions/jsbox"
	"pawl/internal/fault"
)

func TestCallGivesTheOutput(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	tests := []struct {
		name  string
		body  string
		input string
		want  string
	}{
		{name: "the seed's example", body: `return { words: input.text.split(/\s+/).filter(Boolean).length };`, input: `{"text":"a b  c"}`, want: `{"words":3}`},
		{name: "null", body: `return null;`, want: `null`},
		{name: "no input is an empty object", body: `return input;`, want: `{}`},
		{name: "every kind of value", body: `return [1, -0, 1e21, 0.1, "é\n\"😀", true, null, { a: [] }];`, want: `[1,0,1e+21,0.1,"é\n\"😀",true,null,{"a":[]}]`},
		{name: "a member that is undefined is left out", body: `return { a: undefined, b: 1 };`, want: `{"b":1}`},
		{name: "toJSON", body: `return { at: new Date(0), url: new URL("https://a.example/x"), n: new Number(5) };`, want: `{"at":"1970-01-01T00:00:00.000Z","url":"https://a.example/x","n":5}`},
		{name: "an object without prototype", body: `return Object.assign(Object.create(null), { a: 1 });`, want: `{"a":1}`},
		{name: "an instance of a class", body: `class P { constructor() { this.x = 1; } y() {} } return new P();`, want: `{"x":1}`},
		{name: "one value twice is no cycle", body: `const a = [1]; return [a, a];`, want: `[[1],[1]]`},
		{name: "a thenable", body: `return { then(done) { done("later"); } };`, want: `"later"`},
		{name: "text that looks like an escape", body: `return "\\u0000 \\ud800";`, want: `"\\u0000 \\ud800"`},
		{name: "as large as may be", body: `return "x".repeat(99_998);`, want: `"` + strings.Repeat("x", 99_998) + `"`},
		{name: "as many bytes as may be", body: `return "é".repeat(49_999);`, want: `"` + strings.Repeat("é", 49_999) + `"`},
		{name: "as deep as may be", body: `let x = null; for (let i = 0; i < 200; i++) x = [x]; return x;`, want: strings.Repeat("[", 200) + "null" + strings.Repeat("]", 200)},
		{name: "this is the tools", body: `return typeof this.t;`, want: `"function"`},
		{name: "the stage", body: `return ctx.stage;`, want: `"test"`},
		{name: "ctx can't be changed", body: `"use strict"; try { ctx.stage = "x"; } catch (e) { return e.name; }`, want: `"TypeError"`},
		{name: "__proto__ is a name like others", body: `return [Object.keys(input), input.x === undefined];`, input: `{"__proto__":{"x":1}}`, want: `[["__proto__"],true]`},
		{name: "numbers", body: `return input;`, input: `[9007199254740992,1.50,-0.0,1E2,5e-324,123456789.125]`, want: `[9007199254740992,1.5,0,100,5e-324,123456789.125]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, run(t, e, tt.body, tt.input)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Case C130: values are data, whatever they spell.
func TestC130InputIsNeverCode(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	m := load(t, e, tool(`return [input, typeof globalThis.pwn];`))
	for _, text := range []string{`'); globalThis.pwn=1; ('`, `"); globalThis.pwn=1; ("`, `</script>`, "\u2028\u2029", `${globalThis.pwn=1}`, "`+(globalThis.pwn=1)+`", `\`, "\n'", `*/ globalThis.pwn=1 /*`} {
		input, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if err := json.Unmarshal([]byte(call(t, m, string(input))), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{text, "undefined"}, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestCallRefusesAnInput(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	m := load(t, e, tool(`return input;`))
	tests := []struct {
		name  string
		call  jsbox.Call
		want  string
		where string
	}{
		{name: "a tool that is not there", call: jsbox.Call{Tool: "other"}, want: "invalid_input no_tool"},
		{name: "no JSON", call: jsbox.Call{Tool: "t", Input: json.RawMessage(`{a:1}`)}, want: "invalid_input input"},
		{name: "no UTF-8", call: jsbox.Call{Tool: "t", Input: json.RawMessage("\"\xff\"")}, want: "invalid_input input"},
		{name: "too long", call: jsbox.Call{Tool: "t", Input: json.RawMessage(`"` + strings.Repeat("x", jsbox.MaxInputBytes) + `"`)}, want: "too_large input"},
		{name: "too deep", call: jsbox.Call{Tool: "t", Input: json.RawMessage(strings.Repeat("[", 201) + strings.Repeat("]", 201))}, want: "invalid_input input"},
		{name: "an integer that rounds", call: jsbox.Call{Tool: "t", Input: json.RawMessage(`{"a/b":["1",{"id":9007199254740993}]}`)}, want: "invalid_input number", where: "/a~1b/1/id"},
		{name: "a decimal that rounds", call: jsbox.Call{Tool: "t", Input: json.RawMessage(`[0.1,{"x":1},0.12345678901234567890]`)}, want: "invalid_input number", where: "/2"},
		{name: "a number that is infinite", call: jsbox.Call{Tool: "t", Input: json.RawMessage(`1e400`)}, want: "invalid_input number"},
		{name: "a number that becomes zero", call: jsbox.Call{Tool: "t", Input: json.RawMessage(`{"a":1e-400}`)}, want: "invalid_input number", where: "/a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := m.Call(t.Context(), tt.call)
			f := fault.From(err)
			if got := string(f.Kind) + " " + f.Reason; got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if tt.where != "" && (f.Where == nil || f.Where.Pointer != tt.where) {
				t.Errorf("got %+v, want the place %s", f.Where, tt.where)
			}
		})
	}
}

func TestCallLogs(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	many := make([]string, jsbox.MaxLogLines)
	for i := range many {
		many[i] = "x"
	}
	many[len(many)-1] = "… and 51 more lines: a call keeps 200."
	tests := []struct {
		name string
		body string
		want []string
	}{
		{name: "nothing"},
		{name: "several values", body: `ctx.log("a", 1, null, undefined, true, 5n, Symbol("s"), () => 1, [1, "b"], { c: { d: [] } });`, want: []string{`a 1 null undefined true 5n Symbol(s) [function] [1,"b"] {"c":{"d":[]}}`}},
		{name: "the console", body: `for (const name of ["log", "info", "warn", "error", "debug", "trace"]) console[name](name);`, want: []string{"log", "info", "warn", "error", "debug", "trace"}},
		{name: "an error", body: `ctx.log(new RangeError("far"));`, want: []string{"RangeError: far"}},
		{name: "a date and a map", body: `ctx.log(new Date(0), new Map([[1, 2]]));`, want: []string{`"1970-01-01T00:00:00.000Z" [object Map]`}},
		{name: "a cycle", body: `const a = {}; a.a = a; ctx.log(a);`, want: []string{`{"a":{"a":{"a":{"a":{"a":{…}}}}}}`}},
		{name: "what fails when it is looked at", body: `ctx.log({ get x() { throw 1; } }, new Proxy({}, { ownKeys() { throw 1; } }));`, want: []string{"[a value that fails when it is looked at] [a value that fails when it is looked at]"}},
		{name: "a long line", body: `ctx.log("x".repeat(5000));`, want: []string{strings.Repeat("x", 1999) + "…"}},
		{name: "no half character at the cut", body: `ctx.log("x".repeat(1998) + "😀y");`, want: []string{strings.Repeat("x", 1998) + "…"}},
		{name: "a long list", body: `ctx.log(new Array(1e6).fill(1));`, want: []string{"[" + strings.Repeat("1,", 100) + "…]"}},
		{name: "what no database stores", body: `ctx.log("a\0b\ud800c");`, want: []string{"a\uFFFDb\uFFFDc"}},
		{name: "too many lines", body: `for (let i = 0; i < 250; i++) ctx.log("x");`, want: many},
		{name: "a microtask that throws", body: `queueMicrotask(() => { throw new Error("oops"); }); await null;`, want: []string{"Uncaught: it threw Error: oops"}},
		{name: "a timer that throws", body: `setTimeout(() => { throw "oops"; }, 1); await new Promise((r) => setTimeout(r, 2));`, want: []string{`Uncaught: it threw "oops", which is no Error`}},
		{name: "a promise that nobody awaits", body: `Promise.reject(new Error("lost")); const p = Promise.reject(1); await null; await p.catch(() => {});`, want: []string{"A promise that nobody awaits was rejected: it threw Error: lost"}},
		{name: "patched methods", body: `Array.prototype.push = String.prototype.slice = () => { throw 1; }; ctx.log("still", "here");`, want: []string{"still here"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := load(t, e, tool(tt.body+"\nreturn 1;"))
			result, err := m.Call(t.Context(), jsbox.Call{Tool: "t"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, result.Logs); diff != "" && len(tt.want)+len(result.Logs) > 0 {
				t.Error(diff)
			}
		})
	}
}

func TestCallLogsOfATopLevelAndOfAFailure(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	m := load(t, e, "console.log('loaded');\n"+tool(`ctx.log("before"); throw new Error("after");`))
	for range 2 {
		result, err := m.Call(t.Context(), jsbox.Call{Tool: "t"})
		if !fault.Is(err, fault.Rejected) {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"loaded", "before"}, result.Logs); diff != "" {
			t.Error(diff)
		}
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	tests := []struct {
		name string
		body string
	}{
		{name: "in JavaScript", body: `for (;;) {}`},
		{name: "inside a built-in", body: `return new Array(2 ** 32 - 2).reverse();`},
		{name: "waiting for a timer", body: `await new Promise((r) => setTimeout(r, 1e6));`},
		{name: "waiting for an answer", body: `await ctx.fetch("https://a.example/");`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := load(t, e, tool(`await ctx.fetch("https://started.example/");`+tt.body))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := m.Call(ctx, jsbox.Call{Tool: "t", Fetch: func(ctx context.Context, q jsbox.FetchRequest) (jsbox.FetchResponse, error) {
				if strings.Contains(q.URL, "started") {
					defer cancel()
					return jsbox.FetchResponse{Status: 200}, nil
				}
				<-ctx.Done()
				return jsbox.FetchResponse{}, ctx.Err()
			}})
			if f := fault.From(err); f.Kind != fault.Cancelled {
				t.Errorf("got %s", said(err))
			}
		})
	}
}

func TestCallOfATimeThatIsOver(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	m := load(t, e, tool(`return 1;`))
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if _, err := m.Call(ctx, jsbox.Call{Tool: "t"}); !fault.Is(err, fault.Timeout) {
		t.Errorf("got %s", said(err))
	}
}
