package jsbox_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pawl/actions/jsbox"
	"pawl/internal/fault"
)

// TestC126HostileModules runs every module below testdata. Its first line says the fault that it wants; run with -update to
// write what it gets.
//
//   - load: refused when it is loaded;
//   - bad: answered with a fault when it is called;
//   - spin: stopped with a place, in JavaScript that never ends;
//   - native: cut off without a place, inside a built-in or between two jobs.
//
// Cases C126 and C128: what a module does at its top level happens inside the sandbox too, and reaches nothing.
func TestC126HostileModules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		folder string
		config jsbox.Config
		grace  time.Duration
	}{
		{folder: "load", config: jsbox.Config{}},
		{folder: "bad", config: jsbox.Config{}},
		{folder: "spin", config: jsbox.Config{Time: short}, grace: time.Minute},
		{folder: "native", config: jsbox.Config{Time: short}, grace: time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.folder, func(t *testing.T) {
			t.Parallel()
			e := engine(t, tt.config)
			if tt.grace > 0 {
				e.SetGrace(tt.grace)
			}
			files, err := filepath.Glob(filepath.Join("testdata", tt.folder, "*.js"))
			if err != nil || len(files) == 0 {
				t.Fatal(files, err)
			}
			for _, file := range files {
				t.Run(strings.TrimSuffix(filepath.Base(file), ".js"), func(t *testing.T) { hostile(t, e, file) })
			}
			if got := run(t, e, "return 'lives'", ""); got != `"lives"` {
				t.Errorf("afterwards a good module gives %s", got)
			}
		})
	}
}

// hostile runs the module of a file and compares its fault with the first line.
func hostile(t *testing.T, e *jsbox.Engine, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, code, _ := strings.Cut(string(text), "\n")
	want := strings.TrimPrefix(first, "// want: ")
	got := said(outcome(t.Context(), e, code))
	if *update {
		if err := os.WriteFile(file, []byte("// want: "+got+"\n"+code), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Errorf("%s\n got %s\nwant %s", file, got, want)
	}
}

// outcome is the fault of a module with the tool t.
func outcome(ctx context.Context, e *jsbox.Engine, code string) error {
	m, err := e.Load(ctx, "", code, []string{"t"})
	if err != nil {
		return err
	}
	_, err = m.Call(ctx, jsbox.Call{Tool: "t", Input: json.RawMessage("{}"), Stage: jsbox.Test, Fetch: nowhere})
	return err
}

// nowhere refuses every request, as the guarded client does for a host without a grant.
func nowhere(context.Context, jsbox.FetchRequest) (jsbox.FetchResponse, error) {
	return jsbox.FetchResponse{}, fault.New(fault.PermissionRequired, "fetch_host", "ctx.fetch may not reach example.com.")
}
