package jsbox_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pawl/actions/jsbox"
	"pawl/internal/fault"
)

var update = flag.Bool("update", false, "write what the sandbox says into testdata")

// cacheVariable names the folder where the engines of one test run share their machine code.
const cacheVariable = "PAWL_TEST_JSBOX_CACHE"

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "jsbox")
	if err != nil {
		panic(err)
	}
	if err := os.Setenv(cacheVariable, dir); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	if err := goleak.Find(); err != nil && code == 0 {
		os.Stderr.WriteString(err.Error() + "\n")
		code = 1
	}
	os.Exit(code)
}

// engine starts an engine that ends with the test.
func engine(t testing.TB, config jsbox.Config) *jsbox.Engine {
	t.Helper()
	config.CacheDir = os.Getenv(cacheVariable)
	e, err := jsbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

// tool wraps the body of a function into a module with the one tool t.
func tool(body string) string {
	return "export default { tools: { async t(input, ctx) {\n" + body + "\n} } };\n"
}

// load loads a module with the one tool t.
func load(t testing.TB, e *jsbox.Engine, code string) *jsbox.Module {
	t.Helper()
	m, err := e.Load(t.Context(), "", code, []string{"t"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// call calls the tool t and gives its output as text.
func call(t testing.TB, m *jsbox.Module, input string) string {
	t.Helper()
	result, err := m.Call(t.Context(), jsbox.Call{Tool: "t", Input: json.RawMessage(input), Stage: jsbox.Test})
	if err != nil {
		t.Fatal(err)
	}
	return string(result.Output)
}

// run loads and calls a body.
func run(t testing.TB, e *jsbox.Engine, body, input string) string {
	t.Helper()
	return call(t, load(t, e, tool(body)), input)
}

// said is the public form of a fault, as it is stored.
func said(err error) string {
	if err == nil {
		return "no fault"
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(fault.From(err)); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

// short is a time that a test waits for: a limit of the product, made small.
const short = 300 * time.Millisecond
