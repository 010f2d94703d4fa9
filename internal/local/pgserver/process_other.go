//go:build !linux

package pgserver

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
)

// dieWithParent does nothing where there is no such signal; the next start ends a server that survived.
func dieWithParent(*syscall.SysProcAttr) {}

// livesIn says whether the process is a PostgreSQL server that was started on the folder.
func livesIn(pid int, folder string) bool {
	out, err := exec.Command("ps", "-o", "command=", "-p", fmt.Sprint(pid)).Output()
	return err == nil && strings.Contains(string(out), "postgres") && strings.Contains(string(out), folder)
}
