package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a started program and its end.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
	exit error // set before done is closed
}

// startProcess starts cmd from a thread that lives as long as the program does: the signal that ends it with its
// parent (Linux, PR_SET_PDEATHSIG) is sent when the thread that started it ends, not the process.
func startProcess(cmd *exec.Cmd) (*process, error) {
	dieWithParent(cmd.SysProcAttr)
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		if p.exit = cmd.Wait(); p.exit == nil {
			p.exit = errors.New("exit status 0")
		}
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

func (p *process) kill(s syscall.Signal) { _ = p.cmd.Process.Signal(s) } // it fails only when the program has ended

// wait returns nil when the program ends with status 0; it is killed when ctx ends first.
func (p *process) wait(ctx context.Context) error {
	select {
	case <-p.done:
	case <-ctx.Done():
		p.kill(syscall.SIGKILL)
		<-p.done
		return ctx.Err()
	}
	if p.cmd.ProcessState.Success() {
		return nil
	}
	return p.exit
}

// end shuts PostgreSQL down: fast, then at once, then by force.
func (p *process) end(ctx context.Context) error {
	fast, cancel := context.WithTimeout(ctx, fastStop)
	defer cancel()
	p.kill(syscall.SIGINT)
	select {
	case <-p.done:
		return nil
	case <-fast.Done():
	}
	p.kill(syscall.SIGQUIT)
	select {
	case <-p.done:
		return nil
	case <-time.After(immediateStop):
	}
	p.kill(syscall.SIGKILL)
	<-p.done
	return errors.New("PostgreSQL did not stop when asked and was killed; the next start recovers")
}
