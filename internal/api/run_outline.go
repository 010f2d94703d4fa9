package api

import (
	"strconv"
	"strings"

	"pawl/internal/automation"
)

// outline is what the document of a run says of its steps, for showing them.
type outline struct {
	roots  []*automation.Step
	steps  map[string]*automation.Step // by id
	places map[string]int              // by id, in document order
}

// outlineOf reads a document. One that can't be read gives no steps: what was recorded of the run still shows.
func outlineOf(document []byte) *outline {
	o := &outline{places: map[string]int{}}
	doc, problems := automation.Decode(document)
	if len(problems) > 0 {
		return o
	}
	o.roots, o.steps = doc.Steps, doc.Index()
	doc.Walk(func(s *automation.Step) { o.places[s.ID] = len(o.places) })
	return o
}

// place is where a step stands in the document; behind all others for one that is not in it.
func (o *outline) place(id string) int {
	if n, ok := o.places[id]; ok {
		return n
	}
	return len(o.places)
}

// body is what runs in each iteration of a loop, and in each round of a retry that starts over.
func (o *outline) body(id string) []*automation.Step {
	if s := o.steps[id]; s != nil && (s.Type == automation.TypeEach || s.Type == automation.TypeRetry) {
		return s.Steps
	}
	return nil
}

func isContainer(s *automation.Step) bool {
	switch s.Type {
	case automation.TypeBranch, automation.TypeEach, automation.TypeParallel, automation.TypeRetry, automation.TypeTry:
		return true
	default:
		return false
	}
}

// arms are the lists of which a branch takes one, in the order in which the walk counts them, and those that a parallel
// step walks side by side.
func arms(s *automation.Step) [][]*automation.Step {
	var all [][]*automation.Step
	for _, c := range s.Cases {
		all = append(all, c.Steps)
	}
	for _, b := range s.Branches {
		all = append(all, b.Steps)
	}
	if s.Type == automation.TypeBranch {
		all = append(all, s.Otherwise)
	}
	return all
}

// armOf says in which part of the step around it a step stands: "case 2", "otherwise", "branch 1", "catch", "finally";
// empty for the body of an each, a retry or a try, and at the top.
func armOf(s *automation.Step) string {
	name, number, numbered := strings.Cut(s.Block, "/")
	n, err := strconv.Atoi(number)
	switch {
	case numbered && err == nil && name == "cases":
		return "case " + strconv.Itoa(n+1)
	case numbered && err == nil:
		return "branch " + strconv.Itoa(n+1)
	case name == "steps":
		return ""
	}
	return name
}

// prefixOf is the part of a path that names the loops around a position: "each.3." of "each.3.ticket".
func prefixOf(path string) string { return path[:strings.LastIndexByte(path, '.')+1] }

func idOf(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// segment is the first iteration or round of a prefix, with its point: "each.3." of "each.3.again~2.". It gives the id
// of the loop or retry, and the index or round.
func segment(prefix string) (text, id string, n int) {
	first, rest, _ := strings.Cut(prefix, ".")
	if id, round, ok := strings.Cut(first, "~"); ok {
		n, _ = strconv.Atoi(round) // the walk wrote it
		return first + ".", id, n
	}
	index, _, _ := strings.Cut(rest, ".")
	n, _ = strconv.Atoi(index)
	text = first + "." + index + "."
	return text[:min(len(text), len(prefix))], first, n
}
