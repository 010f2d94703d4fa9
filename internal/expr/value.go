package expr

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
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

// Value implements ref.Val. It gives nothing, because CEL takes a string here for one to work on.
func (l largeText) Value() any { return nil }

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
