package genisys

import (
	"net/netip"
	"regexp"
	"strings"

	"golang.org/x/net/idna"

	"pawl/internal/canon"
	"pawl/internal/fault"
)

// idnaRules are UTS 46 for look-up: letters of any script, in the form that the DNS sees.
//
//nolint:gochecknoglobals // made once and never changed, like a regexp
var idnaRules = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.VerifyDNSLength(true),
	idna.Transitional(false), idna.CheckHyphens(false))

var (
	hostText = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)
	// numericEnd is what makes a URL parser (WHATWG, "ends in a number") read a host as an IPv4 address.
	numericEnd = regexp.MustCompile(`(^|\.)([0-9]+|0x[0-9a-f]*)$`)
)

// privateEnds are names that never lead to a public service: RFC 6761, RFC 6762, RFC 8375, RFC 9476, the
// reserved .internal, and what home and company networks use.
func privateEnds() []string {
	return []string{"localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa", "alt"}
}

// hostName checks a public host name and gives it in lower-case ASCII.
func hostName(text string) (string, *fault.Error) {
	if err := notAHost(text); err != nil {
		return "", err
	}
	name, err := idnaRules.ToASCII(text)
	if err != nil || len(name) > MaxHostLength || !hostText.MatchString(name) {
		return "", refused("host", "%s is not a valid host name.", text)
	}
	return name, notPublic(text, name)
}

// notAHost finds what people write around a host name.
func notAHost(text string) *fault.Error {
	_, err := netip.ParseAddr(strings.Trim(text, "[]"))
	switch {
	case text == "":
		return fault.New(fault.InvalidInput, "host", "The host name is empty; write one such as api.example.com.")
	case strings.Contains(text, "://"):
		return refused("scheme", "%s has a scheme; write the host name alone, such as api.example.com.", text)
	case strings.ContainsAny(text, `/\?#`):
		return refused("path", "%s has a path, a query or a fragment; write the host name alone, such as api.example.com.", text)
	case strings.Contains(text, "@"):
		return refused("credentials", "%s has credentials; write the host name alone, such as api.example.com.", text)
	case strings.Contains(text, "*"):
		return refused("wildcard", "%s is a wildcard; name each host by itself.", text)
	case err == nil:
		return refused("address", "%s is an address; write a host name.", text)
	case strings.Contains(text, ":"):
		return refused("port", "%s has a port; only 443 is used, leave it out.", text)
	case strings.HasSuffix(text, "."):
		return refused("host", "%s ends with a dot; leave it out.", text)
	}
	return nil
}

func notPublic(text, name string) *fault.Error {
	if numericEnd.MatchString(name) {
		return refused("address", "%s is an address; write a host name.", text)
	}
	for _, end := range privateEnds() {
		if name == end || strings.HasSuffix(name, "."+end) {
			return refused("private", "%s is a name of a private network; only public hosts are reached.", text)
		}
	}
	if !strings.Contains(name, ".") {
		return refused("single_label", "%s has no domain; write the full name, such as api.example.com.", text)
	}
	return nil
}

func refused(reason, format, text string) *fault.Error {
	return fault.New(fault.InvalidInput, reason, format, quote(text))
}

// quote repeats a text of the file in a message.
func quote(text string) string { return canon.Quote(text) }
