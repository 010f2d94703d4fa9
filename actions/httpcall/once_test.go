package httpcall_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"testing"
	"time"

	"pawl/actions"
	"pawl/actions/httpcall"
	"pawl/internal/fault"
)

// reset makes the close of a connection a reset.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*tls.Conn).NetConn().(*net.TCPConn); ok {
		tcp.SetLinger(0)
		tcp.Close()
	}
}

// One attempt, one request: a server that reads the second request of a kept connection and then closes or
// resets it sees exactly one of them, whatever the method, the body and the key.
func TestOneAttemptIsOneRequest(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		for _, effect := range []actions.Effect{actions.Read, actions.Safe, actions.Unsafe} {
			for _, body := range []string{"", `{"a":1}`} {
				for _, idem := range []string{"", "run-1"} {
					for _, end := range []string{"close", "reset"} {
						name := fmt.Sprintf("%s %s body=%t key=%t %s", method, effect, body != "", idem != "", end)
						t.Run(name, func(t *testing.T) {
							t.Parallel()
							oneAttempt(t, method, effect, body, idem, end)
						})
					}
				}
			}
		}
	}
}

func oneAttempt(t *testing.T, method string, effect actions.Effect, body, idem, end string) {
	c, w := serveWire(t, func(conn net.Conn, request, onConn int) string {
		if request == 1 {
			return okAnswer
		}
		if end == "reset" {
			reset(conn)
		}
		return ""
	})
	x := &httpcall.Exchange{Effect: effect, IdempotencyKey: idem}
	x.Request = &httpcall.Request{Method: method, URL: "https://" + host + "/x", Body: []byte(body)}
	a, f := do(t, c, x)
	check(t, a, f, "", "", true)
	a, f = do(t, c, x)
	kind := fault.Network
	if effect == actions.Unsafe {
		kind = fault.OutcomeUnknown
	}
	check(t, a, f, kind, "connection_lost", true)
	if n := len(w.seen()); n != 2 {
		t.Errorf("the server saw %d requests of 2 attempts", n)
	}
}

// A connection that the server has closed while it was kept is passed over before anything is sent.
func TestDeadKeptConnectionsArePassedOver(t *testing.T) {
	t.Parallel()
	for _, effect := range []actions.Effect{actions.Read, actions.Unsafe} {
		t.Run(string(effect), func(t *testing.T) {
			t.Parallel()
			closed := make(chan struct{}, 64)
			c, w := serveWire(t, func(conn net.Conn, request, onConn int) string {
				conn.Write([]byte(okAnswer))
				conn.Close() // without "Connection: close"
				closed <- struct{}{}
				return ""
			})
			x := &httpcall.Exchange{Effect: effect, Request: &httpcall.Request{Method: "POST", URL: "https://" + host + "/x", Body: []byte("{}")}}
			if effect == actions.Read {
				x = get("/x")
			}
			for range 30 {
				a, f := do(t, c, x)
				check(t, a, f, "", "", true)
				<-closed
			}
			if n := len(w.seen()); n != 30 {
				t.Errorf("the server saw %d requests of 30 attempts", n)
			}
		})
	}
}

// A kept connection that dies while the permit is asked for: nothing was sent on it, so the request goes out on
// another one, under the same permit.
func TestConnectionThatDiesDuringThePermit(t *testing.T) {
	t.Parallel()
	for _, effect := range []actions.Effect{actions.Read, actions.Unsafe} {
		t.Run(string(effect), func(t *testing.T) {
			t.Parallel()
			die, died := make(chan struct{}), make(chan struct{})
			c, w := serveWire(t, func(conn net.Conn, request, onConn int) string {
				if request == 1 {
					conn.Write([]byte(okAnswer))
					<-die
					conn.Close()
					close(died)
					return ""
				}
				return okAnswer
			})
			x := &httpcall.Exchange{Effect: effect, Request: &httpcall.Request{Method: "POST", URL: "https://" + host + "/x", Body: []byte("{}")}}
			if effect == actions.Read {
				x = get("/x")
			}
			a, f := do(t, c, x)
			check(t, a, f, "", "", true)
			calls := 0
			x.Permit = func(context.Context) (time.Time, error) {
				calls++
				close(die)
				<-died
				return time.Now().Add(time.Minute), nil
			}
			a, f = do(t, c, x)
			check(t, a, f, "", "", true)
			if n := len(w.seen()); n != 2 || calls != 1 {
				t.Errorf("the server saw %d requests of 2, Permit was called %d times", n, calls)
			}
		})
	}
}

// A server that speaks before it is asked, as some do on a kept connection (408), is not taken for an answer.
func TestUnaskedAnswersAreNotTaken(t *testing.T) {
	t.Parallel()
	spoken := make(chan struct{}, 1)
	c, w := serveWire(t, func(conn net.Conn, request, onConn int) string {
		if request == 1 {
			conn.Write([]byte(okAnswer))
			conn.Write([]byte("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"))
			spoken <- struct{}{}
		}
		return okAnswer
	})
	x := &httpcall.Exchange{Effect: actions.Unsafe, Request: &httpcall.Request{Method: "POST", URL: "https://" + host + "/x", Body: []byte("{}")}}
	a, f := do(t, c, x)
	check(t, a, f, "", "", true)
	<-spoken
	a, f = do(t, c, x)
	check(t, a, f, "", "", true)
	if n := len(w.seen()); n != 2 || a.Status != 200 {
		t.Errorf("status %d after %d requests", a.Status, n)
	}
}
