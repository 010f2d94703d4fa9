package httpcall

import (
	"cmp"
	"context"
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	errShut = errors.New("the connection is shut to this request")
	errLate = errors.New("the permit to send had run out")
)

// rawConn counts the writes below TLS: when a TLS write fails and there was none, nothing can have left.
type rawConn struct {
	net.Conn
	writes atomic.Uint64
}

func (c *rawConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// gate is a TLS connection that takes application bytes only under a lease. It starts shut, and it is shut
// again before each further request on it.
type gate struct {
	net.Conn // *tls.Conn
	raw      *rawConn
	reused   bool // set before the lease, on the goroutine that then has the connection
	lease    atomic.Pointer[lease]
	ended    atomic.Bool // a read met the end of the connection
}

func (g *gate) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if err != nil {
		g.ended.Store(true)
	}
	return n, err
}

func (g *gate) Write(p []byte) (int, error) {
	l := g.lease.Load()
	if l == nil {
		return 0, errShut
	}
	return l.write(p)
}

// dead says whether the peer has ended the connection, or has said something unasked while it was kept. On one
// that was never used the latter is TLS's own (session tickets).
func (g *gate) dead() bool {
	conn, ok := g.raw.Conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return true
	}
	var pending, ended bool
	if err := raw.Control(func(fd uintptr) { pending, ended = look(fd) }); err != nil {
		return true
	}
	return ended || pending && g.reused
}

// A lease is the permit for one request on one connection. Every change of its state is a compare-and-set, so that
// the one who writes and the one who reports agree about what happened; void is final.
type lease struct {
	gate   *gate
	ctx    context.Context
	sendBy time.Time // zero = no bound
	state  atomic.Int32
	late   atomic.Bool
}

const (
	waiting int32 = iota // nothing has been handed to TLS, and something may be
	handed               // something was handed to TLS
	void                 // nothing was and nothing will be
)

func (l *lease) write(p []byte) (int, error) {
	if l.state.Load() == handed {
		return l.gate.Conn.Write(p)
	}
	if err := l.fit(time.Now()); err != nil || l.gate.dead() {
		l.state.CompareAndSwap(waiting, void)
		return 0, cmp.Or(err, errShut)
	}
	if !l.state.CompareAndSwap(waiting, handed) {
		return 0, errShut
	}
	before := l.gate.raw.writes.Load()
	n, err := l.gate.Conn.Write(p)
	if err != nil && n == 0 && l.gate.raw.writes.Load() == before {
		l.state.CompareAndSwap(handed, void) // the connection was closed on our side already
	}
	return n, err
}

// fit checks, in the moment of the first write, that the request may still begin: by the monotonic clock and by
// the wall clock, because the former stands still while a machine sleeps.
func (l *lease) fit(now time.Time) error {
	if l.ctx.Err() != nil {
		return errShut
	}
	if !l.sendBy.IsZero() && (now.After(l.sendBy) || now.Round(0).After(l.sendBy.Round(0))) {
		l.late.Store(true)
		return errLate
	}
	return nil
}

// settle closes the lease and says whether application bytes were handed over. After false, none ever will be.
func (l *lease) settle() bool {
	return !l.state.CompareAndSwap(waiting, void) && l.state.Load() == handed
}
