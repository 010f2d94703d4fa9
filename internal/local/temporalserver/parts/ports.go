package parts

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"

	"go.temporal.io/server/common/primitives"
)

const loopback = "127.0.0.1"

// Ports are those of the four services, on the loopback interface.
type Ports map[primitives.ServiceName]int

// ChoosePorts finds free ports, at random so that servers that start at the same moment do not meet.
func ChoosePorts(ctx context.Context) (Ports, error) {
	var held []net.Listener // until all are chosen, so that they differ
	defer func() {
		for _, l := range held {
			l.Close()
		}
	}()
	p := Ports{}
	for _, name := range []primitives.ServiceName{
		primitives.FrontendService, primitives.HistoryService, primitives.MatchingService, primitives.WorkerService,
	} {
		l, err := listen(ctx)
		if err != nil {
			return nil, err
		}
		held = append(held, l)
		p[name] = l.Addr().(*net.TCPAddr).Port
	}
	return p, nil
}

// Address is where clients connect (gRPC, no TLS).
func (p Ports) Address() string { return address(p[primitives.FrontendService]) }

func address(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }

func listen(ctx context.Context) (net.Listener, error) {
	var last error
	for range portTries {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", address(portFirst+rand.IntN(portLast-portFirst)))
		if err == nil {
			return l, nil
		}
		last = err
	}
	return nil, fmt.Errorf("find a free port on %s between %d and %d: %w", loopback, portFirst, portLast, last)
}
