package pgserver_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/internal/fault"
	"pawl/internal/local/pgserver"
)

func start(t *testing.T, c pgserver.Config) *pgserver.Server {
	t.Helper()
	s, err := pgserver.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func ask(t *testing.T, dsn, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var answer string
	if err := conn.QueryRow(t.Context(), sql).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return answer
}

func do(t *testing.T, dsn, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func TestStartsOnAnEmptyFolderAndAgain(t *testing.T) {
	t.Parallel()
	c := pgserver.Config{Dir: filepath.Join(t.TempDir(), "pg")}
	first := start(t, c)
	do(t, first.DSN(), "create table kept (v text); insert into kept values ('yes')")
	if err := first.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := start(t, c)
	if got := ask(t, second.DSN(), "select v from kept"); got != "yes" {
		t.Errorf("after a second start the row reads %q, want yes", got)
	}
}

func TestPoolConnectsThroughTheSocket(t *testing.T) {
	t.Parallel()
	s := start(t, pgserver.Config{Dir: t.TempDir(), Mode: pgserver.Throwaway})
	pool, err := pgxpool.New(t.Context(), s.DSN()+" pool_max_conns=3")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := pool.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := pool.Config().MaxConns; got != 3 {
		t.Errorf("pool_max_conns appended to the DSN gives %d, want 3", got)
	}
}

func TestSettingsThatDurabilityAndPrivacyNeed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		mode pgserver.Mode
		want map[string]string
	}{
		{name: "durable", mode: pgserver.Durable, want: map[string]string{
			"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "listen_addresses": "",
			"jit": "off", "max_connections": "100", "server_encoding": "UTF8", "lc_collate": "C", "data_checksums": "on",
		}},
		{name: "throwaway", mode: pgserver.Throwaway, want: map[string]string{
			"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "listen_addresses": "",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, pgserver.Config{Dir: t.TempDir(), Mode: tt.mode})
			got := map[string]string{}
			for name := range tt.want {
				sql := "select current_setting('" + name + "')"
				if name == "lc_collate" { // a property of the database since PostgreSQL 16
					sql = "select datcollate from pg_database where datname = current_database()"
				}
				got[name] = ask(t, s.DSN(), sql)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSocketFolderIsClosedToOthers(t *testing.T) {
	t.Parallel()
	s := start(t, pgserver.Config{Dir: t.TempDir(), Mode: pgserver.Throwaway})
	for _, dir := range []string{s.SocketDir(), filepath.Dir(s.SocketDir())} {
		st, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := st.Mode().Perm(); got != 0o700 {
			t.Errorf("%s has mode %o, want 700", dir, got)
		}
	}
}

func TestLongDataFolderStillGetsASocket(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long-", 30), "it's \"quoted\" and spaced")
	c := pgserver.Config{Dir: dir, Mode: pgserver.Throwaway}
	s := start(t, c)
	if got := ask(t, s.DSN(), "select 'here'"); got != "here" {
		t.Errorf("got %q", got)
	}
	socket := s.SocketDir()
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary socket folder %s is still there after Stop: %v", socket, err)
	}
}

func TestFolderServesOneHolder(t *testing.T) {
	t.Parallel()
	c := pgserver.Config{Dir: t.TempDir(), Mode: pgserver.Throwaway}
	first := start(t, c)
	_, err := pgserver.Start(t.Context(), c)
	var f *fault.Error
	if !errors.As(err, &f) || f.Reason != "data_in_use" || !strings.Contains(f.Message, "process "+strconv.Itoa(os.Getpid())) {
		t.Errorf("a second start on the folder gives %v, want data_in_use that names the holder", err)
	}
	if got := ask(t, first.DSN(), "select 'fine'"); got != "fine" {
		t.Errorf("the first server answers %q after that", got)
	}
}

func TestStartAfterKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	holder, pid := startHolder(t, dir, 0)
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait() // killed
	s := start(t, pgserver.Config{Dir: dir})
	if got := ask(t, s.DSN(), "select v from kept"); got != "committed" {
		t.Errorf("after kill -9 the committed row reads %q", got)
	}
	if s.PID() == pid {
		t.Errorf("the server of the killed process was taken over, want a new one")
	}
}

func TestSurvivingServerIsStoppedFirst(t *testing.T) {
	t.Parallel()
	c := pgserver.Config{Dir: t.TempDir()}
	first := start(t, c)
	do(t, first.DSN(), "create table kept (v text); insert into kept values ('yes')")
	if err := pgserver.Abandon(first); err != nil {
		t.Fatal(err)
	}
	second := start(t, c)
	<-first.Done()
	if got := ask(t, second.DSN(), "select v from kept"); got != "yes" {
		t.Errorf("the row reads %q, want yes", got)
	}
}

func TestPidFileThatNamesAStranger(t *testing.T) {
	t.Parallel()
	c := pgserver.Config{Dir: t.TempDir()}
	if err := start(t, c).Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	stranger := exec.Command("sleep", "1000")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Process.Kill(); _ = stranger.Wait() }()
	file := filepath.Join(c.Dir, "data", "postmaster.pid")
	if err := os.WriteFile(file, []byte(strconv.Itoa(stranger.Process.Pid)+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := start(t, c)
	if got := ask(t, s.DSN(), "select 'up'"); got != "up" {
		t.Errorf("got %q", got)
	}
	if err := stranger.Process.Signal(os.Signal(sigZero)); err != nil {
		t.Errorf("the process that the stale pid file named was ended: %v", err)
	}
}

func TestWhatCannotStartSaysHowToMendIt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		file   string // relative to the server's folder
		text   string
		bin    string
		reason string
		says   string
	}{
		{name: "made by an older version", file: "data/PG_VERSION", text: "9\n", reason: "postgres_version", says: "pg_upgrade"},
		{name: "data folder without a database", file: "data/notes.txt", text: "x", reason: "postgres_damaged", says: "backup"},
		{name: "named folder without programs", bin: "/nonexistent/bin", reason: "postgres_missing", says: "PAWL_POSTGRES_BIN"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tt.file != "" {
				file := filepath.Join(dir, tt.file)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := pgserver.Start(t.Context(), pgserver.Config{Dir: dir, BinDir: tt.bin})
			var f *fault.Error
			if !errors.As(err, &f) || f.Reason != tt.reason || !strings.Contains(f.Message, tt.says) {
				t.Errorf("got %v, want reason %s and a sentence with %q", err, tt.reason, tt.says)
			}
			if tt.file != "" {
				b, err := os.ReadFile(filepath.Join(dir, tt.file))
				if err != nil || string(b) != tt.text {
					t.Errorf("the refused start changed %s: %q, %v", tt.file, b, err)
				}
			}
		})
	}
}

func TestInterruptedSetUpBeginsAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "data.unfinished", "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := start(t, pgserver.Config{Dir: dir, Mode: pgserver.Throwaway})
	if got := ask(t, s.DSN(), "select 'up'"); got != "up" {
		t.Errorf("got %q", got)
	}
}

func TestCancelledStartLeavesAFreeFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pgserver.Start(ctx, pgserver.Config{Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	start(t, pgserver.Config{Dir: dir, Mode: pgserver.Throwaway})
}

func TestRunsForAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "pawl-user-") // t.TempDir lies in a folder that only its maker can enter
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	uid := ordinaryUser(t, dir)
	holder, _ := startHolder(t, dir, uid)
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait() // killed
	s := start(t, pgserver.Config{Dir: dir})
	if got := ask(t, s.DSN(), "select v from kept"); got != "committed" {
		t.Errorf("the row that the ordinary user committed reads %q", got)
	}
}

// startHolder runs this test program as another process that holds a server on dir, and returns once it has
// committed a row there. A uid other than 0 runs it as that user.
func startHolder(t *testing.T, dir string, uid int) (holder *exec.Cmd, serverPID int) {
	t.Helper()
	cmd := exec.Command(self(t))
	cmd.Env = append(os.Environ(), "PAWL_TEST_HOLD="+dir)
	cmd.Dir = "/"
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = runAs(uid)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the holder did not start: %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return cmd, pid
}
