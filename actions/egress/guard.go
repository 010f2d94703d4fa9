package egress

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"sync"
	"syscall"

	"code.dny.dev/ssrf"

	"pawl/internal/fault"
)

// Guard dials for everybody. It is safe for concurrent use and holds no connection.
type Guard struct {
	allow     Allow
	connectTo ConnectTo
	denied    []netip.Prefix
	ranges    ranges
	registry  *ssrf.Guardian
	resolver  *net.Resolver
	tls       *tls.Config
}

// New makes a guard.
func New(c Config) *Guard {
	return &Guard{
		allow:     c.Allow,
		connectTo: c.ConnectTo,
		denied:    c.Denied,
		ranges:    knownRanges(),
		registry:  ssrf.New(ssrf.WithAnyPort()), // the port rule is older than the look-up: see target
		resolver:  newResolver(c.DNS),
		tls: &tls.Config{
			MinVersion:         tls.VersionTLS12,
			RootCAs:            c.CA,
			NextProtos:         []string{"http/1.1"},
			ClientSessionCache: tls.NewLRUClientSessionCache(sessionTickets),
		},
	}
}

// newResolver asks the given server, or the system's. Go's own resolver is used in both cases: it does not read
// the octal and shortened spellings of addresses that the C library accepts.
func newResolver(server string) *net.Resolver {
	r := &net.Resolver{PreferGo: true}
	if server != "" {
		var d net.Dialer
		r.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return d.DialContext(ctx, network, server)
		}
	}
	return r
}

// DialContext connects to address, a "host:port", over TCP. The address of every try is judged after the
// look-up, in the moment before the connect, so a name that answers differently the second time gains nothing.
// Errors are *fault.Error: blocked_address, or network with the reasons dns, connect_refused, connect_timeout,
// unreachable; each names the host.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, target, err := g.target(address)
	if err != nil {
		return nil, err
	}
	v := &verdicts{}
	dialer := net.Dialer{
		Timeout:         connectTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAliveProbe, Interval: keepAliveProbe},
		Resolver:        g.resolver,
		ControlContext: func(_ context.Context, network, address string, _ syscall.RawConn) error {
			return v.note(g.judgeDial(host, network, address))
		},
	}
	conn, err := dialer.DialContext(ctx, network, target)
	if err != nil {
		return nil, v.explain(ctx, host, err)
	}
	return conn, nil
}

// Handshake speaks TLS over a connection that DialContext gave, as the client of host. Certificates are
// checked for that name, wherever connect-to led. Errors are *fault.Error of kind network, reason tls. The
// connection is closed on an error.
func (g *Guard) Handshake(ctx context.Context, conn net.Conn, address string) (*tls.Conn, error) {
	host, err := hostOf(address)
	if err != nil {
		conn.Close()
		return nil, err
	}
	config := g.tls.Clone()
	config.ServerName = host
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, tlsFault(ctx, host, err)
	}
	return secured, nil
}

// DialTLSContext is DialContext and Handshake, in the form that http.Transport wants. The connection is a
// *tls.Conn.
func (g *Guard) DialTLSContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := g.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	secured, err := g.Handshake(ctx, conn, address)
	if err != nil {
		return nil, err // a nil *tls.Conn must not become a net.Conn that is not nil
	}
	return secured, nil
}

// target applies connect-to and the port rule.
func (g *Guard) target(address string) (host, target string, err error) {
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", "", badHost(address).Because(err)
	}
	if host, err = Host(name); err != nil {
		return "", "", err
	}
	if to, found := g.connectTo[host]; found {
		return host, to, nil
	}
	if port != httpsPort {
		return "", "", fault.New(fault.BlockedAddress, "port",
			"Port %s of %s is not reached: actions talk to port 443 only. An operator can name another one with PAWL_EGRESS_CONNECT_TO.", port, host)
	}
	return host, net.JoinHostPort(host, port), nil
}

func hostOf(address string) (string, error) {
	name, _, err := net.SplitHostPort(address)
	if err != nil {
		return "", badHost(address).Because(err)
	}
	return Host(name)
}

// Check says whether an address may be reached under a name, as every dial does. The error is a *fault.Error of
// kind blocked_address.
func (g *Guard) Check(host string, ip netip.Addr) error {
	if err := g.judge(host, ip); err != nil {
		return blocked(host, err)
	}
	return nil
}

func (g *Guard) judgeDial(host, network, address string) error {
	if network != "tcp4" && network != "tcp6" {
		return blocked(host, ssrf.ErrProhibitedNetwork)
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return blocked(host, err)
	}
	return g.Check(host, to.Addr())
}

// verdicts remembers what was decided about the addresses of one dial, which may be tried at the same time.
type verdicts struct {
	mu        sync.Mutex
	refusal   error
	permitted bool
}

func (v *verdicts) note(err error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil {
		v.refusal = err
	} else {
		v.permitted = true
	}
	return err
}

// explain gives the refusal only when no address could be tried: then nothing but an operator can help.
func (v *verdicts) explain(ctx context.Context, host string, err error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.refusal != nil && !v.permitted {
		return v.refusal
	}
	return dialFault(ctx, host, err)
}
