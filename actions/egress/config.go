package egress

import (
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"pawl/internal/fault"
)

// AnyHost is the key of Allow that stands for every host.
const AnyHost = "*"

// Allow holds, for each host, the addresses that are not public but may be reached under that name. The keys
// are AnyHost or names in the form that Host gives.
type Allow map[string][]netip.Prefix

// ConnectTo holds, for each host, the "address:port" that is dialled instead, as curl's --connect-to has it.
// The TLS name stays the host's; the port is exempt from the 443 rule; the address is judged all the same.
type ConnectTo map[string]string

// Config says where a Guard may go. The zero value is the strictest: public addresses, port 443, the system's
// resolver and certificate authorities.
type Config struct {
	// Allow are the exceptions for addresses that are not public.
	Allow Allow
	// ConnectTo are the hosts that are dialled elsewhere.
	ConnectTo ConnectTo
	// CA are the certificate authorities to trust; nil = the system's.
	CA *x509.CertPool
	// DNS is the "address:port" of the resolver to ask; empty = the system's.
	DNS string
	// Denied are further addresses that are never reached, whatever Allow says.
	Denied []netip.Prefix
}

// ParseAllow reads the text of PAWL_EGRESS_ALLOW: "host=CIDR" parts with commas between them, "*" for any host.
// A single address stands for itself alone. A host may have several parts.
func ParseAllow(text string) (Allow, error) {
	allow := Allow{}
	err := eachPart(text, "PAWL_EGRESS_ALLOW", "shop.example.com=10.0.0.0/8", func(host, cidr string) error {
		prefix, err := parsePrefix(cidr)
		if err != nil {
			return err
		}
		allow[host] = append(allow[host], prefix)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return allow, nil
}

// ParseConnectTo reads the text of PAWL_EGRESS_CONNECT_TO: "host=address:port" parts with commas between them.
// The address is an IP address (IPv6 in brackets) or a name. A host may be named once.
func ParseConnectTo(text string) (ConnectTo, error) {
	to := ConnectTo{}
	err := eachPart(text, "PAWL_EGRESS_CONNECT_TO", "shop.example.com=127.0.0.1:8443", func(host, target string) error {
		if host == AnyHost {
			return fault.New(fault.InvalidInput, "host", `"*" can't be sent to one address: name the host`)
		}
		if _, twice := to[host]; twice {
			return fault.New(fault.InvalidInput, "host", "%s is named twice", host)
		}
		target, err := parseTarget(target)
		to[host] = target
		return err
	})
	if err != nil {
		return nil, err
	}
	return to, nil
}

// ParseDNS reads the text of PAWL_EGRESS_DNS: the "address:port" of a resolver, an IP address. Empty stays empty.
func ParseDNS(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	address, err := netip.ParseAddrPort(text)
	if err != nil || address.Port() == 0 {
		return "", fault.New(fault.InvalidInput, "egress_dns",
			"PAWL_EGRESS_DNS is %q: write the IP address and port of a resolver, for instance 10.0.0.2:53 or [2001:db8::53]:53.", text).Because(err)
	}
	return address.String(), nil
}

// ParseDenied reads further ranges that are never reached: CIDRs or addresses with commas between them.
func ParseDenied(text string) ([]netip.Prefix, error) {
	var denied []netip.Prefix
	for i, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		prefix, err := parsePrefix(part)
		if err != nil {
			return nil, fault.New(fault.InvalidInput, "egress_denied",
				"Part %d (%q) of the denied addresses is wrong: %s.", i+1, part, publicText(err)).Because(err)
		}
		denied = append(denied, prefix)
	}
	return denied, nil
}

// ParseCA reads the content of the file that PAWL_EGRESS_CA names: one or more PEM certificates. They are
// trusted in addition to the system's.
func ParseCA(pemText []byte) (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // a machine without authorities of its own
	}
	found := 0
	for block, rest := pem.Decode(pemText); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			return nil, fault.New(fault.InvalidInput, "egress_ca",
				"Block %d of the file that PAWL_EGRESS_CA names is a %s: only CERTIFICATE blocks belong there.", found+1, block.Type)
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fault.New(fault.InvalidInput, "egress_ca",
				"Certificate %d of the file that PAWL_EGRESS_CA names can't be read.", found+1).Because(err)
		}
		pool.AddCert(cert)
		found++
	}
	if found == 0 {
		return nil, fault.New(fault.InvalidInput, "egress_ca",
			"The file that PAWL_EGRESS_CA names holds no PEM certificate: it needs at least one -----BEGIN CERTIFICATE----- block.")
	}
	return pool, nil
}

// eachPart splits "host=value, host=value" and hands over normalised hosts; its errors name the part.
func eachPart(text, setting, example string, use func(host, value string) error) error {
	for i, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if err := usePart(part, use); err != nil {
			return fault.New(fault.InvalidInput, strings.ToLower(strings.TrimPrefix(setting, "PAWL_")),
				"%s, part %d (%q): %s. A right part is %s.", setting, i+1, part, publicText(err), example).Because(err)
		}
	}
	return nil
}

func usePart(part string, use func(host, value string) error) error {
	name, value, found := strings.Cut(part, "=")
	if !found {
		return fault.New(fault.InvalidInput, "part", "there is no = in it")
	}
	host := strings.TrimSpace(name)
	if host != AnyHost {
		var err error
		if host, err = Host(host); err != nil {
			return err
		}
	}
	return use(host, strings.TrimSpace(value))
}

func parsePrefix(text string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(text); err == nil && address.Zone() == "" {
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, fault.New(fault.InvalidInput, "cidr", "%q is no address range such as 10.0.0.0/8 or fd00::/8", text)
	}
	if prefix.Addr().Is4In6() {
		return netip.Prefix{}, fault.New(fault.InvalidInput, "cidr", "write the IPv4 range %q without ::ffff:", text)
	}
	return prefix.Masked(), nil
}

func parseTarget(text string) (string, error) {
	name, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", fault.New(fault.InvalidInput, "target", "%q is no address:port", text)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", fault.New(fault.InvalidInput, "port", "%q is no port: it is a number from 1 to 65535", port)
	}
	host, err := Host(name)
	if err != nil {
		return "", err
	}
	return net.JoinHostPort(host, port), nil
}

// publicText is the message of a fault, to be quoted inside another one.
func publicText(err error) string {
	return strings.TrimSuffix(fault.From(err).Message, ".")
}
