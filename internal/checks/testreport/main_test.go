package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "testreport")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	const passing = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}
`
	tests := []struct {
		name  string
		files map[string]string
		code  int
		want  string
	}{
		{
			name:  "all passed, in both formats",
			files: map[string]string{"go.json": passing, "ui.json": `{"testResults":[{"name":"a.test.ts","status":"passed","assertionResults":[{"fullName":"adds","status":"passed"}]}]}`},
			code:  0,
			want:  "2 passed, 0 failed\n",
		},
		{
			name:  "a package without tests is no skipped test",
			files: map[string]string{"go.json": passing + `{"Action":"skip","Package":"q"}` + "\n"},
			code:  0,
			want:  "1 passed, 0 failed\n",
		},
		{
			name:  "a skipped Go test fails the run",
			files: map[string]string{"go.json": passing + `{"Action":"skip","Package":"p","Test":"TestB"}` + "\n"},
			code:  1,
			want:  "skipped: p.TestB\n1 passed, 0 failed, 1 skipped\n",
		},
		{
			name:  "a skipped UI test fails the run",
			files: map[string]string{"go.json": passing, "e2e.json": `{"testResults":[{"name":"a.ts","status":"passed","assertionResults":[{"fullName":"later","status":"todo"}]}]}`},
			code:  1,
			want:  "skipped: a.ts later\n1 passed, 0 failed, 1 skipped\n",
		},
		{
			name:  "a failed test counts once, its package does not",
			files: map[string]string{"go.json": passing + `{"Action":"fail","Package":"q","Test":"TestC"}` + "\n" + `{"Action":"fail","Package":"q"}` + "\n"},
			code:  1,
			want:  "failed:  q.TestC\n1 passed, 1 failed\n",
		},
		{
			name:  "what does not compile or load is a failure",
			files: map[string]string{"go.json": passing + `{"Action":"fail","Package":"q","FailedBuild":"q"}` + "\n", "ui.json": `{"testResults":[{"name":"b.ts","status":"failed","assertionResults":[]}]}`},
			code:  1,
			want:  "failed:  q\nfailed:  b.ts\n1 passed, 2 failed\n",
		},
		{
			name:  "no report at all",
			files: nil,
			code:  1,
			want:  "no test ran\n0 passed, 0 failed\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for name, text := range test.files {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(program, folder)
			out, _ := cmd.Output()
			if diff := cmp.Diff(test.want, string(out)); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
			if got := cmd.ProcessState.ExitCode(); got != test.code {
				t.Errorf("exit code: got %d, want %d", got, test.code)
			}
		})
	}
}
