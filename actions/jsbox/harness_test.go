package jsbox_test

import (
	"encoding/json"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actions/jsbox"
	"pawl/actions/jsbox/harness"
)

// The harness protocol of the seed, word for word, as a host that knows nothing else speaks it.
func TestHarnessProtocol(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	type line struct{ call, want string }
	tests := []struct {
		name string
		body string
		say  []line
	}{
		{name: "done", body: `ctx.log("hi"); return { stage: ctx.stage, input };`, say: []line{
			{`start c1 t {"a":1} preview`, ``},
			{`poll c1`, `{"state":"done","output":"{\"stage\":\"preview\",\"input\":{\"a\":1}}","logs":["hi"]}`},
			{`poll c1`, `{"state":"done","output":"{\"stage\":\"preview\",\"input\":{\"a\":1}}","logs":["hi"]}`},
		}},
		{name: "an error", body: `throw new Error("no");`, say: []line{
			{`start c1 t {} test`, ``},
			{`poll c1`, `{"state":"error","reason":"threw","name":"Error","message":"The tool t threw Error: no (line 2, column 11).","line":2,"column":11,"logs":[]}`},
		}},
		{name: "running", body: `await new Promise(() => {});`, say: []line{
			{`start c1 t {} test`, ``},
			{`poll c1`, `{"state":"running"}`},
		}},
		{name: "a request", body: `return await ctx.fetch("https://a.example/", { method: "POST", headers: { "X-A": 1 }, body: "b" });`, say: []line{
			{`start c1 t {} test`, ``},
			{`poll c1`, `{"state":"fetch","request":{"id":1,"url":"https://a.example/","method":"POST","headers":{"X-A":"1"},"body":"b"}}`},
			{`poll c1`, `{"state":"running"}`},
			{`resolve c1 {"status":201,"headers":{"a":"b"},"text":"ok"}`, ``},
			{`poll c1`, `{"state":"done","output":"{\"status\":201,\"headers\":{\"a\":\"b\"},\"text\":\"ok\"}","logs":[]}`},
		}},
		{name: "requests at once, answered out of order", body: `const [a, b] = await Promise.all([ctx.fetch("https://a.example/"), ctx.fetch("https://b.example/")]); return [a.text, b.text];`, say: []line{
			{`start c1 t {} test`, ``},
			{`poll c1`, `{"state":"fetch","request":{"id":1,"url":"https://a.example/","method":"GET","headers":{},"body":null}}`},
			{`poll c1`, `{"state":"fetch","request":{"id":2,"url":"https://b.example/","method":"GET","headers":{},"body":null}}`},
			{`resolve c1 {"id":2,"status":200,"headers":{},"text":"B"}`, ``},
			{`resolve c1 {"id":2,"status":200,"headers":{},"text":"twice"}`, ``},
			{`resolve c1 {"status":200,"headers":{},"text":"A"}`, ``},
			{`resolve c1 {"status":200,"headers":{},"text":"nobody asked"}`, ``},
			{`poll c1`, `{"state":"done","output":"[\"A\",\"B\"]","logs":[]}`},
		}},
		{name: "a request that fails", body: `try { await ctx.fetch("https://a.example/"); } catch (e) { return [e instanceof Error, e.name, e.message, e.kind, e.reason]; }`, say: []line{
			{`start c1 t {} test`, ``},
			{`poll c1`, `{"state":"fetch","request":{"id":1,"url":"https://a.example/","method":"GET","headers":{},"body":null}}`},
			{`resolve c1 {"error":{"message":"no","kind":"network","reason":"dns"}}`, ``},
			{`poll c1`, `{"state":"done","output":"[true,\"FetchError\",\"no\",\"network\",\"dns\"]","logs":[]}`},
		}},
		{name: "a failure that ends the call is named", body: `await ctx.fetch("https://a.example/");`, say: []line{
			{`start c1 t {} test`, ``},
			{`poll c1`, `{"state":"fetch","request":{"id":1,"url":"https://a.example/","method":"GET","headers":{},"body":null}}`},
			{`resolve c1 {"error":{"message":"no"}}`, ``},
			{`poll c1`, `{"state":"error","reason":"threw","name":"FetchError","message":"The tool t threw FetchError: no.","fetch":1,"logs":[]}`},
		}},
		{name: "what can't be read", body: `return 1;`, say: []line{
			{`poll c1`, `{"state":"error","reason":"no_call","message":"There is no call c1.","logs":[]}`},
			{`start c1 other {} test`, `{"state":"error","reason":"no_tool","message":"The plugin has no tool other.","logs":[]}`},
			{`start c1 t {} test`, `{"state":"error","reason":"no_call","message":"A realm runs one call.","logs":[]}`},
			{`poll c2`, `{"state":"error","reason":"no_call","message":"There is no call c2.","logs":[]}`},
			{`resolve c2 {}`, `{"state":"error","reason":"no_call","message":"There is no call c2.","logs":[]}`},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := load(t, e, tool(tt.body)).Session(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer s.End()
			for _, line := range tt.say {
				words := strings.SplitN(line.call, " ", 5)
				if words[0] == "resolve" {
					words = strings.SplitN(line.call, " ", 3)
				}
				got, err := s.Tell(words[0], words[1:]...)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(line.want, got); diff != "" {
					t.Errorf("%s:\n%s", line.call, diff)
				}
			}
		})
	}
}

// The numbers of the harness are the numbers of limits.go.
func TestHarnessHasTheSameLimits(t *testing.T) {
	t.Parallel()
	want := map[string]int{
		"output": jsbox.MaxOutputBytes, "depth": jsbox.MaxDepth, "logs": jsbox.MaxLogLines, "line": jsbox.MaxLogUnits,
		"fetches": jsbox.MaxFetches, "body": jsbox.MaxFetchBodyBytes, "time": int(jsbox.MaxTime.Milliseconds()),
	}
	got := make(map[string]int)
	for _, m := range regexp.MustCompile(`(?m)^    (\w+): (\d+), //`).FindAllStringSubmatch(harness.Script(), -1) {
		if m[1] != "shown" {
			got[m[1]], _ = strconv.Atoi(m[2])
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A module finds the same names here and in a page's worker: the harness leaves that worker only these.
func TestHarnessKeepsTheNamesThatAreHere(t *testing.T) {
	t.Parallel()
	var here, kept []string
	if err := json.Unmarshal([]byte(run(t, engine(t, jsbox.Config{}), `return Object.getOwnPropertyNames(globalThis);`, "")), &here); err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile(`(?s)const KEPT = \((.*?)\)\.split`).FindStringSubmatch(harness.Script())
	if block == nil {
		t.Fatal("the harness has no list")
	}
	for _, part := range regexp.MustCompile(`'([^']*)'`).FindAllStringSubmatch(block[1], -1) {
		kept = append(kept, strings.Fields(part[1])...)
	}
	sort.Strings(here)
	sort.Strings(kept)
	if diff := cmp.Diff(here, kept); diff != "" {
		t.Error(diff)
	}
}
