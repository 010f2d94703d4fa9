package jsbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actions/jsbox"
	"pawl/internal/fault"
)

func TestFetchAsksWhatTheModuleSays(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	text := func(s string) *string { return &s }
	tests := []struct {
		name string
		args string
		want jsbox.FetchRequest
	}{
		{name: "an address alone", args: `"https://a.example/x"`, want: jsbox.FetchRequest{URL: "https://a.example/x", Method: "GET", Headers: map[string]string{}}},
		{name: "a URL", args: `new URL("/x?y=é", "https://a.example")`, want: jsbox.FetchRequest{URL: "https://a.example/x?y=%C3%A9", Method: "GET", Headers: map[string]string{}}},
		{name: "everything", args: `"https://a.example/", { method: "put", headers: { "X-N": 5, "x-b": true }, body: "{}" }`, want: jsbox.FetchRequest{URL: "https://a.example/", Method: "put", Headers: map[string]string{"X-N": "5", "x-b": "true"}, Body: text("{}")}},
		{name: "headers as pairs", args: `"https://a.example/", { headers: [["X-A", "1"]] }`, want: jsbox.FetchRequest{URL: "https://a.example/", Method: "GET", Headers: map[string]string{"X-A": "1"}}},
		{name: "a form", args: `"https://a.example/", { method: "POST", body: new URLSearchParams({ q: "a b" }) }`, want: jsbox.FetchRequest{URL: "https://a.example/", Method: "POST", Headers: map[string]string{"Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"}, Body: text("q=a+b")}},
		{name: "a form with its own type", args: `"https://a.example/", { method: "POST", headers: { "content-type": "x" }, body: new URLSearchParams({ q: 1 }) }`, want: jsbox.FetchRequest{URL: "https://a.example/", Method: "POST", Headers: map[string]string{"content-type": "x"}, Body: text("q=1")}},
		{name: "nothing that matters", args: `"https://a.example/", { method: undefined, headers: null, body: null }`, want: jsbox.FetchRequest{URL: "https://a.example/", Method: "GET", Headers: map[string]string{}}},
		{name: "an empty body", args: `"https://a.example/", { body: "" }`, want: jsbox.FetchRequest{URL: "https://a.example/", Method: "GET", Headers: map[string]string{}, Body: text("")}},
		{name: "an address that is none is the host's to refuse", args: `"no address"`, want: jsbox.FetchRequest{URL: "no address", Method: "GET", Headers: map[string]string{}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got jsbox.FetchRequest
			_, err := load(t, e, tool(`await ctx.fetch(`+tt.args+`); return 1;`)).Call(t.Context(), jsbox.Call{Tool: "t", Fetch: func(_ context.Context, q jsbox.FetchRequest) (jsbox.FetchResponse, error) {
				got = q
				return jsbox.FetchResponse{Status: 204}, nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFetchRefusesWhatIsNoRequest(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	tests := []struct {
		args string
		want string
	}{
		{args: ``, want: "The address of ctx.fetch is text or a URL."},
		{args: `{}`, want: "The address of ctx.fetch is text or a URL."},
		{args: `"https://a.example/", 5`, want: "The options of ctx.fetch are an object: {method, headers, body}."},
		{args: `"https://a.example/", { method: 5 }`, want: `The method of ctx.fetch is text, for instance "POST".`},
		{args: `"https://a.example/", { signal: 1 }`, want: "ctx.fetch knows method, headers and body, not signal."},
		{args: `"https://a.example/", { headers: "x" }`, want: "The headers of ctx.fetch are an object."},
		{args: `"https://a.example/", { headers: { a: {} } }`, want: "The header a of ctx.fetch has to be text."},
		{args: `"https://a.example/", { body: new Map() }`, want: "The body of ctx.fetch is text: use JSON.stringify for an object."},
		{args: `"https://a.example/", { body: "é".repeat(500_001) }`, want: "The body of ctx.fetch has at most 1000000 bytes."},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			m := load(t, e, tool(`try { await ctx.fetch(`+tt.args+`); } catch (e) { return [e instanceof TypeError, e.message]; }`))
			result, err := m.Call(t.Context(), jsbox.Call{Tool: "t", Fetch: func(context.Context, jsbox.FetchRequest) (jsbox.FetchResponse, error) {
				t.Error("a refused request was sent")
				return jsbox.FetchResponse{}, nil
			}})
			var got []any
			if err != nil || json.Unmarshal(result.Output, &got) != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]any{true, tt.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFetchGivesTheAnswer(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	m := load(t, e, tool(`const a = await ctx.fetch("https://a.example/"); return { ...a, length: a.text.length, text: a.text.slice(0, 20) };`))
	tests := []struct {
		name   string
		answer jsbox.FetchResponse
		want   string
	}{
		{name: "text and headers", answer: jsbox.FetchResponse{Status: 200, Headers: map[string]string{"x-rate": "7"}, Text: "a\"\\\u2028é😀</script>"}, want: `{"status":200,"headers":{"x-rate":"7"},"text":"a\"\\` + "\u2028" + `é😀</script>","length":16}`},
		{name: "a status of an error", answer: jsbox.FetchResponse{Status: 503, Text: "later"}, want: `{"status":503,"headers":{},"text":"later","length":5}`},
		{name: "as large as may be", answer: jsbox.FetchResponse{Status: 200, Headers: map[string]string{}, Text: strings.Repeat("é", jsbox.MaxFetchTextBytes/2)}, want: `{"status":200,"headers":{},"text":"` + strings.Repeat("é", 20) + `","length":2097152}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			result, err := m.Call(t.Context(), jsbox.Call{Tool: "t", Fetch: func(context.Context, jsbox.FetchRequest) (jsbox.FetchResponse, error) {
				return tt.answer, nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(result.Output)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What a request failed with is what the call fails with, unless the module catches it.
func TestFetchFaultsPassThrough(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	private := errors.New("private cause")
	tests := []struct {
		name string
		body string
		err  error
		want string
	}{
		{name: "a fault", body: `await ctx.fetch("https://a.example/");`, err: fault.New(fault.Network, "dns", "no such host"), want: `{"kind":"network","reason":"dns","message":"no such host"}`},
		{name: "an error that is none of ours", body: `await ctx.fetch("https://a.example/");`, err: private, want: `{"kind":"internal","message":"Something went wrong inside Pawl; the log has the details."}`},
		{name: "thrown on", body: `try { await ctx.fetch("https://a.example/"); } catch (e) { throw e; }`, err: fault.New(fault.BlockedAddress, "", "no"), want: `{"kind":"blocked_address","message":"no"}`},
		{name: "wrapped", body: `try { await ctx.fetch("https://a.example/"); } catch (e) { throw new Error("mine: " + e.message); }`, err: fault.New(fault.Network, "dns", "no such host"), want: `{"kind":"rejected","reason":"threw","message":"The tool t threw Error: mine: no such host (line 2, column 87).","where":{"line":2,"column":87}}`},
		{name: "two at once", body: `await Promise.all([ctx.fetch("https://a.example/"), ctx.fetch("https://b.example/")]);`, err: fault.New(fault.Network, "dns", "no such host"), want: `{"kind":"network","reason":"dns","message":"no such host"}`},
		{name: "private text stays private", body: `try { await ctx.fetch("https://a.example/"); } catch (e) { throw e.message + e.stack; }`, err: fault.New(fault.Network, "", "public").Because(private), want: `{"kind":"rejected","reason":"threw","message":"The tool t threw \"public`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, e, tool(tt.body)).Call(t.Context(), jsbox.Call{Tool: "t", Fetch: func(context.Context, jsbox.FetchRequest) (jsbox.FetchResponse, error) {
				return jsbox.FetchResponse{}, tt.err
			}})
			if got := said(err); !strings.HasPrefix(got, tt.want) || strings.Contains(got, "private") {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestFetchOfNothing(t *testing.T) {
	t.Parallel()
	m := load(t, engine(t, jsbox.Config{}), tool(`await ctx.fetch("https://a.example/");`))
	if _, err := m.Call(t.Context(), jsbox.Call{Tool: "t"}); !fault.Is(err, fault.PermissionRequired) {
		t.Errorf("got %v", err)
	}
}

// A call that is done before its requests are stops them, and waits until they have returned.
func TestFetchesDoNotOutliveTheirCall(t *testing.T) {
	t.Parallel()
	m := load(t, engine(t, jsbox.Config{}), tool(`for (let i = 0; i < 49; i++) ctx.fetch("https://a.example/").catch(() => {}); await ctx.fetch("last"); return 1;`))
	var under atomic.Int64
	result, err := m.Call(t.Context(), jsbox.Call{Tool: "t", Fetch: func(ctx context.Context, q jsbox.FetchRequest) (jsbox.FetchResponse, error) {
		if q.URL == "last" {
			return jsbox.FetchResponse{Status: 200}, nil
		}
		under.Add(1)
		defer under.Add(-1)
		<-ctx.Done()
		return jsbox.FetchResponse{}, ctx.Err()
	}})
	if err != nil || string(result.Output) != "1" || result.Fetches != 50 || under.Load() != 0 {
		t.Errorf("got %s %d %v, %d requests are under way", result.Output, result.Fetches, err, under.Load())
	}
	if diff := cmp.Diff([]string{"49 of the requests had no answer when the tool was done: await each ctx.fetch."}, result.Logs); diff != "" {
		t.Error(diff)
	}
}

// A request that waits longer than the call may take ends with it.
func TestFetchThatNeverAnswers(t *testing.T) {
	t.Parallel()
	m := load(t, engine(t, jsbox.Config{Time: short}), tool(`ctx.log("before"); await ctx.fetch("https://a.example/");`))
	result, err := m.Call(t.Context(), jsbox.Call{Tool: "t", Fetch: func(ctx context.Context, _ jsbox.FetchRequest) (jsbox.FetchResponse, error) {
		<-ctx.Done()
		return jsbox.FetchResponse{}, ctx.Err()
	}})
	if f := fault.From(err); f.Kind != fault.Limit || f.Reason != "time" {
		t.Errorf("got %s", said(err))
	}
	if diff := cmp.Diff([]string{"before"}, result.Logs); diff != "" {
		t.Error(diff)
	}
}
