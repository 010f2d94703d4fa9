package egress

import (
	"net/netip"
	"strings"

	"golang.org/x/net/idna"

	"pawl/internal/fault"
)

// Host gives the one spelling of a host that the guard compares: lower case, internationalised names in
// their ASCII form (IDNA 2008 with the mapping of UTS 46), no trailing dot, IPv6 addresses without brackets.
// A text that some resolvers would read as an IPv4 address in disguise (2130706433, 0x7f.1, 127.1) is refused.
func Host(name string) (string, error) {
	text := strings.TrimSuffix(name, ".")
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		text = text[1 : len(text)-1]
	}
	if address, err := netip.ParseAddr(text); err == nil {
		return addressText(name, address)
	}
	if !plain(text) {
		mapped, err := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false)).ToASCII(text)
		if err != nil {
			return "", badHost(name).Because(err)
		}
		text = strings.TrimSuffix(mapped, ".")
	}
	if address, err := netip.ParseAddr(text); err == nil { // ①②⑦.0.0.1 is one only after the mapping
		return addressText(name, address)
	}
	if !plain(text) || len(text) > maxHostBytes || !labelsFit(text) || endsInNumber(text) {
		return "", badHost(name)
	}
	return text, nil
}

func badHost(name string) *fault.Error {
	if len(name) > maxHostBytes {
		name = name[:maxHostBytes]
	}
	return fault.New(fault.InvalidInput, "host", "%q is not the name of a host: write one such as api.example.com.", name)
}

func addressText(name string, address netip.Addr) (string, error) {
	if address.Zone() != "" {
		return "", badHost(name)
	}
	return address.Unmap().String(), nil
}

// plain says whether text holds only what a name in ASCII form may hold; the underscore is not for hosts, but
// real services have it.
func plain(text string) bool {
	for i := range len(text) {
		c := text[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_' {
			return false
		}
	}
	return text != ""
}

func labelsFit(text string) bool {
	for label := range strings.SplitSeq(text, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
	}
	return true
}

// endsInNumber is the rule by which the WHATWG URL standard takes a host for an IPv4 address.
func endsInNumber(text string) bool {
	last := text[strings.LastIndexByte(text, '.')+1:]
	if hex, found := strings.CutPrefix(last, "0x"); found {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}
