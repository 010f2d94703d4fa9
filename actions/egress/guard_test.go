package egress_test

import (
	"context"
	"errors"
	"net"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"pawl/actions/egress"
	"pawl/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func dial(t *testing.T, g *egress.Guard, address string) *fault.Error {
	t.Helper()
	conn, err := g.DialContext(context.Background(), "tcp", address)
	if err == nil {
		conn.Close()
		return nil
	}
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("dial %s: %v is no fault", address, err)
	}
	return f
}

func TestC037SpellingsOfPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	// Every address is answered by the DNS server; where it has an allow-list, the outer address is in it, so
	// that the inner one decides.
	tests := []struct {
		name    string
		address string
		allow   string
	}{
		{name: "mapped metadata", address: "::ffff:a9fe:a9fe"},
		{name: "NAT64 metadata", address: "64:ff9b::a9fe:a9fe"},
		{name: "NAT64 loopback, prefix allowed", address: "64:ff9b::7f00:1", allow: "m.test=64:ff9b::/96"},
		{name: "local NAT64", address: "64:ff9b:1::a9fe:a9fe", allow: "m.test=64:ff9b:1::/48"},
		{name: "6to4 loopback", address: "2002:7f00:1::"},
		{name: "6to4 loopback, prefix allowed", address: "2002:7f00:1::", allow: "m.test=2002::/16"},
		{name: "teredo loopback, prefix allowed", address: "2001::80ff:fffe", allow: "m.test=2001::/32"},
		{name: "compatible loopback", address: "::127.0.0.1", allow: "m.test=::/96"},
		{name: "carrier NAT", address: "100.64.1.1"},
		{name: "benchmarking", address: "198.18.0.1"},
		{name: "unspecified", address: "0.0.0.0"},
		{name: "unspecified 6", address: "::"},
		{name: "loopback", address: "127.0.0.1"},
		{name: "loopback 6", address: "::1"},
		{name: "private 10", address: "10.1.2.3"},
		{name: "private 172", address: "172.31.0.1"},
		{name: "private 192", address: "192.168.0.1"},
		{name: "metadata", address: "169.254.169.254"},
		{name: "metadata 6", address: "fd00:ec2::254"},
		{name: "link local", address: "fe80::1"},
		{name: "site local", address: "fec0::1"},
		{name: "Azure host", address: "168.63.129.16"},
		{name: "Alibaba metadata", address: "100.100.100.200"},
		{name: "documentation", address: "203.0.113.7"},
		{name: "multicast", address: "224.0.0.1"},
		{name: "multicast 6", address: "ff02::1"},
		{name: "broadcast", address: "255.255.255.255"},
		{name: "discard", address: "100::1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dns := startNameServer(t, func(string) []netip.Addr { return []netip.Addr{netip.MustParseAddr(tt.address)} })
			allow, err := egress.ParseAllow(tt.allow)
			if err != nil {
				t.Fatal(err)
			}
			got := dial(t, egress.New(egress.Config{DNS: dns.address(), Allow: allow}), "m.test:443")
			if got == nil || got.Kind != fault.BlockedAddress || got.Reason != "private_address" {
				t.Fatalf("dial gave %v, want blocked_address", got)
			}
			if !strings.Contains(got.Message, "m.test") || got.Details["host"] != "m.test" {
				t.Errorf("%q does not name the host", got.Message)
			}
		})
	}
}

func TestPublicAddressesPass(t *testing.T) {
	t.Parallel()
	g := egress.New(egress.Config{})
	for _, address := range []string{"93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:8.8.8.8"} {
		if err := g.Check("m.test", netip.MustParseAddr(address)); err != nil {
			t.Errorf("Check(%s) = %v, want nil", address, err)
		}
	}
}

func TestLiteralAddressesAreJudgedToo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		want fault.Kind
	}{
		{name: "127.0.0.1:443", want: fault.BlockedAddress},
		{name: "[::ffff:127.0.0.1]:443", want: fault.BlockedAddress},
		{name: "[::1]:443", want: fault.BlockedAddress},
		{name: "①②⑦.0.0.1:443", want: fault.BlockedAddress},
		{name: "2130706433:443", want: fault.InvalidInput},
		{name: "0x7f.1:443", want: fault.InvalidInput},
		{name: "0177.0.0.1:443", want: fault.InvalidInput},
		{name: "127.1:443", want: fault.InvalidInput},
		{name: "0:443", want: fault.InvalidInput},
		{name: "[fe80::1%25eth0]:443", want: fault.InvalidInput},
		{name: "localhost:443", want: fault.BlockedAddress},
		{name: "localhost.:443", want: fault.BlockedAddress},
		{name: "8.8.8.8:80", want: fault.BlockedAddress},
	}
	g := egress.New(egress.Config{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := dial(t, g, tt.name); got == nil || got.Kind != tt.want {
				t.Errorf("dial gave %v, want %s", got, tt.want)
			}
		})
	}
}

// listen accepts on address and counts.
func listen(t *testing.T, address string) (net.Listener, *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	var count atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			count.Add(1)
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l, &count
}

func TestC039RebindingNamesNeverReachTheOtherAddress(t *testing.T) {
	t.Parallel()
	// 127.0.0.1 plays the public address (it is allowed for this name), 127.0.0.2 the private one.
	public, _ := listen(t, "127.0.0.1:0")
	_, port, _ := net.SplitHostPort(public.Addr().String())
	_, privateCount := listen(t, "127.0.0.2:"+port)
	var turn atomic.Int64
	dns := startNameServer(t, func(string) []netip.Addr {
		if turn.Add(1)%4 < 2 { // two questions a look-up: A and AAAA
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.2")}
	})
	allow, err := egress.ParseAllow("m.test=127.0.0.1/32")
	if err != nil {
		t.Fatal(err)
	}
	to, err := egress.ParseConnectTo("m.test=inside.m.test:" + port)
	if err != nil {
		t.Fatal(err)
	}
	g := egress.New(egress.Config{DNS: dns.address(), Allow: allow, ConnectTo: to})
	reached, refused := 0, 0
	for range 30 {
		switch got := dial(t, g, "m.test:443"); {
		case got == nil:
			reached++
		case got.Kind == fault.BlockedAddress:
			refused++
		default:
			t.Fatal(got)
		}
	}
	if reached == 0 || refused == 0 || reached+refused != 30 {
		t.Errorf("reached %d, refused %d of 30: both must happen", reached, refused)
	}
	if privateCount.Load() != 0 {
		t.Errorf("the private address saw %d connections, want 0", privateCount.Load())
	}
}

func TestC039AlternatingLoopbackIsNeverDialled(t *testing.T) {
	t.Parallel()
	// The public address of the case is denied by the operator, so that the test sends no packet to it.
	denied, err := egress.ParseDenied("93.184.216.34")
	if err != nil {
		t.Fatal(err)
	}
	l, count := listen(t, "127.0.0.1:0")
	var turn atomic.Int64
	dns := startNameServer(t, func(string) []netip.Addr {
		if turn.Add(1)%4 < 2 {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	})
	_, port, _ := net.SplitHostPort(l.Addr().String())
	to := egress.ConnectTo{"m.test": "m.test:" + port}
	g := egress.New(egress.Config{DNS: dns.address(), ConnectTo: to, Denied: denied})
	for range 30 {
		if got := dial(t, g, "m.test:443"); got == nil || got.Kind != fault.BlockedAddress {
			t.Fatalf("dial gave %v, want blocked_address", got)
		}
	}
	if count.Load() != 0 {
		t.Errorf("loopback saw %d connections, want 0", count.Load())
	}
}

func TestAllowHoldsForTheNamedHostOnly(t *testing.T) {
	t.Parallel()
	l, _ := listen(t, "127.0.0.1:0")
	dns := startNameServer(t, func(string) []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.1")} })
	address := l.Addr().String()
	to := egress.ConnectTo{"shop.test": address, "other.test": address}
	tests := []struct {
		name   string
		allow  string
		denied string
		host   string
		want   fault.Kind // empty = reached
	}{
		{name: "named", allow: "shop.test=127.0.0.0/8", host: "shop.test"},
		{name: "other name, same address", allow: "shop.test=127.0.0.0/8", host: "other.test", want: fault.BlockedAddress},
		{name: "any host", allow: "*=127.0.0.1", host: "other.test"},
		{name: "connect-to alone", host: "shop.test", want: fault.BlockedAddress},
		{name: "denied wins", allow: "*=127.0.0.1", denied: "127.0.0.0/8", host: "shop.test", want: fault.BlockedAddress},
		{name: "spelling of the host", allow: "SHOP.test.=127.0.0.1", host: "shop.TEST"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			allow, err := egress.ParseAllow(tt.allow)
			if err != nil {
				t.Fatal(err)
			}
			denied, err := egress.ParseDenied(tt.denied)
			if err != nil {
				t.Fatal(err)
			}
			g := egress.New(egress.Config{Allow: allow, ConnectTo: to, Denied: denied, DNS: dns.address()})
			got := dial(t, g, tt.host+":443")
			if tt.want == "" && got != nil || tt.want != "" && (got == nil || got.Kind != tt.want) {
				t.Errorf("dial gave %v, want %q", got, tt.want)
			}
		})
	}
}

func TestC091TransportFaultsNameTheHostAndTheReason(t *testing.T) {
	t.Parallel()
	closed, _ := listen(t, "127.0.0.1:0")
	refusing := closed.Addr().String()
	closed.Close()
	plain, _ := listen(t, "127.0.0.1:0")
	server := httptest.NewTLSServer(nil) // its certificate comes from an authority that nobody trusts
	defer server.Close()
	dns := startNameServer(t, func(string) []netip.Addr { return nil })
	g := egress.New(egress.Config{
		DNS:   dns.address(),
		Allow: egress.Allow{egress.AnyHost: {netip.MustParsePrefix("127.0.0.0/8")}},
		ConnectTo: egress.ConnectTo{
			"down.test": refusing, "plain.test": plain.Addr().String(), "untrusted.test": server.Listener.Addr().String(),
		},
	})
	tests := []struct{ name, want string }{
		{name: "gone.test", want: "dns"},
		{name: "down.test", want: "connect_refused"},
		{name: "plain.test", want: "tls"},
		{name: "untrusted.test", want: "tls"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := g.DialTLSContext(context.Background(), "tcp", tt.name+":443")
			var got *fault.Error
			if !errors.As(err, &got) || got.Kind != fault.Network || got.Reason != tt.want {
				t.Fatalf("got %v, want network (%s)", err, tt.want)
			}
			if !strings.Contains(got.Message, tt.name) || !got.Retryable() {
				t.Errorf("%q must name the host and be retryable", got.Message)
			}
		})
	}
}

func TestCancelledDialIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := egress.New(egress.Config{}).DialContext(ctx, "tcp", "8.8.8.8:443")
	if !fault.Is(err, fault.Cancelled) {
		t.Errorf("got %v, want cancelled", err)
	}
}
