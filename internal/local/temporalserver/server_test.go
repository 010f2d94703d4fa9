package temporalserver_test

import (
	"bufio"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"pawl/internal/local/temporalserver"
)

func start(t *testing.T, c temporalserver.Config) *temporalserver.Server {
	t.Helper()
	c.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	s, err := temporalserver.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func dial(t *testing.T, s *temporalserver.Server) client.Client {
	t.Helper()
	c, err := client.DialContext(t.Context(), client.Options{
		HostPort: s.HostPort(), Namespace: temporalserver.Namespace,
		Logger: quiet(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// greet is a workflow with an activity, which goes through all services.
func greet(ctx workflow.Context, name string) (greeting string, err error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 1e10})
	err = workflow.ExecuteActivity(ctx, "hello", name).Get(ctx, &greeting)
	return greeting, err
}

func hello(name string) (string, error) { return "hello " + name, nil }

// work starts a worker for greet, which stops with the test.
func work(t *testing.T, c client.Client) {
	t.Helper()
	w := worker.New(c, "queue", worker.Options{})
	w.RegisterWorkflow(greet)
	w.RegisterActivity(hello)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
}

func run(t *testing.T, c client.Client, id string) string {
	t.Helper()
	r, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: "queue", EnableEagerStart: true}, greet, id)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if err := r.Get(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestRunsAWorkflow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		tuning temporalserver.Tuning
	}{{name: "tuned", tuning: temporalserver.Tuned}, {name: "defaults", tuning: temporalserver.Defaults}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, temporalserver.Config{File: filepath.Join(t.TempDir(), "temporal.db"), Tuning: tt.tuning})
			c := dial(t, s)
			work(t, c)
			if got := run(t, c, "world"); got != "hello world" {
				t.Errorf("got %q", got)
			}
			if s.SetAside != "" {
				t.Errorf("a new file was set aside as %s: %s", s.SetAside, s.Why)
			}
		})
	}
}

// TestSettingsAreInForce reads back what the server's own connection reported when it stamped the file.
func TestSettingsAreInForce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "with space & 100%?.db")
	start(t, temporalserver.Config{File: file})
	db, err := sql.Open("sqlite", "file:"+strings.NewReplacer("%", "%25", "?", "%3f").Replace(file)+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var connection, inFile string
	var synchronous int
	err = db.QueryRow("select p.journal_mode, p.synchronous, j.journal_mode from pawl_file p, pragma_journal_mode j").
		Scan(&connection, &synchronous, &inFile)
	if err != nil || connection != "wal" || synchronous != 1 || inFile != "wal" {
		t.Errorf("journal_mode %q (in the file %q), synchronous %d, %v; want wal, wal, 1", connection, inFile, synchronous, err)
	}
}

func TestSecondStartGoesOn(t *testing.T) {
	t.Parallel()
	config := temporalserver.Config{File: filepath.Join(t.TempDir(), "temporal.db")}
	first := start(t, config)
	c := dial(t, first)
	if _, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "kept", TaskQueue: "queue"}, greet, "again"); err != nil {
		t.Fatal(err)
	}
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	second := start(t, config)
	if second.SetAside != "" {
		t.Fatalf("the file of a stopped server was set aside: %s", second.Why)
	}
	c = dial(t, second)
	work(t, c)
	var got string
	if err := c.GetWorkflow(t.Context(), "kept", "").Get(t.Context(), &got); err != nil || got != "hello again" {
		t.Errorf("the workflow that was started before the restart gives %q, %v", got, err)
	}
}

func TestStartAfterKill(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "temporal.db")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	holder := exec.CommandContext(t.Context(), self)
	holder.Env = append(os.Environ(), "PAWL_TEST_HOLD="+file)
	holder.Stderr = t.Output()
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the holder says %q, %v", line, err)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait() // killed
	s := start(t, temporalserver.Config{File: file})
	if s.SetAside != "" {
		t.Fatalf("the file of a killed server was set aside: %s", s.Why)
	}
	c := dial(t, s)
	work(t, c)
	var got string
	if err := c.GetWorkflow(t.Context(), "kept", "").Get(t.Context(), &got); err != nil || got != "hello again" {
		t.Errorf("the workflow that was started before kill -9 gives %q, %v", got, err)
	}
}

func TestTwoServersOnOneMachine(t *testing.T) {
	t.Parallel()
	a := start(t, temporalserver.Config{File: filepath.Join(t.TempDir(), "temporal.db")})
	b := start(t, temporalserver.Config{File: filepath.Join(t.TempDir(), "temporal.db")})
	ca, cb := dial(t, a), dial(t, b)
	work(t, ca)
	work(t, cb)
	if got := run(t, ca, "one") + ", " + run(t, cb, "two"); got != "hello one, hello two" {
		t.Errorf("got %q", got)
	}
	if _, err := cb.DescribeWorkflowExecution(t.Context(), "one", ""); err == nil {
		t.Error("the second server knows the first one's workflow")
	}
}

func TestUnusableFileIsSetAside(t *testing.T) {
	t.Parallel()
	good := filepath.Join(t.TempDir(), "temporal.db")
	if err := start(t, temporalserver.Config{File: good}).Stop(); err != nil {
		t.Fatal(err)
	}
	fold(t, good)
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		file []byte
		sql  string
		want string // part of the reason
	}{
		{name: "empty", file: nil, want: "can't be read"},
		{name: "not a database", file: []byte(strings.Repeat("not a database\n", 1000)), want: "can't be read"},
		{name: "truncated", file: whole[:len(whole)/2], want: "malformed"},
		{name: "overwritten in the middle", file: overwrite(whole), want: "malformed"},
		{name: "last page lost", file: whole[:len(whole)-4096], want: "malformed"},
		{name: "of an older version", file: whole, sql: "update pawl_file set made_by = 'temporal 1.2.3'", want: "temporal 1.2.3"},
		{name: "of content that the server can't read", file: whole, sql: "update cluster_metadata_info set data = x'00ff00ff'", want: "does not start"},
		{name: "never finished", file: whole, sql: "drop table pawl_file", want: "can't be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "temporal.db")
			if err := os.WriteFile(file, tt.file, 0o600); err != nil {
				t.Fatal(err)
			}
			change(t, file, tt.sql)
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := start(t, temporalserver.Config{File: file})
			if !strings.HasPrefix(s.SetAside, file+".aside-") || !strings.Contains(s.Why, tt.want) {
				t.Fatalf("set aside as %q because %q, want because %q", s.SetAside, s.Why, tt.want)
			}
			after, err := os.ReadFile(s.SetAside)
			if err != nil || string(after) != string(before) {
				t.Errorf("what was set aside is not what was there (%v)", err)
			}
			c := dial(t, s)
			work(t, c)
			if got := run(t, c, "anew"); got != "hello anew" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestFileDeletedBetweenStarts(t *testing.T) {
	t.Parallel()
	config := temporalserver.Config{File: filepath.Join(t.TempDir(), "temporal.db")}
	first := start(t, config)
	c := dial(t, first)
	if _, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "lost", TaskQueue: "queue"}, greet, "x"); err != nil {
		t.Fatal(err)
	}
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, tail := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(config.File + tail); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	second := start(t, config)
	c = dial(t, second)
	if _, err := c.DescribeWorkflowExecution(t.Context(), "lost", ""); err == nil {
		t.Error("the new file knows the workflow of the deleted one")
	}
	work(t, c)
	if got := run(t, c, "anew"); got != "hello anew" {
		t.Errorf("got %q", got)
	}
}

func TestFolderThatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := temporalserver.Start(t.Context(), temporalserver.Config{File: filepath.Join(t.TempDir(), "none", "temporal.db")})
	if err == nil || !strings.Contains(err.Error(), "make the file of Temporal") {
		t.Errorf("got %v", err)
	}
}

// fold moves what stands in the write-ahead log into the file itself.
func fold(t *testing.T, file string) {
	t.Helper()
	change(t, file, "pragma wal_checkpoint(truncate)")
}

func change(t *testing.T, file, statement string) {
	t.Helper()
	if statement == "" {
		return
	}
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("pragma wal_checkpoint(truncate)"); err != nil {
		t.Fatal(err)
	}
}

func overwrite(whole []byte) []byte {
	b := []byte(string(whole))
	for i := len(b) / 3; i < len(b)*2/3; i++ {
		b[i] = 0xa5
	}
	return b
}
