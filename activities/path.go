package activities

import (
	"strconv"
	"strings"
)

// frame is one segment of a position: the iteration of an each, or the round of a retry that restarts its body.
type frame struct {
	id   string
	loop bool
	n    int // index of the iteration, or the round
}

// text is the segment with its final point.
func (f frame) text() string {
	if f.loop {
		return f.id + "." + strconv.Itoa(f.n) + "."
	}
	return f.id + "~" + strconv.Itoa(f.n) + "."
}

// splitPath takes a position apart: the prefix with its point, and the step's id without a decision's mark.
func splitPath(path string) (prefix, step string) {
	i := strings.LastIndexByte(path, '.')
	step = path[i+1:]
	if j := strings.IndexAny(step, "?!^#&"); j >= 0 {
		step = step[:j]
	}
	return path[:i+1], step
}

// frames reads a prefix such as "each.3.again~2.".
func frames(prefix string) []frame {
	var fs []frame
	parts := strings.Split(strings.TrimSuffix(prefix, "."), ".")
	for i := 0; i < len(parts) && parts[0] != ""; i++ {
		if id, round, ok := strings.Cut(parts[i], "~"); ok {
			n, _ := strconv.Atoi(round) // we wrote it
			fs = append(fs, frame{id: id, n: n})
			continue
		}
		if i+1 < len(parts) {
			n, _ := strconv.Atoi(parts[i+1])
			fs = append(fs, frame{id: parts[i], loop: true, n: n})
			i++
		}
	}
	return fs
}

// prefixOf is the prefix at which a step with the given enclosing containers stands, seen from a position with the
// given frames; ok is false when the step lies in a loop that does not enclose the position.
func prefixOf(fs []frame, enclosing []container) (prefix string, ok bool) {
	var b strings.Builder
	rest := fs
	for _, c := range enclosing {
		for len(rest) > 0 && rest[0].id != c.id && !contains(enclosing, rest[0].id) {
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0].id == c.id {
			b.WriteString(rest[0].text())
			rest = rest[1:]
			continue
		}
		if c.loop {
			return "", false
		}
	}
	return b.String(), true
}

func contains(cs []container, id string) bool {
	for _, c := range cs {
		if c.id == id {
			return true
		}
	}
	return false
}
