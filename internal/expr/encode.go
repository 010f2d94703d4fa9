package expr

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"pawl/internal/canon"
)

var errResult = failure{"size", fmt.Sprintf("the result is larger than %d bytes", MaxResult)}

// appendNative writes decoded JSON, object members in sorted order.
func appendNative(b []byte, v any) ([]byte, error) {
	switch x := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, x), nil
	case json.Number:
		return append(b, x...), nil
	case string:
		return appendText(b, x), nil
	case []any:
		return appendSlice(b, x)
	case map[string]any:
		return appendMembers(b, x)
	}
	return nil, failure{"value", fmt.Sprintf("a %T is no JSON value", v)}
}

func appendSlice(b []byte, list []any) (_ []byte, err error) {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendNative(b, v); err != nil {
			return nil, err
		}
	}
	return bounded(append(b, ']'))
}

func appendMembers(b []byte, members map[string]any) (_ []byte, err error) {
	b = append(b, '{')
	keys := make([]string, 0, len(members))
	for key := range members {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, key), ':')
		if b, err = appendNative(b, members[key]); err != nil {
			return nil, err
		}
	}
	return bounded(append(b, '}'))
}

func bounded(b []byte) ([]byte, error) {
	if len(b) > MaxResult {
		return nil, errResult
	}
	return b, nil
}

// appendText writes a JSON string; most need no escapes.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			return canon.AppendText(b, s)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// appendValue writes a CEL value as JSON.
func appendValue(b []byte, v ref.Val) ([]byte, error) {
	switch x := v.(type) {
	case *object:
		return appendNative(b, x.members)
	case *array:
		return appendNative(b, x.elements)
	case traits.Lister:
		return appendList(b, x)
	case traits.Mapper:
		return appendMap(b, x)
	case types.Null:
		return append(b, "null"...), nil
	case types.String:
		return bounded(appendText(b, string(x)))
	case largeText:
		return bounded(appendText(b, string(x)))
	case types.Bool:
		return strconv.AppendBool(b, bool(x)), nil
	case *types.Optional:
		return nil, failure{"optional", "the result is an optional; end it with .orValue(...) to say what stands for a missing value"}
	}
	if text, ok := numberText(v); ok {
		return append(b, text...), nil
	}
	s, err := textOf(v)
	if err != nil {
		return nil, err
	}
	return appendText(b, s), nil
}

func appendList(b []byte, list traits.Lister) (_ []byte, err error) {
	b = append(b, '[')
	for it, first := list.Iterator(), true; it.HasNext() == types.True; first = false {
		if !first {
			b = append(b, ',')
		}
		if b, err = appendValue(b, it.Next()); err != nil {
			return nil, err
		}
	}
	return bounded(append(b, ']'))
}

func appendMap(b []byte, m traits.Mapper) ([]byte, error) {
	names, err := sortedKeys(m)
	if err != nil {
		return nil, err
	}
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, name), ':')
		v, _ := m.Find(types.String(name))
		if b, err = appendValue(b, v); err != nil {
			return nil, err
		}
	}
	return bounded(append(b, '}'))
}

func sortedKeys(m traits.Mapper) ([]string, error) {
	var names []string
	for it := m.Iterator(); it.HasNext() == types.True; {
		key, ok := it.Next().(types.String)
		if !ok {
			return nil, failure{"key", "the keys of an object must be strings"}
		}
		names = append(names, string(key))
	}
	slices.Sort(names)
	return names, nil
}

// textOf is the text form of a scalar: a string as it is, a number with its digits, true and false, an instant
// as RFC 3339 has it in UTC, a duration in seconds with an s.
func textOf(v ref.Val) (string, error) {
	switch x := v.(type) {
	case types.String:
		return string(x), nil
	case largeText:
		return string(x), nil
	case types.Bool:
		return strconv.FormatBool(bool(x)), nil
	case types.Timestamp:
		return x.UTC().Format(time.RFC3339Nano), nil
	case types.Duration:
		seconds, err := fromBig(big.NewInt(int64(x.Duration)), -9).text()
		return seconds + "s", err
	}
	if text, ok := numberText(v); ok {
		return text, nil
	}
	return "", failure{"text", describe(v) + " has no text form; json() makes a text of it"}
}

// nativeText is textOf for decoded JSON.
func nativeText(v any) (string, error) {
	switch x := v.(type) {
	case string:
		return x, nil
	case bool:
		return strconv.FormatBool(x), nil
	case json.Number:
		return string(x), nil
	}
	return "", failure{"text", kindOf(v) + " has no text form; json() makes a text of it"}
}
