package jsbox_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"pawl/actions/jsbox"
	"pawl/internal/fault"
)

func TestLoadTakesWhatTheManifestNames(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	tests := []struct {
		name  string
		code  string
		tools []string
	}{
		{name: "no tools", code: `export default {};`},
		{name: "no tools, and some exported", code: `export default { tools: { t: () => 1 } };`},
		{name: "one", code: `export default { tools: { async t(input, ctx) { return 1; } } };`, tools: []string{"t"}},
		{name: "more than the manifest names", code: `export default { tools: { a: () => 1, b: () => 2, c: () => 3 } };`, tools: []string{"a", "c"}},
		{name: "a class with methods", code: `class Tools { t() { return 1; } } export default { tools: new Tools() };`, tools: []string{"t"}},
		{name: "names of the language", code: `export default { tools: { constructor: () => 1, to_string: () => 2 } };`, tools: []string{"constructor", "to_string"}},
		{name: "other exports", code: `export const version = 1; export { x as default }; const x = { tools: {} };`},
		{name: "a byte order mark", code: "\uFEFFexport default {};"},
		{name: "import in text and comments", code: "// import fs from 'fs'\nconst s = `import('fs')`; export default { s };"},
		{name: "top-level await", code: `const x = await Promise.resolve(1); export default { tools: { t: () => x } };`, tools: []string{"t"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := e.Load(t.Context(), "", tt.code, tt.tools)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range m.Tools() {
				if _, err := m.Call(t.Context(), jsbox.Call{Tool: name}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

func TestLoadRefusesBytes(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	tests := []struct {
		name string
		code string
		kind fault.Kind
		want string
	}{
		{name: "too long", code: strings.Repeat(" ", jsbox.MaxCodeBytes+1), kind: fault.TooLarge, want: "size"},
		{name: "no UTF-8", code: "export default {}; // \xff", kind: fault.InvalidInput, want: "encoding"},
		{name: "a null character", code: "export default {};\x00", kind: fault.InvalidInput, want: "syntax"},
		{name: "nothing", code: "", kind: fault.InvalidInput, want: "no_default"},
		{name: "JSON", code: `{"a": 1}`, kind: fault.InvalidInput, want: "syntax"},
		{name: "deep brackets", code: strings.Repeat("(", 500_000), kind: fault.Limit, want: "stack"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := e.Load(t.Context(), "", tt.code, nil)
			if f := fault.From(err); f.Kind != tt.kind || f.Reason != tt.want {
				t.Errorf("got %s", said(err))
			}
		})
	}
}

func TestLoadKeepsModulesByDigest(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{Modules: 2})
	get := func(digest, code string) *jsbox.Module {
		t.Helper()
		m, err := e.Load(t.Context(), digest, code, []string{"t"})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	one := get("1", tool("return 1;"))
	if get("1", tool("return 1;")) != one {
		t.Error("the same digest was loaded twice")
	}
	if m := get("1", tool("return 2;")); m == one || call(t, m, "") != "2" {
		t.Error("other code under the same digest gave the old module")
	}
	if first, second := get("", tool("return 1;")), get("", tool("return 1;")); first == second {
		t.Error("a module without a digest was kept")
	}
	two := get("2", tool("return 2;"))
	get("3", tool("return 3;"))
	if get("2", tool("return 2;")) != two {
		t.Error("a module that was just used went first")
	}
	if call(t, one, "") != "1" {
		t.Error("a module that is no longer kept no longer runs")
	}
	if kept := two.Kept(); kept == 0 || kept > 512<<10 {
		t.Errorf("a small module keeps %d bytes", kept)
	}
}

func TestLoadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	e := engine(t, jsbox.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Load(ctx, "", "for (;;) {}", nil); !fault.Is(err, fault.Cancelled) {
		t.Errorf("got %v", err)
	}
}

// A top level without an end is the module's fault when its time is over, and nobody's when its caller has gone.
func TestATopLevelWithoutAnEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	for _, code := range []string{"for (;;) {}", "\nawait null; for (;;) {}"} {
		_, err := engine(t, jsbox.Config{Time: 100 * time.Millisecond}).Load(t.Context(), "", code, nil)
		if f := fault.From(err); f.Kind != fault.Limit || f.Reason != "time" || f.Where == nil || f.Where.Line == 0 {
			t.Errorf("%q: got %v at %+v", code, err, f.Where)
		}
	}
	if _, err := engine(t, jsbox.Config{}).Load(ctx, "", "for (;;) {}", nil); !fault.Is(err, fault.Timeout) {
		t.Errorf("got %v", err)
	}
}

func TestNewNeedsAFolderForItsCache(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := jsbox.New(jsbox.Config{CacheDir: file}); err == nil {
		t.Error("a file was taken for a folder")
	}
}

// A machine code that somebody damaged is compiled anew.
func TestStartWithADamagedCache(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start := func() {
		t.Helper()
		e, err := jsbox.New(jsbox.Config{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Start(t.Context()); err != nil {
			t.Errorf("start: %v", err)
		}
		if err := e.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	start()
	damage(t, dir)
	start()
}

// damage cuts every file below a folder in half.
func damage(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		path := dir + "/" + entry.Name()
		if entry.IsDir() {
			damage(t, path)
			continue
		}
		info, err := entry.Info()
		if err != nil || os.Truncate(path, info.Size()/2) != nil {
			t.Fatal(err)
		}
	}
}
