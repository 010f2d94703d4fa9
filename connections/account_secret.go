package connections

import (
	"strings"
	"unicode/utf8"

	"pawl/connections/vault"
	"pawl/internal/fault"
)

// SecretKind is how a key is applied to a request, as far as its form depends on it. A closed set.
type SecretKind string

// The kinds of secrets.
const (
	NoSecret     SecretKind = "none"
	BearerSecret SecretKind = "bearer" // Authorization: Bearer <key>
	HeaderSecret SecretKind = "header" // <Name>: <key>
	QuerySecret  SecretKind = "query"  // ?<name>=<key>
	BasicSecret  SecretKind = "basic"  // user:password
)

// CheckSecret refuses a key that could not be sent as it is. Nothing is trimmed: white space at an end, as a
// pasted line break, is refused. The message never quotes the key.
func CheckSecret(kind SecretKind, s vault.Secret) error {
	text := s.Expose()
	switch {
	case kind == NoSecret:
		return badSecret("This connection takes no key.")
	case text == "":
		return badSecret("The key is empty.")
	case len(text) > vault.MaxSecret:
		return fault.New(fault.TooLarge, "secret", "The key has %d bytes; at most %d can be sent.", len(text), vault.MaxSecret).At("/secret")
	case !utf8.ValidString(text):
		return badSecret("The key is not valid UTF-8 text.")
	case strings.ContainsFunc(text, isControl):
		return badSecret("The key holds a line break or another control character, often one from pasting. Give it without.")
	case strings.TrimSpace(text) != text:
		return badSecret("The key starts or ends with white space. Give it without.")
	}
	return checkForm(kind, text)
}

// isControl holds for C0 and C1 control characters, DEL, and the two Unicode line separators.
func isControl(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029
}

func checkForm(kind SecretKind, text string) error {
	switch kind {
	case BearerSecret:
		if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return badSecret("A bearer key has visible ASCII characters only, without spaces. Give the key alone, without the word Bearer.")
		}
	case HeaderSecret:
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
			return badSecret("A key that goes into a header has ASCII characters only.")
		}
	case BasicSecret: // RFC 7617: the first colon ends the user name
		if !strings.Contains(text, ":") {
			return badSecret("A basic credential has the form user:password.")
		}
	default: // any text without control characters
	}
	return nil
}

func badSecret(sentence string) error {
	return fault.New(fault.InvalidInput, "secret", "%s", sentence).At("/secret")
}
