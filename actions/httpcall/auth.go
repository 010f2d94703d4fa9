package httpcall

import (
	"encoding/base64"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"pawl/actions"
	"pawl/internal/fault"
)

// Secret is an account's key. The types that satisfy it can't be printed, logged or marshalled; Expose is
// called only while a request is put together, in the process that sends it.
type Secret interface{ Expose() string }

// BasicSecret joins a user name and a password to the text that a Secret for actions.AuthBasic exposes. As the
// first colon ends the user name (RFC 7617), one with a colon is refused, and so are control characters. It is
// called when a key is saved.
func BasicSecret(user, password string) (string, error) {
	switch {
	case user == "":
		return "", badSecret("The user name is empty.")
	case strings.Contains(user, ":"):
		return "", badSecret("The user name holds a colon, which basic authentication can't send: the first colon ends the name.")
	case strings.ContainsFunc(user+password, unicode.IsControl), !utf8.ValidString(user + password):
		return "", badSecret("The user name or the password holds a character that can't be sent, such as a line break.")
	}
	return user + ":" + password, nil
}

func badSecret(text string) *fault.Error {
	return fault.New(fault.InvalidInput, "credential", "%s", text)
}

// credential is what one exchange adds to its request: one header line or one query pair.
type credential struct {
	header, value string   // as on the wire; empty = none
	query         string   // "name=value", encoded; empty = none
	sent          []string // what an answer may echo
}

// newCredential checks the key and puts it into the form in which it is sent.
func newCredential(auth actions.Auth, secret Secret) (credential, error) {
	if auth.Kind == actions.AuthNone || auth.Kind == "" {
		return credential{}, nil
	}
	if secret == nil {
		return credential{}, fault.New(fault.Internal, "no_secret", "The action needs an account's key and none was handed over; nothing was sent.")
	}
	key := secret.Expose()
	if err := checkKey(auth, key); err != nil {
		return credential{}, err
	}
	switch auth.Kind {
	case actions.AuthBearer:
		return credential{header: "Authorization", value: "Bearer " + key, sent: []string{key}}, nil
	case actions.AuthHeader:
		return credential{header: auth.Name, value: key, sent: []string{key}}, nil
	case actions.AuthQuery:
		name := string(appendEscaped(nil, auth.Name, unreserved))
		return credential{query: name + "=" + string(appendEscaped(nil, key, unreserved)), sent: []string{key}}, nil
	case actions.AuthBasic:
		encoded := base64.StdEncoding.EncodeToString([]byte(key))
		_, password, _ := strings.Cut(key, ":")
		return credential{header: "Authorization", value: "Basic " + encoded, sent: []string{key, encoded, password}}, nil
	default:
		return credential{}, fault.New(fault.Internal, "auth", "The action declares the unknown authentication %q.", auth.Kind)
	}
}

// checkKey refuses a key that would not arrive as it is. Its messages never quote the key.
func checkKey(auth actions.Auth, key string) error {
	switch {
	case key == "":
		return badSecret("The account's key is empty: set it again.")
	case auth.Kind == actions.AuthBasic && !strings.Contains(key, ":"):
		return badSecret("The account's key is no user name and password with a colon between: set it again.")
	case strings.ContainsFunc(key, unicode.IsControl), !utf8.ValidString(key):
		return badSecret("The account's key holds a character that can't be sent, such as a line break: set it again.")
	case auth.Kind == actions.AuthHeader && (ownHeader(auth.Name) || !httpguts.ValidHeaderFieldName(auth.Name)):
		return fault.New(fault.InvalidInput, "auth_header", "The header %q is reserved or no header name: a key can't be sent in it.", auth.Name)
	}
	if auth.Kind == actions.AuthHeader || auth.Kind == actions.AuthBearer {
		if strings.TrimSpace(key) != key || strings.ContainsFunc(key, func(c rune) bool { return c > unicode.MaxASCII }) {
			return badSecret("The account's key begins or ends with a space or holds a letter outside ASCII, which a header can't carry: set it again.")
		}
	}
	return nil
}

// ownHeader says whether this package or the connection sets the header.
func ownHeader(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Host", "User-Agent", "Accept", "Accept-Encoding", "Content-Type", "Content-Length", "Content-Encoding",
		"Transfer-Encoding", "Connection", "Upgrade", "Te", "Trailer", "Expect", "Idempotency-Key", "":
		return true
	}
	return false
}
