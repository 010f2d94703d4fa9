package api

import (
	"encoding/json"
	"slices"
	"strconv"

	"pawl/internal/canon"
)

// Difference is one change between two documents, told by step: a step that moved is one change, not a removal
// and an addition.
type Difference struct {
	Change  string             `json:"change" enum:"added,removed,changed,moved"`
	Step    string             `json:"step,omitempty" doc:"The step's id; absent for the document's own members"`
	From    string             `json:"from,omitempty" doc:"moved: the container before, as id and list"`
	To      string             `json:"to,omitempty" doc:"moved, added: the container now"`
	Before  json.RawMessage    `json:"before,omitempty" doc:"removed: the step without the steps in it"`
	After   json.RawMessage    `json:"after,omitempty" doc:"added: the step without the steps in it"`
	Members []MemberDifference `json:"members,omitempty" doc:"changed: the members that differ"`
}

// MemberDifference is a member of a step or of the document that differs. An absent side is an absent member.
type MemberDifference struct {
	Member string          `json:"member"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// flatStep is a step taken out of its tree.
type flatStep struct {
	id      string
	in      string // the container: its id and list, "" for the top
	members map[string]string
	names   []string // of members, in document order
}

// flatDocument is a document as a list of steps in document order, behind its own members.
type flatDocument struct {
	steps []flatStep
	index map[string]int
}

// diffDocuments compares two documents that were read before.
func diffDocuments(before, after []byte) []Difference {
	a, b := flatten(before), flatten(after)
	list := []Difference{}
	moved := movedSteps(a, b)
	for i := range a.steps {
		if _, ok := b.index[a.steps[i].id]; !ok {
			list = append(list, Difference{Change: "removed", Step: a.steps[i].id, From: a.steps[i].in, Before: a.steps[i].object()})
		}
	}
	for i := range b.steps {
		s := &b.steps[i]
		j, ok := a.index[s.id]
		if !ok {
			list = append(list, Difference{Change: "added", Step: s.id, To: s.in, After: s.object()})
			continue
		}
		if moved[s.id] {
			list = append(list, Difference{Change: "moved", Step: s.id, From: a.steps[j].in, To: s.in})
		}
		if members := memberDifferences(&a.steps[j], s); len(members) > 0 {
			list = append(list, Difference{Change: "changed", Step: s.id, Members: members})
		}
	}
	return list
}

// flatten takes the tree apart. The document itself is the first step, without an id.
func flatten(document []byte) flatDocument {
	f := flatDocument{index: make(map[string]int)}
	top, problems := canon.Parse(document, canon.Limits{})
	if len(problems) > 0 || top.Kind() != canon.Object {
		return f
	}
	f.add(top, "")
	return f
}

func (f *flatDocument) add(v *canon.Value, in string) {
	s := flatStep{in: in, members: make(map[string]string)}
	if id := v.Member("id"); id.Kind() == canon.Text {
		s.id = id.Text()
	}
	place := len(f.steps)
	f.steps = append(f.steps, s)
	f.index[s.id] = place
	for i := range v.Len() {
		m := v.At(i)
		s.names = append(s.names, m.Name())
		s.members[m.Name()] = f.member(m, s.id)
	}
	f.steps[place] = s
}

// member gives the text of a member without the steps in it, which become steps of the flat document.
func (f *flatDocument) member(m *canon.Value, id string) string {
	switch m.Name() {
	case "steps", "catch", "finally", "otherwise":
		if m.Kind() == canon.List {
			f.addList(m, id+"/"+m.Name())
			return ""
		}
	case "cases", "branches":
		if m.Kind() == canon.List {
			return f.arms(m, id+"/"+m.Name())
		}
	}
	return string(m.Canonical())
}

func (f *flatDocument) addList(list *canon.Value, in string) {
	for i := range list.Len() {
		if s := list.At(i); s.Kind() == canon.Object {
			f.add(s, in)
		}
	}
}

// arms are the cases of a branch or the branches of a parallel step.
func (f *flatDocument) arms(list *canon.Value, in string) string {
	var own []json.RawMessage
	for i := range list.Len() {
		arm, place := list.At(i), in+"/"+strconv.Itoa(i)
		if arm.Kind() != canon.Object {
			f.addList(arm, place)
			own = append(own, json.RawMessage(`[]`))
			continue
		}
		rest := make(map[string]json.RawMessage)
		for j := range arm.Len() {
			m := arm.At(j)
			if m.Name() == "steps" && m.Kind() == canon.List {
				f.addList(m, place)
				continue
			}
			rest[m.Name()] = m.Canonical()
		}
		own = append(own, marshal(rest))
	}
	return string(marshal(own))
}

// marshal encodes what always can be: texts and JSON that was read.
func marshal(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}

func (s *flatStep) object() json.RawMessage {
	o := make(map[string]json.RawMessage)
	for name, text := range s.members {
		if text != "" {
			o[name] = json.RawMessage(text)
		}
	}
	return marshal(o)
}

func memberDifferences(a, b *flatStep) []MemberDifference {
	var list []MemberDifference
	names := slices.Clone(a.names)
	for _, n := range b.names {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	for _, n := range names {
		before, after := a.members[n], b.members[n]
		if before != after {
			list = append(list, MemberDifference{n, raw(before), raw(after)})
		}
	}
	return list
}

func raw(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// movedSteps are the steps of both documents in another container, or at another place among the siblings that
// both have: the fewest that, taken out, leave the others in order.
func movedSteps(a, b flatDocument) map[string]bool {
	moved := make(map[string]bool)
	siblings := make(map[string][]int) // by container in b: places in a
	for i := range b.steps {
		s := &b.steps[i]
		j, ok := a.index[s.id]
		switch {
		case !ok || s.id == "":
		case a.steps[j].in != s.in:
			moved[s.id] = true
		default:
			siblings[s.in] = append(siblings[s.in], j)
		}
	}
	for _, places := range siblings {
		keep := longestRising(places)
		for _, j := range places {
			if !keep[j] {
				moved[a.steps[j].id] = true
			}
		}
	}
	return moved
}

// longestRising gives the members of a longest rising subsequence of distinct numbers.
func longestRising(list []int) map[int]bool {
	best, from := make([]int, len(list)), make([]int, len(list))
	end := -1
	for i := range list {
		best[i], from[i] = 1, -1
		for j := range i {
			if list[j] < list[i] && best[j]+1 > best[i] {
				best[i], from[i] = best[j]+1, j
			}
		}
		if end < 0 || best[i] > best[end] {
			end = i
		}
	}
	keep := make(map[int]bool)
	for ; end >= 0; end = from[end] {
		keep[list[end]] = true
	}
	return keep
}
