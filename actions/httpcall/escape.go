package httpcall

import "strings"

const upperHex = "0123456789ABCDEF"

// Bytes that stay as they are. All others are written as %XX, once.
const (
	alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	// unreserved of RFC 3986, section 2.3. Nothing else stays in a value of a path or a query: servers differ in
	// what they make of ";", ":", "@", "+" and the like.
	unreserved = alphanumeric + "-._~"
	// formKept is the set of the application/x-www-form-urlencoded serialiser of the WHATWG URL standard.
	formKept = alphanumeric + "*-._"
	// templateKept is what a literal part of a path template keeps: pchar of RFC 3986 and "/", and "%", because
	// the declaration may have encoded it already.
	templateKept = unreserved + "!$&'()*+,;=:@/%"
)

func appendEscaped(dst []byte, s, kept string) []byte {
	for i := range len(s) {
		c := s[i]
		if strings.IndexByte(kept, c) >= 0 {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return dst
}

// appendFormEscaped writes a name or value of a form: as above, but a space is a plus.
func appendFormEscaped(dst []byte, s string) []byte {
	for i, part := range strings.Split(s, " ") {
		if i > 0 {
			dst = append(dst, '+')
		}
		dst = appendEscaped(dst, part, formKept)
	}
	return dst
}
