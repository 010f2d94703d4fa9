package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"time"

	"github.com/google/uuid"

	"pawl/internal/fault"
)

var keyText = regexp.MustCompile(`^pawl_(test|live|research)_[A-Za-z0-9_-]{43}$`)

// NewKey makes an API key. The text is shown once and kept nowhere; the row keeps its hash and prefix. A key that would
// be expired already is an invalid_input fault, as is an unknown kind.
func NewKey(kind KeyKind, person uuid.UUID, project *uuid.UUID, name string, expires *time.Time) (Key, string, error) {
	switch kind {
	case TestKey, LiveKey, ResearchKey:
	default:
		return Key{}, "", fault.New(fault.InvalidInput, "key_kind", "%q is not a kind of API key: use test, live or research.", kind).At("/kind")
	}
	if now := time.Now(); expires != nil && !expires.After(now) {
		return Key{}, "", fault.New(fault.InvalidInput, "expires_at", "%s has passed (it is %s now): give an instant that is still to come, or none for a key without an end.",
			expires.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339)).At("/expires_at")
	}
	text := "pawl_" + string(kind) + "_" + randomText(keyRandomBytes)
	k := Key{
		ID: uuid.Must(uuid.NewV7()), PersonID: person, ProjectID: project, Kind: kind, Name: name, ExpiresAt: expires,
		Prefix: text[:len("pawl_")+len(kind)+1+keyPrefixRandom],
	}
	return k, text, nil
}

// HashKey is the SHA-256 of a key's text, and false for a text that is no key at all.
func HashKey(text string) ([]byte, bool) {
	if !keyText.MatchString(text) {
		return nil, false
	}
	return hashOf(text), true
}

func hashOf(text string) []byte {
	h := sha256.Sum256([]byte(text))
	return h[:]
}

// randomText is n random bytes as unpadded base64url (RFC 4648).
func randomText(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // crypto/rand.Read never fails since Go 1.24
	return base64.RawURLEncoding.EncodeToString(b)
}
