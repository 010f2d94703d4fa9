package pgserver_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"pawl/internal/local/pgserver"
)

const sigZero = syscall.Signal(0)

// TestMain turns this program into the holder of a server when a test asks for one in another process.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PAWL_TEST_HOLD"); dir != "" {
		if err := hold(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// hold starts a server, commits a row, prints the server's process id and waits to be killed.
func hold(dir string) error {
	ctx := context.Background()
	s, err := pgserver.Start(ctx, pgserver.Config{Dir: dir})
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, s.DSN())
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "create table kept (v text); insert into kept values ('committed')"); err != nil {
		return err
	}
	fmt.Println(s.PID())
	<-s.Done()
	return nil
}

// ordinaryUser gives the folder to a user without rights and returns its id: nobody when this is root, else 0 for
// the user that runs the tests.
func ordinaryUser(t *testing.T, dir string) int {
	t.Helper()
	if os.Geteuid() != 0 {
		return 0
	}
	const nobody = 65534
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	return nobody
}

func runAs(uid int) *syscall.SysProcAttr {
	if uid == 0 {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
}

// self is this test program, by a name that a user can start who can't walk to its folder.
func self(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "linux" {
		return "/proc/self/exe"
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
