// Command withpostgres runs a command with one throw-away PostgreSQL, named to it in PAWL_TEST_DATABASE_URL, so
// that the tests of many packages share a server instead of starting one each:
//
//	go run ./internal/store/storetest/withpostgres go test ./...
//
// It exits as the command does. When the variable is set already, it only runs the command.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"pawl/internal/local/pgserver"
	"pawl/internal/store/storetest"
)

// failed is the exit status when the command could not be run at all, as the shell has it.
const failed = 127

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
	}
	os.Exit(code)
}

func run(args []string) (code int, err error) {
	ctx := context.Background()
	if len(args) == 0 {
		return 2, errors.New("name the command to run, as in: withpostgres go test")
	}
	if os.Getenv(storetest.URL) != "" {
		return execute(ctx, args)
	}
	dir, err := os.MkdirTemp("", "pawl-withpostgres-")
	if err != nil {
		return failed, err
	}
	defer os.RemoveAll(dir)
	s, err := pgserver.Start(ctx, pgserver.Config{
		Dir: dir, BinDir: os.Getenv("PAWL_POSTGRES_BIN"), DownloadDir: storetest.DownloadDir(), Mode: pgserver.Throwaway,
	})
	if err != nil {
		return failed, err
	}
	defer func() { _ = s.Stop(ctx) }() // the folder is thrown away
	return execute(ctx, args, storetest.URL+"="+s.DatabaseDSN("postgres"))
}

// execute passes signals for us on to the command, so that we are still there to stop the server.
func execute(ctx context.Context, args []string, env ...string) (code int, err error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return failed, err
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s) // it fails only when the command has ended
		}
	}()
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}
