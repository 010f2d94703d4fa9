package httpcall

import (
	"bytes"
	"strconv"
	"strings"
)

// trace follows where in the text a rewriter is, and which names an object has had, for answers only: so that
// what a reader would stumble over can be named with its place.
type trace struct {
	found func(name NoteName, times int, at func() string)
	open  []level
	names []span // of the open objects, outermost first
	// What decode met in the string that was read last.
	surrogates, others int
	// Where open and names stand while an answer is as small as most are.
	levels [6]level
	spans  [fewNames]span
}

func newTrace(found func(name NoteName, times int, at func() string)) *trace {
	t := &trace{found: found}
	t.open, t.names = t.levels[:0], t.spans[:0]
	return t
}

// span is a written member name, quotes included.
type span struct{ start, end int }

// level is an open object or list.
type level struct {
	first int                 // of its names
	index int                 // of the current element; -1 in an object, which has names
	many  map[string]struct{} // the names of an object that has more than a few
}

// flaw is called by decode at a lone surrogate, or at a byte that is not UTF-8.
func (t *trace) flaw(name NoteName) {
	if name == LoneSurrogate {
		t.surrogates++
	} else {
		t.others++
	}
}

// tell reports what decode met, once it is known where the string stands.
func (t *trace) tell(dst []byte) {
	if t.surrogates+t.others == 0 {
		return
	}
	at := func() string { return t.pointer(dst) }
	if t.surrogates > 0 {
		t.found(LoneSurrogate, t.surrogates, at)
	}
	if t.others > 0 {
		t.found(Undecodable, t.others, at)
	}
	t.surrogates, t.others = 0, 0
}

func (t *trace) enter() { t.open = append(t.open, level{first: len(t.names), index: -1}) }

func (t *trace) leave() {
	last := len(t.open) - 1
	t.names = t.names[:t.open[last].first]
	t.open = t.open[:last]
}

// element steps on to the next element of the list.
func (t *trace) element() { t.open[len(t.open)-1].index++ }

// member steps on to a member whose name has just been written to dst.
func (t *trace) member(dst []byte, start int) {
	l := &t.open[len(t.open)-1]
	before := t.names[l.first:]
	name := dst[start:]
	t.names = append(t.names, span{start, len(dst)})
	if l.had(dst, before, name) {
		t.found(DuplicateMember, 1, func() string { return t.pointer(dst) })
	}
	t.tell(dst)
}

// had says whether the object has had the name before. Comparing one by one is quicker while they are few.
func (l *level) had(dst []byte, before []span, name []byte) bool {
	if len(before) < fewNames {
		for _, s := range before {
			if bytes.Equal(dst[s.start:s.end], name) {
				return true
			}
		}
		return false
	}
	if l.many == nil {
		l.many = make(map[string]struct{}, 4*fewNames)
		for _, s := range before {
			l.many[string(dst[s.start:s.end])] = struct{}{}
		}
	}
	_, there := l.many[string(name)]
	l.many[string(name)] = struct{}{}
	return there
}

// pointer is where the rewriter is, as a JSON pointer into the output.
func (t *trace) pointer(dst []byte) string {
	var b strings.Builder
	b.WriteString("/body")
	for i, l := range t.open {
		if l.index >= 0 {
			b.WriteString(pointerPart(strconv.Itoa(l.index)))
			continue
		}
		last := len(t.names)
		if i+1 < len(t.open) {
			last = t.open[i+1].first
		}
		if last > l.first {
			s := t.names[last-1]
			name, _ := textOf(dst[s.start:s.end])
			b.WriteString(pointerPart(name))
		}
		if b.Len() > maxPlaceBytes {
			break
		}
	}
	return b.String()
}
