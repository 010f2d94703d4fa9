package jsbox_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"pawl/actions/jsbox"
)

// wordCount is the example of the seed.
const wordCount = `export default { tools: { async word_count(input, ctx) { return { words: input.text.split(/\s+/).filter(Boolean).length }; } } };`

const wordCountInput = `{"text":"the quick brown fox jumps over the lazy dog"}`

// measure runs a step and reports its median beside the mean that go test reports.
func measure(b *testing.B, step func() error) {
	b.Helper()
	b.ReportAllocs()
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		if err := step(); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "p50-ns/op")
}

// BenchmarkBare is what the engine alone costs: an instance, a realm, and one script.
func BenchmarkBare(b *testing.B) {
	e := engine(b, jsbox.Config{})
	script := `JSON.stringify({ words: JSON.parse(` + quote(wordCountInput) + `).text.split(/\s+/).filter(Boolean).length })`
	measure(b, func() error { _, err := e.Bare(b.Context(), script); return err })
}

// BenchmarkWarm is a call of a loaded module.
func BenchmarkWarm(b *testing.B) { benchmarkCall(b, wordCount) }

// BenchmarkFresh is a call of a module whose top level asks for the time, so that it is evaluated anew.
func BenchmarkFresh(b *testing.B) { benchmarkCall(b, "const started = Date.now();\n"+wordCount) }

// BenchmarkFetch is a call with one request that is answered at once.
func BenchmarkFetch(b *testing.B) {
	benchmarkCall(b, `export default { tools: { async word_count(input, ctx) { return (await ctx.fetch("https://a.example/")).text; } } };`)
}

// BenchmarkLargeOutput is a call that returns 1,600 objects, nearly 100 KB.
func BenchmarkLargeOutput(b *testing.B) {
	benchmarkCall(b, `
		const all = Array.from({ length: 1600 }, (_, i) => ({ id: i, name: "item " + i, tags: ["a", "b"], ok: true }));
		export default { tools: { word_count: () => all } };`)
}

func benchmarkCall(b *testing.B, code string) {
	e := engine(b, jsbox.Config{})
	m, err := e.Load(b.Context(), "", code, []string{"word_count"})
	if err != nil {
		b.Fatal(err)
	}
	measure(b, func() error { return wordCountCall(b, m) })
}

func wordCountCall(b *testing.B, m *jsbox.Module) error {
	_, err := m.Call(b.Context(), jsbox.Call{Tool: "word_count", Input: json.RawMessage(wordCountInput), Fetch: echo})
	return err
}

// BenchmarkCold is the first call of a module: load it, then call it.
func BenchmarkCold(b *testing.B) {
	e := engine(b, jsbox.Config{})
	measure(b, func() error {
		m, err := e.Load(b.Context(), "", wordCount, []string{"word_count"})
		if err != nil {
			return err
		}
		return wordCountCall(b, m)
	})
}

// BenchmarkStart is a process's first second: the engine comes from the cache of machine code.
func BenchmarkStart(b *testing.B) {
	engine(b, jsbox.Config{})
	measure(b, func() error {
		e, err := jsbox.New(jsbox.Config{CacheDir: os.Getenv(cacheVariable)})
		if err != nil {
			return err
		}
		if err := e.Start(b.Context()); err != nil {
			return err
		}
		return e.Close(b.Context())
	})
}

func quote(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}
