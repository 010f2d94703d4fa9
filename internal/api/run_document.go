package api

import "encoding/json"

// stepInfo is what the document says of a step, for showing it.
type stepInfo struct {
	Type   string
	Name   string
	Action string
	Parent string // id of the container, empty at the top
	first  int    // place in document order
	last   int    // place of the last step within; first for a step without steps of its own
}

func (i stepInfo) container() bool {
	switch i.Type {
	case "branch", "each", "parallel", "retry", "try":
		return true
	}
	return false
}

// documentStep reads the members of pawl-automation@1 that hold steps. The document was checked when it was
// published or tested, so this only looks.
type documentStep struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Name   string `json:"name"`
	Action string `json:"action"`

	Steps     []documentStep  `json:"steps"`
	Catch     []documentStep  `json:"catch"`
	Finally   []documentStep  `json:"finally"`
	Otherwise []documentStep  `json:"otherwise"`
	Cases     []documentArm   `json:"cases"`
	Branches  json.RawMessage `json:"branches"`
}

type documentArm struct {
	Steps []documentStep `json:"steps"`
}

// stepInfos finds the steps of a document by id. A document that can't be read gives none: the run still shows.
func stepInfos(document []byte) map[string]stepInfo {
	var root documentStep
	if err := json.Unmarshal(document, &root); err != nil {
		return nil
	}
	found := make(map[string]stepInfo)
	n := 0
	for _, list := range root.lists() {
		collectSteps(list, "", &n, found)
	}
	return found
}

func collectSteps(list []documentStep, parent string, n *int, found map[string]stepInfo) {
	for i := range list {
		d := &list[i]
		info := stepInfo{Type: d.Type, Name: d.Name, Action: d.Action, Parent: parent, first: *n}
		*n++
		for _, inner := range d.lists() {
			collectSteps(inner, d.ID, n, found)
		}
		info.last = *n - 1
		found[d.ID] = info
	}
}

// lists are the lists of steps within a step, in document order.
func (d *documentStep) lists() [][]documentStep {
	lists := [][]documentStep{d.Steps}
	for i := range d.Cases {
		lists = append(lists, d.Cases[i].Steps)
	}
	return append(append(lists, d.Otherwise), append(d.arms(), d.Catch, d.Finally)...)
}

// arms reads the branches of a parallel step, written as lists or as objects with steps.
func (d *documentStep) arms() [][]documentStep {
	var lists [][]documentStep
	if len(d.Branches) == 0 || json.Unmarshal(d.Branches, &lists) == nil {
		return lists
	}
	var arms []documentArm
	if json.Unmarshal(d.Branches, &arms) != nil {
		return nil
	}
	lists = lists[:0]
	for i := range arms {
		lists = append(lists, arms[i].Steps)
	}
	return lists
}
