package httpcall_test

import (
	"crypto/tls"
	"fmt"
	"net"
	"testing"

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
