package api

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/google/uuid"

	"pawl/internal/auth"
	"pawl/internal/fault"
)

const idempotencyKey = "Idempotency-Key"

// once checks the Idempotency-Key of a request and leaves it in its plain form.
func once(ctx huma.Context, next func(huma.Context)) {
	req, w := humachi.Unwrap(ctx)
	if values := req.Header.Values(idempotencyKey); len(values) > 0 {
		key, err := plainKey(values)
		if err != nil {
			writeProblem(w, req, err)
			return
		}
		req.Header.Set(idempotencyKey, key)
	}
	next(ctx)
}

// plainKey reads the header of draft-ietf-httpapi-idempotency-key-header-07: a string item of RFC 8941 (3.3.3), in double
// quotes. The same text without quotes, as many clients send it, is the same key.
func plainKey(values []string) (string, error) {
	if len(values) > 1 {
		return "", badKey("The header Idempotency-Key stands there %d times; send one.", len(values))
	}
	key := strings.TrimSpace(values[0])
	least := byte('!')
	if strings.HasPrefix(key, `"`) {
		least = ' '
		var ok bool
		if key, ok = unquoted(key); !ok {
			return "", badKey(`The header Idempotency-Key begins with a double quote and is no quoted text: close it, and write \" and \\ for a quote and a backslash in it.`)
		}
	}
	switch {
	case key == "":
		return "", badKey("The header Idempotency-Key is empty: give each start a key of its own, for instance a UUID, or leave the header out.")
	case len(key) > maxIdempotencyKey:
		return "", badKey("The Idempotency-Key has %d characters; %d are allowed.", len(key), maxIdempotencyKey)
	}
	for i := range len(key) {
		if key[i] < least || key[i] > '~' {
			return "", badKey("The Idempotency-Key has a character that is not allowed at place %d: use visible ASCII characters, and spaces only between double quotes.", i+1)
		}
	}
	return key, nil
}

// unquoted reads a string of RFC 8941; only quotes and backslashes are escaped in it.
func unquoted(text string) (string, bool) {
	inner, ok := strings.CutSuffix(text[1:], `"`)
	if !ok {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(inner); i++ {
		if inner[i] == '"' {
			return "", false
		}
		if inner[i] == '\\' {
			if i++; i == len(inner) || (inner[i] != '"' && inner[i] != '\\') {
				return "", false
			}
		}
		b.WriteByte(inner[i])
	}
	return b.String(), true
}

func badKey(format string, args ...any) error {
	return fault.New(fault.InvalidInput, "idempotency_key", format, args...)
}

// startKey makes a start happen once. Test keys have keys of their own, so that a test never finds a run of the live
// version; a start without a key is a new one.
func startKey(c *auth.Caller, given string) string {
	switch {
	case given == "":
		return "request:" + uuid.Must(uuid.NewV7()).String()
	case c.TestOnly():
		return "test-key:" + given
	}
	return "key:" + given
}
