//go:build unix

package httpcall

import "syscall"

// look says whether a socket has bytes to read, and whether its peer has ended it. Nothing is taken from it.
func look(fd uintptr) (pending, ended bool) {
	var one [1]byte
	n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	switch err {
	case nil:
		return n > 0, n == 0
	case syscall.EAGAIN, syscall.EINTR:
		return false, false
	}
	return false, true
}
