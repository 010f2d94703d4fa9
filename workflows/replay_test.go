package workflows_test

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"pawl/workflows"
)

// Every history that was ever kept must replay with this code: a change that breaks one needs workflow.GetVersion
// (versions.go). Histories are added by go test ./internal/e2e -run Histories -update.
func TestKeptHistoriesReplay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/histories/*.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no histories: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			z, err := gzip.NewReader(f)
			if err != nil {
				t.Fatal(err)
			}
			plain := filepath.Join(t.TempDir(), "history.json")
			out, err := os.Create(plain)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := out.ReadFrom(z); err != nil {
				t.Fatal(err)
			}
			if err := out.Close(); err != nil {
				t.Fatal(err)
			}
			r := worker.NewWorkflowReplayer()
			r.RegisterWorkflowWithOptions(workflows.Run, workflow.RegisterOptions{Name: workflows.RunWorkflow})
			if err := r.ReplayWorkflowHistoryFromJSONFile(nil, plain); err != nil {
				t.Error(err)
			}
		})
	}
}
