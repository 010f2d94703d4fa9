package vault

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"

	"pawl/internal/fault"
)

// MasterKey is the master keyset: one or more XAES-256-GCM keys, of which the primary one wraps and all enabled
// ones unwrap. It is as secret as a Secret and prints as "[secret]"; Text gives the form that is kept.
type MasterKey struct {
	Secret
	handle *keyset.Handle
}

// Key is what may be known of one key of a master keyset.
type Key struct {
	ID      uint32
	Primary bool
}

// NewMasterKey makes a keyset of one new random key.
func NewMasterKey() (MasterKey, error) {
	h, err := keyset.NewHandle(aead.XAES256GCM192BitNonceKeyTemplate())
	if err != nil {
		return MasterKey{}, fmt.Errorf("make a master key: %w", err)
	}
	return masterKey(h)
}

// ParseMasterKey reads the text of a master keyset: the standard base64 of Tink's binary keyset. White space
// around it is allowed. The error never quotes the text.
func ParseMasterKey(text string) (MasterKey, error) {
	if len(text) > maxMasterKey {
		return MasterKey{}, badMasterKey("is longer than %d bytes", maxMasterKey)
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return MasterKey{}, badMasterKey("is not base64")
	}
	h, err := insecurecleartextkeyset.Read(keyset.NewBinaryReader(bytes.NewReader(raw)))
	if err != nil {
		return MasterKey{}, badMasterKey("is not a keyset")
	}
	if _, err := aead.New(h); err != nil {
		return MasterKey{}, badMasterKey("has no usable key for authenticated encryption")
	}
	return masterKey(h)
}

func badMasterKey(what string, args ...any) error {
	return fault.New(fault.InvalidInput, "master_key",
		"The master key %s. Give the text that `pawl vault new-key` printed, or file:PATH of a file that holds it.", fmt.Sprintf(what, args...))
}

// masterKey derives the text of a handle.
func masterKey(h *keyset.Handle) (MasterKey, error) {
	var b bytes.Buffer
	if err := insecurecleartextkeyset.Write(h, keyset.NewBinaryWriter(&b)); err != nil {
		return MasterKey{}, fmt.Errorf("write the master keyset: %w", err)
	}
	return MasterKey{NewSecret(base64.StdEncoding.EncodeToString(b.Bytes())), h}, nil
}

// Text is what ParseMasterKey reads: to be kept in a secret store, never in a log.
func (k MasterKey) Text() string { return k.Expose() }

// Keys lists the keys in the order of the keyset.
func (k MasterKey) Keys() []Key {
	keys := make([]Key, 0, k.handle.Len())
	for i := range k.handle.Len() {
		if e, err := k.handle.Entry(i); err == nil {
			keys = append(keys, Key{e.KeyID(), e.IsPrimary()})
		}
	}
	return keys
}

// Add gives a keyset with one more key, which opens but does not seal yet: first every process must have it.
func (k MasterKey) Add() (MasterKey, uint32, error) {
	var id uint32
	m, err := k.change(func(km *keyset.Manager) (err error) {
		id, err = km.Add(aead.XAES256GCM192BitNonceKeyTemplate())
		return err
	})
	return m, id, err
}

// MakePrimary gives a keyset that seals with the key id.
func (k MasterKey) MakePrimary(id uint32) (MasterKey, error) {
	return k.change(func(km *keyset.Manager) error { return km.SetPrimary(id) })
}

// Drop gives a keyset without the key id, which must not be the primary one. What is still sealed with it can't
// be opened any more: reseal first.
func (k MasterKey) Drop(id uint32) (MasterKey, error) {
	return k.change(func(km *keyset.Manager) error { return km.Delete(id) })
}

func (k MasterKey) change(f func(*keyset.Manager) error) (MasterKey, error) {
	km := keyset.NewManagerFromHandle(k.handle)
	if err := f(km); err != nil {
		return MasterKey{}, fault.New(fault.InvalidInput, "master_key", "The master keyset refuses this: the key is unknown, or it is the primary one.").Because(err)
	}
	h, err := km.Handle()
	if err != nil {
		return MasterKey{}, fmt.Errorf("change the master keyset: %w", err)
	}
	return masterKey(h)
}
