//go:build unix

package httpcall

import "syscall"

// hasInput says whether a socket has something to read: bytes, an end or an error. Nothing is taken from it.
func hasInput(fd uintptr) bool {
	var one [1]byte
	_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	return err != syscall.EAGAIN && err != syscall.EINTR
}
