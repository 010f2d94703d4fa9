package httpcall

import (
	"slices"
	"strconv"
	"strings"
)

// NoteName says what became of a part of an answer that could not be kept as it came, or that readers disagree
// about. A closed set, part of the output (docs/wire.md).
type NoteName string

// The notes.
const (
	// LoneSurrogate: half a surrogate pair, which no UTF-8 text can hold, became U+FFFD.
	LoneSurrogate NoteName = "lone_surrogate"
	// Undecodable: bytes that are no characters in the answer's encoding became U+FFFD.
	Undecodable NoteName = "undecodable"
	// DuplicateMember: a name stands twice in one object. The output has all of them; expressions see the last.
	DuplicateMember NoteName = "duplicate_member"
	// Cut: the rest was too long, or did not arrive, and is not kept.
	Cut NoteName = "cut"
	// Redacted: the account's own key stood here.
	Redacted NoteName = "redacted"
)

// Note is one thing that is to be known about an answer.
type Note struct {
	Name NoteName
	// Count is how often it happened.
	Count int
	// At are JSON pointers into the output, the first few of them; empty where no place can be named.
	At []string
}

// notes collects what happens while an answer is read.
type notes []Note

// add counts one more happening. at is only asked while few places are known.
func (n *notes) add(name NoteName, times int, at func() string) {
	i := slices.IndexFunc(*n, func(x Note) bool { return x.Name == name })
	if i < 0 {
		i = len(*n)
		*n = append(*n, Note{Name: name})
	}
	x := &(*n)[i]
	x.Count += times
	if at == nil || len(x.At) >= maxPlaces {
		return
	}
	if place := clip(at(), maxPlaceBytes); !slices.Contains(x.At, place) {
		x.At = append(x.At, place)
	}
}

// merge takes over what another reading found.
func (n *notes) merge(other notes) {
	for _, x := range other {
		n.add(x.Name, x.Count, nil)
		i := slices.IndexFunc(*n, func(y Note) bool { return y.Name == x.Name })
		(*n)[i].At = append((*n)[i].At, x.At...)
	}
}

func (n notes) has(name NoteName) bool {
	return slices.ContainsFunc(n, func(x Note) bool { return x.Name == name })
}

// appendNotes writes the notes as the output has them.
func appendNotes(out []byte, all []Note) []byte {
	out = append(out, '[')
	for i, n := range all {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"note":`...)
		out = appendQuoted(out, string(n.Name))
		out = append(out, `,"count":`...)
		out = strconv.AppendInt(out, int64(n.Count), 10)
		out = appendPlaces(out, n.At)
		out = append(out, '}')
	}
	return append(out, ']')
}

func appendPlaces(out []byte, places []string) []byte {
	if len(places) == 0 {
		return out
	}
	out = append(out, `,"at":[`...)
	for i, place := range places {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendQuoted(out, place)
	}
	return append(out, ']')
}

// pointerPart is one name of a JSON pointer (RFC 6901).
func pointerPart(name string) string {
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
