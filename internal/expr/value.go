package expr

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// place is where in the given data a value was found, so that a message can name it.
type place struct {
	up    *place
	key   string
	index int // used when list is set
	list  bool
	trail *trail // of the root
}

// trail remembers what was looked up last in one evaluation. CEL reports a missing key at once but not where;
// the trail knows.
type trail struct {
	missed  *place // the object or list without it
	members []string
	length  int    // of a list
	key     string // what was looked for
	scalar  *place // the last scalar that was read
	kind    string // what it is
}

func (p *place) String() string {
	var keys []*place
	for ; p != nil; p = p.up {
		keys = append(keys, p)
	}
	var b strings.Builder
	for i, k := range slices.Backward(keys) {
		switch {
		case k.list:
			fmt.Fprintf(&b, "[%d]", k.index)
		case i == len(keys)-1:
			b.WriteString(k.key)
		default:
			b.WriteString(member(k.key))
		}
	}
	return b.String()
}

// member writes the selection of a key as an expression has it.
func member(key string) string {
	if identifier(key) {
		return "." + key
	}
	return "[" + strconv.Quote(key) + "]"
}

func identifier(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		if !wordByte(s[i]) {
			return false
		}
	}
	return true
}

// adapter turns decoded JSON into CEL values; it implements types.Adapter.
type adapter struct{ base types.Adapter }

// NativeToValue implements types.Adapter.
func (a adapter) NativeToValue(v any) ref.Val {
	switch x := v.(type) {
	case ref.Val:
		return x
	case json.Number:
		return newNumber(string(x))
	case map[string]any:
		return &object{members: x}
	case []any:
		return &array{elements: x}
	case string:
		return types.String(x)
	case bool:
		return types.Bool(x)
	case nil:
		return types.NullValue
	}
	return a.base.NativeToValue(v)
}

// wrap gives the value found at a place.
func wrap(v any, at place) ref.Val {
	switch x := v.(type) {
	case map[string]any:
		return &object{members: x, at: at}
	case []any:
		return &array{elements: x, at: at}
	}
	if at.trail != nil {
		at.trail.scalar, at.trail.kind = &at, kindOf(v)
	}
	if s, ok := v.(string); ok && len(s) > MaxText {
		at.trail.kind = tooLarge
		return largeText(s)
	}
	return adapter{base: types.DefaultTypeAdapter}.NativeToValue(v)
}

// tooLarge is the kind of a largeText, for messages.
const tooLarge = "a string that is too long for anything but being passed on"

// largeText is a string beyond MaxText. CEL's functions refuse it, so that none of them works on it for seconds or
// makes much more of it; it can be passed on.
type largeText string

// ConvertToNative implements ref.Val.
func (l largeText) ConvertToNative(reflect.Type) (any, error) { return string(l), nil }

// ConvertToType implements ref.Val.
func (l largeText) ConvertToType(ref.Type) ref.Val { return types.MaybeNoSuchOverloadErr(l) }

// Equal implements ref.Val.
func (l largeText) Equal(other ref.Val) ref.Val { return equalValue(l, other) }

// Type implements ref.Val; it is no string to CEL.
func (l largeText) Type() ref.Type { return types.NewOpaqueType("large_text") }

// Value implements ref.Val.
func (l largeText) Value() any { return string(l) }

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("a %T", v)
}

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
