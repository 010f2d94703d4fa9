package expr

import (
	"crypto/sha256"
	"encoding/binary"
	"reflect"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"github.com/google/uuid"
)

// seed is the hidden value behind uuid(): what the caller gave and how many were drawn.
type seed struct {
	bytes []byte
	drawn uint64
}

// nextUUID gives a UUID of version 8 (RFC 9562) that follows from the seed and from how many were drawn before
// in this evaluation: repeated with the same seed, an evaluation gives the same ones.
func nextUUID(v ref.Val) ref.Val {
	s, ok := v.(*seed)
	if !ok || len(s.bytes) == 0 {
		return failed(failure{"seed", "uuid() is not available here"})
	}
	s.drawn++
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(s.bytes[:len(s.bytes):len(s.bytes)], s.drawn))
	id := uuid.UUID(sum[:16])
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return types.String(id.String())
}

// ConvertToNative implements ref.Val.
func (s *seed) ConvertToNative(reflect.Type) (any, error) {
	return nil, failure{"conversion", "a seed has no native form"}
}

// ConvertToType implements ref.Val.
func (s *seed) ConvertToType(ref.Type) ref.Val { return types.MaybeNoSuchOverloadErr(s) }

// Equal implements ref.Val.
func (s *seed) Equal(ref.Val) ref.Val { return types.False }

// Type implements ref.Val.
func (s *seed) Type() ref.Type { return types.DynType }

// Value implements ref.Val.
func (s *seed) Value() any { return nil }
