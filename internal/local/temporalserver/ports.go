package temporalserver

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

const loopback = "127.0.0.1"

// ports are those of the four services, on the loopback interface.
type ports struct{ frontend, history, matching, worker int }

func (ports) address(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }

// choosePorts finds free ports, at random so that servers that start at the same moment do not meet.
func choosePorts() (ports, error) {
	var p ports
	var held []net.Listener // until all are chosen, so that they differ
	defer func() {
		for _, l := range held {
			l.Close()
		}
	}()
	for _, port := range []*int{&p.frontend, &p.history, &p.matching, &p.worker} {
		l, err := listen()
		if err != nil {
			return p, err
		}
		held = append(held, l)
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return p, nil
}

func listen() (net.Listener, error) {
	var last error
	for range portTries {
		port := portFirst + rand.IntN(portLast-portFirst)
		l, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
		if err == nil {
			return l, nil
		}
		last = err
	}
	return nil, fmt.Errorf("find a free port on %s between %d and %d: %w", loopback, portFirst, portLast,
		errors.Join(errors.New("all that were tried are taken"), last))
}
