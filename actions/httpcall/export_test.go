package httpcall

import (
	"context"
	"net"
	"net/http/httptrace"

	"pawl/actions"
)

// OfferTwice plays what net/http must never do with an effect: it offers a second connection in one attempt after
// bytes went out on the first. It gives what was written to each and the fault of the attempt.
func OfferTwice(effect actions.Effect) (first, second int, err error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	k := &call{x: &Exchange{Effect: effect}, answer: &Answer{}, redact: newRedactor(nil), bounded: context.Background(), ctx: ctx, cancel: cancel}
	one, two := newSink(), newSink()
	k.gotConn(httptrace.GotConnInfo{Conn: one})
	first, _ = one.Write([]byte("GET / HTTP/1.1\r\n"))
	k.gotConn(httptrace.GotConnInfo{Conn: two})
	second, _ = two.Write([]byte("GET / HTTP/1.1\r\n"))
	target, _ := targetOf("https://shop.test/")
	return first, second, k.failed(target, context.Cause(ctx))
}

type sink struct{ net.Conn }

func (sink) Write(p []byte) (int, error) { return len(p), nil }

func newSink() *gate { return &gate{Conn: sink{}, raw: &rawConn{Conn: sink{}}} }

// SettleThenWrite settles a lease before anything was written and then tries to write under it.
func SettleThenWrite() (sent bool, written int) {
	g := newSink()
	l := &lease{gate: g, ctx: context.Background()}
	g.lease.Store(l)
	sent = l.settle()
	written, _ = g.Write([]byte("x"))
	return sent || l.settle(), written
}
