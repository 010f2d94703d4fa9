package egress_test

import (
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pawl/actions/egress"
	"pawl/internal/fault"
)

func TestParseAllow(t *testing.T) {
	t.Parallel()
	p := netip.MustParsePrefix
	tests := []struct {
		name string
		text string
		want egress.Allow
		says string // part of the error
	}{
		{name: "empty", text: "", want: egress.Allow{}},
		{name: "pairs", text: "a.test=10.0.0.0/8, B.test = fd00::/8 ,a.test=127.0.0.1", want: egress.Allow{
			"a.test": {p("10.0.0.0/8"), p("127.0.0.1/32")}, "b.test": {p("fd00::/8")},
		}},
		{name: "any", text: "*=192.168.1.7/24", want: egress.Allow{"*": {p("192.168.1.0/24")}}},
		{name: "international", text: "bücher.test=10.0.0.1", want: egress.Allow{"xn--bcher-kva.test": {p("10.0.0.1/32")}}},
		{name: "no equals sign", text: "a.test=10.0.0.0/8,b.test", says: `part 2 ("b.test"): there is no = in it`},
		{name: "no range", text: "a.test=ten", says: `"ten" is no address range`},
		{name: "mapped range", text: "a.test=::ffff:10.0.0.0/104", says: "without ::ffff:"},
		{name: "bad host", text: "a test=10.0.0.1", says: `"a test" is not the name of a host`},
		{name: "wildcard inside", text: "*.test=10.0.0.1", says: `is not the name of a host`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := egress.ParseAllow(tt.text)
			checkParse(t, err, tt.says, "PAWL_EGRESS_ALLOW")
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func checkParse(t *testing.T, err error, says, setting string) {
	t.Helper()
	switch {
	case says == "" && err != nil:
		t.Fatal(err)
	case says == "":
	case !fault.Is(err, fault.InvalidInput):
		t.Fatalf("got %v, want invalid_input", err)
	case !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), setting):
		t.Errorf("%q must name %s and say %q", err, setting, says)
	}
}

func TestParseConnectTo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
		want egress.ConnectTo
		says string
	}{
		{name: "pairs", text: "a.test=127.0.0.1:8443,b.test=[::1]:9443,c.test=proxy:1", want: egress.ConnectTo{
			"a.test": "127.0.0.1:8443", "b.test": "[::1]:9443", "c.test": "proxy:1",
		}},
		{name: "twice", text: "a.test=127.0.0.1:1,A.test=127.0.0.1:2", says: "part 2"},
		{name: "any", text: "*=127.0.0.1:1", says: "name the host"},
		{name: "no port", text: "a.test=127.0.0.1", says: "no address:port"},
		{name: "port 0", text: "a.test=127.0.0.1:0", says: `"0" is no port`},
		{name: "port too high", text: "a.test=127.0.0.1:65536", says: `"65536" is no port`},
		{name: "bad target", text: "a.test=a b:1", says: `"a b"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := egress.ParseConnectTo(tt.text)
			checkParse(t, err, tt.says, "PAWL_EGRESS_CONNECT_TO")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseDNSAndDenied(t *testing.T) {
	t.Parallel()
	if got, err := egress.ParseDNS(" [2001:db8::53]:53 "); err != nil || got != "[2001:db8::53]:53" {
		t.Errorf("ParseDNS = %q, %v", got, err)
	}
	if got, err := egress.ParseDNS(""); err != nil || got != "" {
		t.Errorf("ParseDNS of nothing = %q, %v", got, err)
	}
	for _, text := range []string{"ns.test:53", "10.0.0.1", "10.0.0.1:0"} {
		_, err := egress.ParseDNS(text)
		checkParse(t, err, text, "PAWL_EGRESS_DNS")
	}
	if _, err := egress.ParseDenied("10.0.0.0/8, x"); err == nil || !strings.Contains(err.Error(), `Part 2 ("x")`) {
		t.Errorf("ParseDenied gave %v, want part 2 named", err)
	}
}

func TestParseCA(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	pool, err := egress.ParseCA(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Certificate().Verify(x509.VerifyOptions{Roots: pool, DNSName: "example.com"}); err != nil {
		t.Errorf("the certificate of the file is not trusted: %v", err)
	}
	tests := []struct{ name, text, says string }{
		{name: "empty", text: "", says: "holds no PEM certificate"},
		{name: "a key", text: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", says: "PRIVATE KEY"},
		{name: "broken", text: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", says: "Certificate 1"},
	}
	for _, tt := range tests {
		_, err := egress.ParseCA([]byte(tt.text))
		checkParse(t, err, tt.says, "PAWL_EGRESS_CA")
	}
}

func TestHost(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, want string }{
		{name: "API.Example.com.", want: "api.example.com"},
		{name: "bücher.example", want: "xn--bcher-kva.example"},
		{name: "[::1]", want: "::1"},
		{name: "::ffff:10.0.0.1", want: "10.0.0.1"},
		{name: "my_bucket.example.com", want: "my_bucket.example.com"},
		{name: "①②⑦.0.0.1", want: "127.0.0.1"},
		{name: "", want: ""},
		{name: ".", want: ""},
		{name: "a..b", want: ""},
		{name: "a b", want: ""},
		{name: "a/b", want: ""},
		{name: "user@host", want: ""},
		{name: "1.2.3", want: ""},
		{name: "0x7f000001", want: ""},
		{name: strings.Repeat("a", 64) + ".test", want: ""},
		{name: strings.Repeat("a.", 127) + "test", want: ""},
	}
	for _, tt := range tests {
		got, err := egress.Host(tt.name)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("Host(%q) = %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func FuzzHost(f *testing.F) {
	for _, seed := range []string{"api.example.com", "①②⑦.0.0.1", "0x7f.1", "[::1]", "xn--a", "a..b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got, err := egress.Host(name)
		if err != nil {
			return
		}
		if again, err := egress.Host(got); err != nil || again != got {
			t.Errorf("Host(%q) = %q, but Host of that = %q, %v", name, got, again, err)
		}
	})
}
