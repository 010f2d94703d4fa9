package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"syscall"

	"pawl/internal/fault"
)

// account is who PostgreSQL runs as. The zero value is the user of this process.
type account struct {
	other bool
	name  string
	uid   int
	gid   int
}

// chooseAccount is the user of this process, unless that is root: then the owner of an existing cluster, so that
// a folder made by an ordinary user stays that user's, else postgres or nobody.
func chooseAccount(l layout) (account, error) {
	if os.Geteuid() != 0 {
		return account{}, checkOwner(l)
	}
	if runtime.GOOS != "linux" {
		return account{}, fault.New(fault.InvalidInput, "postgres_root",
			"PostgreSQL refuses to run as root. Start Pawl as an ordinary user.")
	}
	st, err := os.Stat(l.data())
	if err == nil {
		if own := st.Sys().(*syscall.Stat_t); own.Uid != 0 {
			return account{other: true, name: "user " + strconv.Itoa(int(own.Uid)), uid: int(own.Uid), gid: int(own.Gid)}, nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return account{}, fmt.Errorf("look at the database's folder: %w", err)
	}
	return lookUp("postgres", "nobody")
}

func lookUp(names ...string) (account, error) {
	for _, name := range names {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errU := strconv.Atoi(u.Uid)
		gid, errG := strconv.Atoi(u.Gid)
		if errU == nil && errG == nil && uid != 0 {
			return account{other: true, name: "user " + name, uid: uid, gid: gid}, nil
		}
	}
	return account{}, fault.New(fault.InvalidInput, "postgres_root",
		"PostgreSQL refuses to run as root, and this machine has neither a user postgres nor a user nobody. "+
			"Add one (useradd --system postgres), or start Pawl as an ordinary user.")
}

func checkOwner(l layout) error {
	st, err := os.Stat(l.data())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at the database's folder: %w", err)
	}
	if own := st.Sys().(*syscall.Stat_t); int(own.Uid) != os.Geteuid() {
		return fault.New(fault.InvalidInput, "postgres_owner",
			"The database in %s belongs to user %d, and Pawl runs as user %d. Start Pawl as that user (or as root, "+
				"which keeps the owner), or choose another data folder.", l.data(), own.Uid, os.Geteuid())
	}
	return nil
}

// give makes the account the owner of a folder of ours.
func (a account) give(path string) error {
	if !a.other {
		return nil
	}
	if err := os.Chown(path, a.uid, a.gid); err != nil {
		return fmt.Errorf("give %s to %s: %w", path, a.name, err)
	}
	return nil
}

// command is a program run as the account (and ended with ctx), in the root folder and with an environment of its own: PGOPTIONS and
// the like of the person at the keyboard must not reach it.
func command(ctx context.Context, a account, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"LC_ALL=" + locale(), "LANG=" + locale(), "TZ=UTC", "PATH=/usr/local/bin:/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if a.other {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return cmd
}

// locale is UTF-8 without a language; macOS does not know it by the name that glibc and musl use.
func locale() string {
	if runtime.GOOS == "linux" {
		return "C.UTF-8"
	}
	return "C"
}

// reach gives the paths by which the program finds our folders. The account may be unable to walk to them (a data
// folder below a 0700 home of root, say), so for another user they are opened here and handed over as descriptors.
// The caller calls release once the program has started or ended.
func reach(cmd *exec.Cmd, a account, folders ...string) (paths []string, release func(), err error) {
	if !a.other {
		return folders, func() {}, nil
	}
	release = func() {
		for _, f := range cmd.ExtraFiles {
			f.Close()
		}
	}
	for _, folder := range folders {
		f, err := os.Open(folder)
		if err != nil {
			release()
			return nil, nil, fmt.Errorf("open a folder for %s: %w", a.name, err)
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
		paths = append(paths, fmt.Sprintf("/proc/self/fd/%d", 2+len(cmd.ExtraFiles)))
	}
	return paths, release, nil
}
