package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"pawl/connections/vault"
	"pawl/internal/store/storetest"
)

// binary is the program under test, built once for the process.
func binary() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("pawl-test-%d", os.Getpid()), "pawl")
}

func TestMain(m *testing.M) {
	if err := os.MkdirAll(filepath.Dir(binary()), 0o755); err != nil {
		panic(err)
	}
	build := exec.Command("go", "build", "-o", binary(), ".")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		panic(err)
	}
	storetest.Main(m)
	if err := os.RemoveAll(filepath.Dir(binary())); err != nil {
		panic(err)
	}
}

// installation is pawl serve on a database of its own.
type installation struct {
	t    testing.TB
	dsn  string
	env  []string // of client commands
	link string
}

func install(t testing.TB) *installation {
	t.Helper()
	in := &installation{t: t, dsn: storetest.DSN(t)}
	key, err := vault.NewMasterKey()
	if err != nil {
		t.Fatal(err)
	}
	address := free(t)
	server := []string{"PAWL_DATABASE_URL=" + in.dsn, "PAWL_MASTER_KEY=" + key.Text(), "PAWL_LISTEN=" + address}
	out := run(t, server, "", "migrate", "--admin", "Ana@example.org", "--json")
	var made struct{ Key, SignIn string }
	if err := json.Unmarshal([]byte(strings.ReplaceAll(out.stdout, "sign_in", "SignIn")), &made); err != nil || out.code != 0 {
		t.Fatalf("migrate: %+v %v", out, err)
	}
	in.link = made.SignIn
	in.env = []string{"PAWL_URL=http://" + address, "PAWL_KEY=" + made.Key}
	in.serve(server, address)
	return in
}

func (in *installation) serve(env []string, address string) {
	in.t.Helper()
	cmd := exec.Command(binary(), "serve")
	cmd.Env = env
	log, err := cmd.StderrPipe()
	if err != nil {
		in.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		in.t.Fatal(err)
	}
	ready, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		var seen bytes.Buffer
		buf := make([]byte, 4096)
		told := false
		for {
			n, err := log.Read(buf)
			seen.Write(buf[:n])
			if !told && strings.Contains(seen.String(), "msg=serving") {
				told = true
				close(ready)
			}
			if err != nil {
				if !told {
					in.t.Errorf("the server ended: %s", seen.String())
					close(ready)
				}
				return
			}
		}
	}()
	<-ready
	in.t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			in.t.Error(err)
		}
		<-over
		if err := cmd.Wait(); err != nil {
			in.t.Errorf("stopped by SIGTERM the server exits with %v", err)
		}
	})
}

// free gives an address on which nobody listens now.
func free(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

type result struct {
	stdout, stderr string
	code           int
}

// run runs the program with a standard input that is no terminal.
func run(t testing.TB, env []string, stdin string, args ...string) result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary(), args...)
	cmd.Env = env
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func (in *installation) run(stdin string, args ...string) result {
	in.t.Helper()
	return run(in.t, in.env, stdin, args...)
}

// must runs a command that has to succeed, and gives its standard output.
func (in *installation) must(args ...string) string {
	in.t.Helper()
	r := in.run("", args...)
	if r.code != 0 {
		in.t.Fatalf("pawl %s: %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// file writes a file and gives its name.
func (in *installation) file(name, text string) string {
	in.t.Helper()
	path := filepath.Join(in.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		in.t.Fatal(err)
	}
	return path
}

func (in *installation) sql(statement string, args ...any) {
	in.t.Helper()
	conn, err := pgx.Connect(in.t.Context(), in.dsn)
	if err != nil {
		in.t.Fatal(err)
	}
	defer conn.Close(in.t.Context())
	if _, err := conn.Exec(in.t.Context(), statement, args...); err != nil {
		in.t.Fatal(err)
	}
}

// plugin is a file of the plugin shop.
func plugin(version string) string {
	return fmt.Sprintf(`{"format":"genisys-plugin@1","manifest":{"id":"shop","name":"Shop","version":%q,"description":"Orders.",
		"tools":[],"skills":[],"permissions":{"hosts":[]},"app":{"baseUrl":"https://shop.example.com","auth":"bearer","actions":[
		{"id":"list_orders","name":"List orders","description":"Lists.","method":"GET","path":"/orders","inputs":[]},
		{"id":"create_order","name":"Create order","description":"Creates.","method":"POST","path":"/orders","inputs":[{"id":"title","label":"Title","in":"body","required":true}]}]}},
		"code":"export default {};"}`, version)
}

const document = `{"format":"pawl-automation@1","name":"Orders","steps":[{"id":"a","type":"set","value":{"n":7615917337495251231}}]}`
