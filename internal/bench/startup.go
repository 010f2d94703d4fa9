package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// idleAfter is how long a started pawl-local is left alone before its memory is read.
const idleAfter = 5 * time.Second

// startup measures pawl-local as people start it: the time until it is ready, the first time on an empty folder and the
// second time, and the memory that it holds while it does nothing.
func (b *bench) startup(ctx context.Context) error {
	if !b.wants("startup") && !b.wants("memory_idle") {
		return nil
	}
	bin := filepath.Join(b.world.dir, "pawl-local")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, "./cmd/pawl-local").CombinedOutput(); err != nil {
		return fmt.Errorf("build pawl-local: %w\n%s", err, out)
	}
	data := filepath.Join(b.world.dir, "startup")
	for _, name := range []string{"startup_first", "startup_second"} {
		took, idle, err := startOnce(ctx, bin, data)
		if err != nil {
			return err
		}
		b.report(name, took.Seconds()*1000, "ms", "lower")
		if name == "startup_second" {
			b.report("memory_idle", idle, "MB", "lower")
		}
	}
	return nil
}

func startOnce(ctx context.Context, bin, data string) (took time.Duration, idleMB float64, err error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(ctx, bin, "--data", data, "--listen", address)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "Pawl is ready") {
			took = time.Since(began)
			break
		}
	}
	if took > 0 {
		time.Sleep(idleAfter)
		idleMB = residentMB(cmd.Process.Pid)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	if err := cmd.Wait(); err != nil || took == 0 {
		return 0, 0, fmt.Errorf("pawl-local did not start or stop as it should: %w", err)
	}
	return took, idleMB, nil
}

func freeAddress(ctx context.Context) (string, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer ln.Close()
	return ln.Addr().String(), nil
}
