package schema

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"pawl/internal/canon"
)

// plain turns a value into what encoding/json writes with the same digits.
func plain(v *canon.Value) any {
	switch v.Kind() {
	case canon.Bool:
		return v.Text() == "true"
	case canon.Number:
		return json.Number(v.Text())
	case canon.Text:
		return v.Text()
	case canon.List:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plain(v.At(i))
		}
		return list
	case canon.Object:
		members := make(map[string]any, v.Len())
		for i := range v.Len() {
			members[v.At(i).Name()] = plain(v.At(i))
		}
		return members
	default:
		return nil
	}
}

// size measures what walking a value costs: one for each value in it, and one for every unit bytes of its texts and of
// the pointers of its places, which the library writes for each of them.
func size(v *canon.Value) int { return sizeAt(v, 0) }

func sizeAt(v *canon.Value, pointer int) int {
	if v == nil {
		return 0
	}
	n := 1 + (pointer+len(v.Text()))/unit
	for i := range v.Len() {
		n += sizeAt(v.At(i), pointer+1+len(v.At(i).Name()))
	}
	return n
}

// exponent says whether a number in v has an exponent that would make the library count out a number of that many
// digits.
func exponent(v *canon.Value) bool {
	if v.Kind() == canon.Number {
		_, text, ok := strings.Cut(strings.ToLower(v.Text()), "e")
		n, err := strconv.Atoi(text)
		return ok && (err != nil || n < -maxExponent || n > maxExponent)
	}
	for i := range v.Len() {
		if exponent(v.At(i)) {
			return true
		}
	}
	return false
}

func escape(part string) string {
	return strings.ReplaceAll(strings.ReplaceAll(part, "~", "~0"), "/", "~1")
}

func unescape(part string) string {
	return strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
}

// fragment writes a JSON pointer as the fragment of an address (RFC 6901, section 6).
func fragment(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

// decoded reads a pointer as the library gives it: as the fragment of an address.
func decoded(pointer string) string {
	if d, err := url.PathUnescape(pointer); err == nil {
		return d
	}
	return pointer
}

// index reads the index of an element.
func index(part string) (int, bool) {
	i, err := strconv.Atoi(part)
	return i, err == nil && i >= 0
}

// clip cuts a text for a message.
func clip(s string) string {
	if r := []rune(s); len(r) > maxShown {
		return string(r[:maxShown]) + "…"
	}
	return s
}
