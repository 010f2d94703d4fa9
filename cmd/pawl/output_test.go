package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// into runs the program with standard output into a file.
func into(t *testing.T, out *os.File, env []string, name string, args ...string) (*os.ProcessState, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = env
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState, stderr.String()
}

// printing are commands that succeed and print something; each prints with --json too, but for those that print bytes.
func printing(in *installation) [][]string {
	in.t.Helper()
	in.must("plugin", "push", in.file("shop.json", plugin("1.0.0")))
	in.must("plugin", "promote", "shop", "--to", "preview")
	in.must("plugin", "promote", "shop", "--to", "production")
	in.must("automation", "apply", in.file("orders.json", document))
	in.must("automation", "publish", "orders")
	var started struct{ ID string }
	if err := json.Unmarshal([]byte(in.must("run", "start", "orders", "--json")), &started); err != nil {
		in.t.Fatal(err)
	}
	document := in.file("orders.json", document)
	return [][]string{
		{"plugin", "validate", in.file("good.json", plugin("1.0.0"))},
		{"plugin", "list"},
		{"plugin", "show", "shop"},
		{"plugin", "impact", "shop"},
		{"plugin", "enable", "shop"},
		{"plugin", "export", "shop"},
		{"account", "list"},
		{"grant", "add", "--action", "developer.shop.v1-0-0.create_order"},
		{"grant", "list"},
		{"automation", "validate", document},
		{"automation", "apply", document},
		{"automation", "publish", "orders"},
		{"automation", "list"},
		{"automation", "show", "orders"},
		{"automation", "show", "orders", "--version", "1"},
		{"automation", "diff", "orders"},
		{"run", "start", "orders"},
		{"run", "list"},
		{"run", "show", started.ID},
		{"run", "replay", started.ID},
		{"run", "cancel", started.ID},
		{"catalog"},
		{"key", "create", "more"},
		{"key", "list"},
		{"project", "list"},
		{"audit"},
		{"doctor"},
		{"config"},
		{"vault", "new-key"},
	}
}

// TestALostOutputIsAFailure writes to a device that is full.
func TestALostOutputIsAFailure(t *testing.T) {
	t.Parallel()
	in := install(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for _, args := range printing(in) {
		state, says := into(t, full, in.env, binary(), args...)
		if state.ExitCode() != 1 || strings.Count(says, "no space left on device") != 1 {
			t.Errorf("pawl %s > /dev/full: exit %d, %s", strings.Join(args, " "), state.ExitCode(), says)
		}
		state, says = into(t, full, in.env, binary(), append(args, "--json")...)
		if state.ExitCode() != 1 || !strings.Contains(says, "no space left on device") || !strings.Contains(says, `"reason": "output"`) {
			t.Errorf("pawl %s --json > /dev/full: exit %d, %s", strings.Join(args, " "), state.ExitCode(), says)
		}
	}
	for _, args := range [][]string{{"--help"}, {"run", "--help"}} {
		if state, says := into(t, full, nil, binary(), args...); state.ExitCode() != 1 || !strings.Contains(says, "no space left") {
			t.Errorf("pawl %v > /dev/full: exit %d, %s", args, state.ExitCode(), says)
		}
	}
	server := append([]string{"PAWL_DATABASE_URL=" + in.dsn}, in.env...)
	if state, says := into(t, full, server, binary(), "migrate"); state.ExitCode() != 1 || !strings.Contains(says, "no space left") {
		t.Errorf("pawl migrate > /dev/full: exit %d, %s", state.ExitCode(), says)
	}
	if state, says := into(t, full, in.env, binary(), "run", "show", "none"); state.ExitCode() != 1 || strings.Contains(says, "no space left") {
		t.Errorf("a command that is refused and prints nothing: exit %d, %s", state.ExitCode(), says)
	}
}

// TestABrokenPipeEndsQuietly writes to a pipe whose reader has left, as in pawl run list | head.
func TestABrokenPipeEndsQuietly(t *testing.T) {
	t.Parallel()
	in := install(t)
	in.must("automation", "apply", in.file("orders.json", document))
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"automation", "list"}, {"automation", "list", "--json"}, {"config"}} {
		ignoring := append([]string{"-c", `trap "" PIPE; exec "$@"`, "sh", binary()}, args...)
		for name, args := range map[string][]string{binary(): args, "/bin/sh": ignoring} {
			state, says := into(t, writer, in.env, name, args...)
			if status, ok := state.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGPIPE || says != "" {
				t.Errorf("%s %q: %s, %q, want the end by SIGPIPE without a word", name, args, state, says)
			}
		}
	}
}
