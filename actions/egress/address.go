package egress

import (
	"fmt"
	"net/netip"
)

// The ranges that carry an IPv4 address inside an IPv6 one, and those that are public by the registries but lead
// inside on common clouds. They are functions of nothing, so they are made once a guard.
type ranges struct {
	compatible, nat64, nat64Local, sixToFour, teredo netip.Prefix
	inside                                           []netip.Prefix
}

func knownRanges() ranges {
	return ranges{
		compatible: netip.MustParsePrefix("::/96"),          // RFC 4291, section 2.5.5.1, deprecated
		nat64:      netip.MustParsePrefix("64:ff9b::/96"),   // RFC 6052
		nat64Local: netip.MustParsePrefix("64:ff9b:1::/48"), // RFC 8215
		sixToFour:  netip.MustParsePrefix("2002::/16"),      // RFC 3056
		teredo:     netip.MustParsePrefix("2001::/32"),      // RFC 4380
		inside: []netip.Prefix{
			netip.MustParsePrefix("168.63.129.16/32"), // Azure's host: metadata, health, DNS
		},
	}
}

// embedded gives the IPv4 address that an IPv6 address of a transition mechanism stands for.
func (r ranges) embedded(ip netip.Addr) (netip.Addr, bool) {
	if !ip.Is6() || ip.IsUnspecified() || ip.IsLoopback() { // :: and ::1 stand for themselves
		return netip.Addr{}, false
	}
	b := ip.As16()
	switch {
	case r.compatible.Contains(ip), r.nat64.Contains(ip):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case r.nat64Local.Contains(ip): // a /96 of it is the usual choice; the operator's own split can't be known
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case r.sixToFour.Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	case r.teredo.Contains(ip):
		return netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]}), true
	}
	return netip.Addr{}, false
}

// judge is nil when ip may be reached under the name host. The order: the operator's denials, what the address
// stands for, the operator's exceptions, the registries.
func (g *Guard) judge(host string, ip netip.Addr) error {
	if !ip.IsValid() || ip.Zone() != "" {
		return fmt.Errorf("%s is no plain address", ip)
	}
	ip = ip.Unmap()
	if contains(g.denied, ip) {
		return fmt.Errorf("%s is in a range that the operator has denied", ip)
	}
	if inner, found := g.ranges.embedded(ip); found {
		// The outer address needs an exception of its own and the inner one must be fit to be reached.
		if err := g.judge(host, inner); err != nil {
			return fmt.Errorf("%s stands for %s: %w", ip, inner, err)
		}
	}
	if g.allowed(host, ip) {
		return nil
	}
	if contains(g.ranges.inside, ip) {
		return fmt.Errorf("%s is an address inside a cloud", ip)
	}
	return g.registry.SafeAddr(ip)
}

func (g *Guard) allowed(host string, ip netip.Addr) bool {
	return contains(g.allow[host], ip) || contains(g.allow[AnyHost], ip)
}

func contains(prefixes []netip.Prefix, ip netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(ip) {
			return true
		}
	}
	return false
}
