package wasm_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"pawl/actions/jsbox/wasm"
	"pawl/internal/fault"
)

func TestQuickJSIsTheOneThatWasChosen(t *testing.T) {
	t.Parallel()
	code, err := wasm.QuickJS()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(code), "\x00asm") {
		t.Error("this is no WebAssembly")
	}
	script, err := os.ReadFile("take.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(script), "'"+wasm.Digest+"'") {
		t.Error("take.mjs checks another digest")
	}
}

func TestAMissingOrChangedEngineIsRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files fstest.MapFS
		want  string
	}{
		{name: "missing", files: fstest.MapFS{"dist/.gitkeep": {}}, want: "engine_missing"},
		{name: "changed", files: fstest.MapFS{"dist/quickjs.wasm": {Data: []byte("\x00asm")}}, want: "engine_changed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := wasm.Read(tt.files)
			f := fault.From(err)
			if f.Kind != fault.SandboxUnavailable || f.Reason != tt.want || !strings.Contains(f.Message, "make sandbox") {
				t.Errorf("got %v", err)
			}
		})
	}
}
