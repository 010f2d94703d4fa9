package jsbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actions/jsbox"
	"pawl/internal/fault"
)

// Case C124, for JavaScript: nothing of the process is there to read. Case C128: what counts is what can be reached.
func TestC124NothingOfTheProcessIsThere(t *testing.T) {
	const canary = "canary-7f1d"
	t.Setenv("PAWL_TEST_CANARY", canary)
	e := engine(t, jsbox.Config{})
	got := run(t, e, `
		const seen = [];
		const names = ["process", "require", "module", "Deno", "Bun", "fetch", "XMLHttpRequest", "WebSocket", "Worker", "importScripts",
			"localStorage", "indexedDB", "caches", "document", "window", "self", "performance", "SharedArrayBuffer", "Atomics",
			"WebAssembly", "std", "os", "scriptArgs", "print", "load", "gc", "__genisys", "__random", "__params"];
		for (const name of names) if (name in globalThis) seen.push(name);
		const walked = new Set();
		let text = "";
		const walk = (value, depth) => {
			if ((typeof value !== "object" && typeof value !== "function") || value === null || walked.has(value) || depth > 12) return;
			walked.add(value);
			for (const key of Reflect.ownKeys(value)) {
				const d = Reflect.getOwnPropertyDescriptor(value, key);
				if (d === undefined) continue;
				text += String(key) + " " + (typeof d.value === "string" ? d.value : "") + "\n";
				for (const next of [d.value, d.get, d.set]) walk(next, depth + 1);
			}
			walk(Object.getPrototypeOf(value), depth + 1);
		};
		walk(globalThis, 0);
		walk(ctx, 0);
		walk((async () => {}).constructor, 0);
		walk((function* () {}).constructor, 0);
		return { seen, canary: text.includes(input.part + "-7f1d"), walked: walked.size > 500 };
	`, `{"part":"canary"}`)
	if diff := cmp.Diff(`{"seen":[],"canary":false,"walked":true}`, got); diff != "" {
		t.Error(diff)
	}
}

// The frames of a stack are no way to the functions of the harness.
func TestStacksGiveNoFunctions(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	got := run(t, e, `
		Error.prepareStackTrace = (_, frames) => frames;
		const { stack } = new Error("x");
		return [typeof stack, typeof Error.captureStackTrace, (function () { try { return arguments.callee.caller; } catch { return null; } })()];
	`, "")
	if diff := cmp.Diff(`["string","undefined",null]`, got); diff != "" {
		t.Error(diff)
	}
}

func TestNothingStaysForTheNextCall(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	m := load(t, e, `
		let calls = 0;
		const kept = [];
		export default { tools: { async t(input, ctx) {
			const found = [calls++, kept.length, globalThis.left, [].left, JSON.stringify({}), typeof Math.random, Error.left];
			kept.push(1);
			globalThis.left = Object.prototype.left = Error.left = "left";
			JSON.stringify = () => '"forged"';
			Math.random = 1;
			return found.map((v) => v === undefined ? null : v);
		} } };
	`)
	for range 3 {
		if diff := cmp.Diff(`[0,0,null,null,"{}","function",null]`, call(t, m, "")); diff != "" {
			t.Error(diff)
		}
	}
}

// A module that breaks the harness of its realm only breaks its own call.
func TestPoisonedBuiltinsHarmTheirCallOnly(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	m := load(t, e, `
		const { ownKeys } = Reflect;
		const all = [Object, Array, String, Number, Function, Promise, Map, Symbol, RegExp, JSON, Reflect, Error, Math];
		const poison = (target) => {
			const names = target === undefined ? [] : ownKeys(target);
			for (let i = 0; i < names.length; i++) {
				try { if (typeof target[names[i]] === "function" && names[i] !== "constructor") target[names[i]] = () => { throw "poisoned"; }; } catch {}
			}
		};
		for (let i = 0; i < all.length; i++) { poison(all[i].prototype); poison(all[i]); }
		export default { tools: { t: () => ({ a: [1, "b"] }) } };
	`)
	if diff := cmp.Diff(`{"a":[1,"b"]}`, call(t, m, "")); diff != "" {
		t.Error(diff)
	}
}

func TestTheTopLevelRunsForEachCallWhereItIsNotTheSameEachTime(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	tests := []struct {
		name string
		top  string
		want bool
	}{
		{name: "nothing", top: ``},
		{name: "a table", top: `const table = new Map([["a", /x/g]]);`},
		{name: "a fixed date", top: `const epoch = new Date(2020, 1, 1).getTime();`},
		{name: "the clock", top: `const started = Date.now();`, want: true},
		{name: "the present date", top: `const today = new Date();`, want: true},
		{name: "a random number", top: `const seed = Math.random();`, want: true},
		{name: "random bytes", top: `const id = crypto.randomUUID();`, want: true},
		{name: "a timer", top: `await new Promise((r) => setTimeout(r, 1));`, want: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := load(t, e, tt.top+"\n"+tool(`return 1;`))
			if m.Fresh() != tt.want {
				t.Errorf("evaluated anew: %v, want %v", m.Fresh(), tt.want)
			}
			call(t, m, "")
		})
	}
}

func TestRandomNumbersDiffer(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	for _, top := range []string{"", "Math.random();\n"} {
		m := load(t, e, top+tool(`return [Math.random(), Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint32Array(2))].join()];`))
		seen := make(map[any]bool)
		for range 20 {
			var got []any
			if err := json.Unmarshal([]byte(call(t, m, "")), &got); err != nil {
				t.Fatal(err)
			}
			for _, v := range got {
				if seen[v] {
					t.Errorf("%v came twice", v)
				}
				if n, ok := v.(float64); ok && (n < 0 || n >= 1) {
					t.Errorf("%v is no random number", n)
				}
				seen[v] = true
			}
		}
	}
}

// zeros is a source of randomness that tests can foresee.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(i + 1)
	}
	return len(p), nil
}

func TestRandomComesFromTheConfiguration(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{Random: zeros{}})
	got := run(t, e, `return [crypto.randomUUID(), Math.random() === 0];`, "")
	if diff := cmp.Diff(`["01020304-0506-4708-890a-0b0c0d0e0f10",false]`, got); diff != "" {
		t.Error(diff)
	}
}

// Thirty-two calls at once, some of them hostile, give each its own result.
func TestManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{Concurrency: 8})
	good := load(t, e, tool(`
		const answer = await ctx.fetch("https://a.example/" + input.n);
		globalThis.n = (globalThis.n ?? 0) + input.n;
		return [globalThis.n, answer.text];
	`))
	bad := load(t, e, tool(`const keep = []; for (;;) keep.push(new Uint8Array(1e6));`))
	var group sync.WaitGroup
	for n := range 32 {
		group.Go(func() {
			if n%8 == 7 {
				if _, err := bad.Call(t.Context(), jsbox.Call{Tool: "t"}); !fault.Is(err, fault.Limit) {
					t.Errorf("the hostile call gives %v", err)
				}
				return
			}
			result, err := good.Call(t.Context(), jsbox.Call{Tool: "t", Input: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n)), Fetch: echo})
			if want := fmt.Sprintf(`[%d,"GET https://a.example/%d"]`, n, n); err != nil || string(result.Output) != want {
				t.Errorf("got %s %v, want %s", result.Output, err, want)
			}
		})
	}
	group.Wait()
	if out := e.Out(); out != 0 {
		t.Errorf("%d memories are still in use", out)
	}
}

// echo answers a request with itself.
func echo(_ context.Context, q jsbox.FetchRequest) (jsbox.FetchResponse, error) {
	text := q.Method + " " + q.URL
	if q.Body != nil {
		text += " " + *q.Body
	}
	return jsbox.FetchResponse{Status: 200, Headers: q.Headers, Text: text}, nil
}

// However a call ends, its memory is given back.
func TestNoMemoryStays(t *testing.T) {
	e := engine(t, jsbox.Config{Time: short, Concurrency: 2})
	e.SetGrace(1)
	bodies := []string{
		`return 1;`, `throw 1;`, `for (;;) {}`, `return new Array(2 ** 32 - 2).reverse();`, `await new Promise(() => {});`,
		`return new Uint8Array(30 * 2 ** 20).length;`, `const keep = []; for (;;) keep.push(new Uint8Array(1e6));`,
	}
	for _, body := range bodies {
		_ = outcome(t.Context(), e, tool(body))
		if out := e.Out(); out != 0 {
			t.Errorf("after %s %d memories are in use", body, out)
		}
	}
	m := load(t, e, tool(`return new Uint8Array(1e6).length;`))
	before := heap()
	for range 300 {
		call(t, m, "")
	}
	if grown := int64(heap()) - int64(before); grown > 4<<20 {
		t.Errorf("300 calls left %d bytes", grown)
	}
	if free := e.Free(); free != 1 {
		t.Errorf("%d memories are kept for the next call", free)
	}
}

// heap is what Go holds after collecting garbage.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// While a module spins inside a built-in, Go can collect garbage: it would otherwise wait for the engine to come back,
// which a built-in over a huge list never does. The test ends because the collections do, and then stops the module.
func TestGarbageIsCollectedWhileAModuleSpins(t *testing.T) {
	e := engine(t, jsbox.Config{})
	m := load(t, e, tool(`await ctx.fetch("https://a.example/"); return new Array(2 ** 32 - 2).reverse();`))
	ctx, cancel := context.WithCancel(t.Context())
	spinning, done := make(chan struct{}), make(chan error)
	go func() {
		_, err := m.Call(ctx, jsbox.Call{Tool: "t", Fetch: func(context.Context, jsbox.FetchRequest) (jsbox.FetchResponse, error) {
			close(spinning)
			return jsbox.FetchResponse{Status: 200}, nil
		}})
		done <- err
	}()
	<-spinning
	for range 3 {
		runtime.GC()
	}
	cancel()
	if err := <-done; !fault.Is(err, fault.Cancelled) {
		t.Errorf("got %v", err)
	}
}

func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	e, err := jsbox.New(jsbox.Config{CacheDir: os.Getenv(cacheVariable), Concurrency: 2})
	if err != nil {
		t.Fatal(err)
	}
	m := load(t, e, tool(`await ctx.fetch("https://a.example/"); for (;;) {}`))
	started, done := make(chan struct{}), make(chan error)
	go func() {
		_, err := m.Call(t.Context(), jsbox.Call{Tool: "t", Fetch: func(ctx context.Context, _ jsbox.FetchRequest) (jsbox.FetchResponse, error) {
			close(started)
			<-ctx.Done()
			return jsbox.FetchResponse{}, ctx.Err()
		}})
		done <- err
	}()
	<-started
	if err := e.Close(t.Context()); err != nil {
		t.Error(err)
	}
	_, later := m.Call(t.Context(), jsbox.Call{Tool: "t"})
	_, loading := e.Load(t.Context(), "", tool(""), []string{"t"})
	for _, err := range []error{<-done, later, loading} {
		if f := fault.From(err); f.Kind != fault.SandboxUnavailable || f.Reason != "closed" {
			t.Errorf("got %s", said(err))
		}
	}
	if err := e.Close(t.Context()); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}

// Calls wait for room; one that waits ends with its context.
func TestConcurrencyIsBounded(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{Concurrency: 1})
	m := load(t, e, tool(`return (await ctx.fetch("https://a.example/")).text;`))
	inside, leave, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		_, err := m.Call(t.Context(), jsbox.Call{Tool: "t", Fetch: func(context.Context, jsbox.FetchRequest) (jsbox.FetchResponse, error) {
			close(inside)
			<-leave
			return jsbox.FetchResponse{Status: 200}, nil
		}})
		done <- err
	}()
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Call(ctx, jsbox.Call{Tool: "t"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a second call gives %v", err)
	}
	close(leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := call(t, load(t, e, tool(`return 2;`)), ""); got != "2" {
		t.Error(strings.TrimSpace(got))
	}
}
