package expr

import (
	"maps"
	"reflect"
	"slices"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// object is a JSON object as a CEL map.
type object struct {
	members map[string]any
	at      place
}

var (
	_ traits.Mapper = (*object)(nil)
	_ traits.Lister = (*array)(nil)
)

// Find implements traits.Mapper.
func (o *object) Find(key ref.Val) (ref.Val, bool) {
	k, ok := key.(types.String)
	if !ok {
		return failed(failure{reason: "key", message: "the key of an object must be a string, not " + describe(key)}), false
	}
	v, ok := o.members[string(k)]
	if !ok {
		o.miss(string(k))
		return nil, false
	}
	return wrap(v, place{up: &o.at, key: string(k), trail: o.at.trail}), true
}

func (o *object) miss(key string) {
	if t := o.at.trail; t != nil {
		t.missed, t.key, t.scalar = &o.at, key, nil
		t.members = slices.Sorted(maps.Keys(o.members))
	}
}

// Get implements traits.Indexer.
func (o *object) Get(key ref.Val) ref.Val {
	v, found := o.Find(key)
	switch {
	case found, v != nil:
		return v
	}
	return types.NewErr("no such key: %v", key)
}

// Contains implements traits.Container: whether there is such a key.
func (o *object) Contains(key ref.Val) ref.Val {
	k, ok := key.(types.String)
	if !ok {
		return types.False
	}
	_, found := o.members[string(k)]
	return types.Bool(found)
}

// Iterator implements traits.Iterable: the keys in sorted order, so that equal data gives equal results.
func (o *object) Iterator() traits.Iterator {
	keys := slices.Sorted(maps.Keys(o.members))
	list := make([]any, len(keys))
	for i, k := range keys {
		list[i] = k
	}
	return &iterator{list: &array{elements: list}}
}

// Size implements traits.Sizer.
func (o *object) Size() ref.Val { return types.Int(len(o.members)) }

// Equal implements ref.Val.
func (o *object) Equal(other ref.Val) ref.Val { return equalValue(o, other) }

// Type implements ref.Val.
func (o *object) Type() ref.Type { return types.MapType }

// Value implements ref.Val.
func (o *object) Value() any { return o.members }

// ConvertToNative implements ref.Val; nothing in this package asks for it.
func (o *object) ConvertToNative(want reflect.Type) (any, error) {
	return nil, failure{reason: "conversion", message: "an object can't be turned into " + want.String()}
}

// ConvertToType implements ref.Val.
func (o *object) ConvertToType(ref.Type) ref.Val { return types.MaybeNoSuchOverloadErr(o) }
