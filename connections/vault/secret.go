package vault

import (
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
)

// hidden is what every way of printing a Secret gives.
const hidden = "[secret]"

// Secret holds a credential that must not leave the process by accident: it prints, logs and marshals as
// "[secret]", by every verb of fmt and inside other values too. Only Expose gives the text. The zero value is
// an empty secret.
//
// The text stands behind a function because fmt does not call methods on unexported fields of other structs and,
// with a verb that does not fit, follows pointers: of a function it only ever prints the address.
type Secret struct{ expose func() string }

// NewSecret takes text as it is; nothing is trimmed.
func NewSecret(text string) Secret { return Secret{func() string { return text }} }

// Expose gives the text, for the one place that sends it.
func (s Secret) Expose() string {
	if s.expose == nil {
		return ""
	}
	return s.expose()
}

// Empty says whether there is no text.
func (s Secret) Empty() bool { return s.Expose() == "" }

// Equal compares in a time that does not depend on where the texts differ.
func (s Secret) Equal(o Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Expose()), []byte(o.Expose())) == 1
}

// String gives "[secret]".
func (s Secret) String() string { return hidden }

// GoString gives "[secret]".
func (s Secret) GoString() string { return hidden }

// Format writes "[secret]" for every verb and flag.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// MarshalJSON gives "[secret]" as a JSON text.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// MarshalText gives "[secret]".
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// LogValue gives "[secret]".
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }
