// Package vault seals the secrets of accounts with envelope encryption (docs/vault.md): each secret has a data
// key of its own, which the master keyset wraps. The bytes are bound to the row that holds them, so they don't
// open in another row or as another version.
package vault

import (
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"
	"github.com/tink-crypto/tink-go/v2/aead"

	"pawl/internal/fault"
)

// format is the first byte of sealed bytes: 1 is Tink's KMS envelope with AES-256-GCM data keys.
const format = 1

// Row is what sealed bytes are bound to: the secret's id and its version, which grows with every new value.
type Row struct {
	ID      uuid.UUID
	Version int
}

// Vault seals and opens. It is safe for concurrent use and keeps no opened secret and no data key: unwrapping
// costs a few microseconds.
type Vault struct {
	envelope *aead.KMSEnvelopeAEAD
	primary  uint32
}

// New prepares a vault for a master keyset, which is parsed once, here.
func New(master MasterKey) (*Vault, error) {
	kek, err := aead.New(master.handle)
	if err != nil {
		return nil, fmt.Errorf("prepare the master keyset: %w", err)
	}
	p, err := master.handle.Primary()
	if err != nil {
		return nil, fmt.Errorf("find the primary master key: %w", err)
	}
	return &Vault{aead.NewKMSEnvelopeAEAD2(aead.AES256GCMKeyTemplate(), kek), p.KeyID()}, nil
}

// Seal encrypts s for one row. The same secret gives other bytes each time.
func (v *Vault) Seal(row Row, s Secret) ([]byte, error) {
	if len(s.Expose()) > MaxSecret {
		return nil, fault.New(fault.TooLarge, "secret", "The secret is longer than %d bytes.", MaxSecret)
	}
	sealed, err := v.envelope.Encrypt([]byte(s.Expose()), row.bytes())
	if err != nil {
		return nil, fmt.Errorf("seal a secret: %w", err)
	}
	return append([]byte{format}, sealed...), nil
}

// Open decrypts what Seal made for the same row. Any difference in the bytes, the row or the master keyset gives
// the same internal fault, which names the row only.
func (v *Vault) Open(row Row, sealed []byte) (Secret, error) {
	if len(sealed) == 0 || sealed[0] != format {
		return Secret{}, cannotOpen(row, fmt.Errorf("unknown format"))
	}
	text, err := v.envelope.Decrypt(sealed[1:], row.bytes())
	if err != nil {
		return Secret{}, cannotOpen(row, err)
	}
	return NewSecret(string(text)), nil
}

func cannotOpen(row Row, cause error) error {
	return fault.New(fault.Internal, "vault",
		"The stored key %s can't be opened: the master key is not the one that sealed it, or the row was changed. Restore PAWL_MASTER_KEY, or set the account's key again.",
		row.ID).Because(cause)
}

// Current says whether sealed is wrapped by the primary master key; if not, it wants Reseal.
func (v *Vault) Current(sealed []byte) bool {
	id, ok := wrappedBy(sealed)
	return ok && id == v.primary
}

// Reseal wraps a secret anew, with the primary master key and a new data key, for the same row.
func (v *Vault) Reseal(row Row, sealed []byte) ([]byte, error) {
	s, err := v.Open(row, sealed)
	if err != nil {
		return nil, err
	}
	return v.Seal(row, s)
}

// wrappedBy reads the id of the master key out of the envelope: format byte, four bytes of length, then Tink's
// prefix of the wrapped data key (one byte 1, four bytes of key id).
func wrappedBy(sealed []byte) (uint32, bool) {
	const prefix = 1 + 4
	if len(sealed) < prefix+5 || sealed[0] != format || sealed[prefix] != 1 {
		return 0, false
	}
	return binary.BigEndian.Uint32(sealed[prefix+1:]), true
}

// bytes is the associated data.
func (r Row) bytes() []byte {
	return fmt.Appendf(nil, "pawl/secret/%d|%s|%d", format, r.ID, r.Version)
}
