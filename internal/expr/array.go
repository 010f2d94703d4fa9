package expr

import (
	"reflect"
	"strconv"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// array is a JSON list as a CEL list.
type array struct {
	elements []any
	at       place
}

// Get implements traits.Indexer.
func (a *array) Get(index ref.Val) ref.Val {
	i, ok := index.(types.Int)
	if !ok {
		return failed(failure{reason: "index", message: "the index of a list must be a whole number, not " + describe(index)})
	}
	v, ok := a.GetInt64Index(int64(i))
	if !ok {
		return types.NewErr("index out of bounds: %d", i)
	}
	return v.(ref.Val)
}

// GetInt64Index is what CEL asks first for the element at an index.
func (a *array) GetInt64Index(i int64) (any, bool) {
	if i < 0 || i >= int64(len(a.elements)) {
		a.miss(int(i))
		return nil, false
	}
	return a.element(int(i)), true
}

func (a *array) element(i int) ref.Val {
	return wrap(a.elements[i], place{up: &a.at, index: i, list: true, trail: a.at.trail})
}

func (a *array) miss(i int) {
	if t := a.at.trail; t != nil {
		t.missed, t.key, t.length, t.scalar, t.members = &a.at, strconv.Itoa(i), len(a.elements), nil, nil
	}
}

// Add implements traits.Adder: a list of both.
func (a *array) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	all := make([]ref.Val, 0, len(a.elements)+length(o))
	for i := range a.elements {
		all = append(all, a.element(i))
	}
	for it := o.Iterator(); it.HasNext() == types.True; {
		all = append(all, it.Next())
	}
	return types.NewRefValList(adapter{base: types.DefaultTypeAdapter}, all)
}

func length(v traits.Sizer) int {
	n, _ := v.Size().(types.Int)
	return int(n)
}

// Contains implements traits.Container.
func (a *array) Contains(v ref.Val) ref.Val { return contains(a, v) }

// Iterator implements traits.Iterable.
func (a *array) Iterator() traits.Iterator { return &iterator{list: a} }

// Size implements traits.Sizer.
func (a *array) Size() ref.Val { return types.Int(len(a.elements)) }

// Equal implements ref.Val.
func (a *array) Equal(other ref.Val) ref.Val { return equalValue(a, other) }

// Type implements ref.Val.
func (a *array) Type() ref.Type { return types.ListType }

// Value implements ref.Val.
func (a *array) Value() any { return a.elements }

// ConvertToNative implements ref.Val; nothing in this package asks for it.
func (a *array) ConvertToNative(want reflect.Type) (any, error) {
	return nil, failure{reason: "conversion", message: "a list can't be turned into " + want.String()}
}

// ConvertToType implements ref.Val.
func (a *array) ConvertToType(ref.Type) ref.Val { return types.MaybeNoSuchOverloadErr(a) }

// iterator walks an array.
type iterator struct {
	list *array
	next int
}

// HasNext implements traits.Iterator.
func (it *iterator) HasNext() ref.Val { return types.Bool(it.next < len(it.list.elements)) }

// Next implements traits.Iterator.
func (it *iterator) Next() ref.Val {
	if it.next >= len(it.list.elements) {
		return nil
	}
	it.next++
	return it.list.element(it.next - 1)
}

// ConvertToNative implements ref.Val.
func (it *iterator) ConvertToNative(reflect.Type) (any, error) {
	return nil, failure{reason: "conversion", message: "an iterator has no native form"}
}

// ConvertToType implements ref.Val.
func (it *iterator) ConvertToType(ref.Type) ref.Val { return types.MaybeNoSuchOverloadErr(it) }

// Equal implements ref.Val.
func (it *iterator) Equal(ref.Val) ref.Val { return types.MaybeNoSuchOverloadErr(it) }

// Type implements ref.Val.
func (it *iterator) Type() ref.Type { return types.IteratorType }

// Value implements ref.Val.
func (it *iterator) Value() any { return nil }
