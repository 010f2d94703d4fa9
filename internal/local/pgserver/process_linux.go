package pgserver

import (
	"fmt"
	"os"
	"syscall"
)

// dieWithParent asks for SIGQUIT, PostgreSQL's immediate shutdown: after SIGKILL its own children would linger.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGQUIT }

// livesIn says whether the process works in the folder, as a PostgreSQL server does in its data folder. A process
// id alone proves nothing: it may have been given to another program since.
func livesIn(pid int, folder string) bool {
	cwd, err := os.Stat(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		return false
	}
	own, err := os.Stat(folder)
	return err == nil && os.SameFile(cwd, own)
}
