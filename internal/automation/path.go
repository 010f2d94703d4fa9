package automation

import (
	"strconv"
	"strings"

	"pawl/internal/fault"
)

// LoopIndex is one enclosing iteration of a position: item Index of the each with this id, or round Round of a retry
// that restarts its body.
type LoopIndex struct {
	ID    string
	Index int // from 0
	Round int // from 2, since the first round has no mark; 0 for an iteration of an each
}

// Path writes a position: the enclosing each ids with their indexes, outermost first, then the step's id, as in
// each.3.ticket. The rounds of a restarting retry show as retry~2. Safe in an address without escaping.
func Path(loops []LoopIndex, step string) string {
	var b strings.Builder
	for _, l := range loops {
		b.WriteString(l.ID)
		if l.Round > 0 {
			b.WriteString("~" + strconv.Itoa(l.Round) + ".")
			continue
		}
		b.WriteString("." + strconv.Itoa(l.Index) + ".")
	}
	b.WriteString(step)
	return b.String()
}

// ParsePath reads what Path writes, and nothing else.
func ParsePath(s string) (loops []LoopIndex, step string, err error) {
	parts := strings.Split(s, ".")
	for i := 0; i < len(parts)-1; i++ {
		l, used, ok := loopIndex(parts[i:])
		if !ok {
			return nil, "", badPath(s)
		}
		loops = append(loops, l)
		i += used - 1
	}
	step = parts[len(parts)-1]
	if !stepID.MatchString(step) || Path(loops, step) != s {
		return nil, "", badPath(s)
	}
	return loops, step, nil
}

// loopIndex reads the first segment of a path; the last part is the step's.
func loopIndex(parts []string) (l LoopIndex, used int, ok bool) {
	if id, round, is := strings.Cut(parts[0], "~"); is {
		n, err := strconv.Atoi(round)
		return LoopIndex{ID: id, Round: n}, 1, err == nil && n > 1 && stepID.MatchString(id)
	}
	if len(parts) < 3 {
		return LoopIndex{}, 0, false
	}
	n, err := strconv.Atoi(parts[1])
	return LoopIndex{ID: parts[0], Index: n}, 2, err == nil && n >= 0 && stepID.MatchString(parts[0])
}

func badPath(s string) error {
	return fault.New(fault.InvalidInput, "path", "%q is not the position of a step: write each id and index, then the step's id, for instance each.3.ticket.", clip(s))
}

func clip(s string) string {
	if len(s) > 200 {
		return strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}
