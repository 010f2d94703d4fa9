package schema

// node is a schema as far as its cost goes: what holding one value against it costs by itself (base), which other
// schemas the same value is held against (within), and which its children are held against.
type node struct {
	base    int
	cleaned string // where its copy stands, as a JSON pointer
	inner   string // where the copies of its keywords stand

	within     []*node // $ref, allOf, anyOf, oneOf, not, if, then, else, dependencies
	properties []*node
	patterns   []*node
	additional []*node
	items      []*node
	contains   []*node
	names      []*node // propertyNames

	levels [2][]int // by kind of the value and level below it, saturated; 0 when not counted yet, -1 while it is
}

func (n *node) attach(keyword string, to *node) {
	switch keyword {
	case "properties":
		n.properties = append(n.properties, to)
	case "patternProperties":
		n.patterns = append(n.patterns, to)
	case "additionalProperties":
		n.additional = append(n.additional, to)
	case "items", "additionalItems":
		n.items = append(n.items, to)
	case "contains":
		n.contains = append(n.contains, to)
	case "propertyNames":
		n.names = append(n.names, to)
	case "definitions", "$defs":
	default:
		n.within = append(n.within, to)
	}
}

// The kinds of values that have children.
const (
	anObject = iota
	aList
)

// table gives, for each depth of a value, against how many schemas one place of it is held at the most. It ends at
// maxDepth, or before the first depth at which the places on one way from the top to a leaf add up to more than maxWork.
func (n *node) table() []int {
	var widths []int
	way, width := 0, 0
	for depth := range maxDepth + 1 {
		w := max(n.level(anObject, depth), n.level(aList, depth))
		if way += w; way > maxWork {
			break
		}
		width = max(width, w)
		widths = append(widths, width)
	}
	return widths
}

// level is against how many schemas the places at a level below a value of a kind are held, each by itself, when the
// value is held against n. Levels are counted downwards, so that each needs only the one above.
func (n *node) level(kind, below int) int {
	for len(n.levels[kind]) <= below {
		n.levels[kind] = append(n.levels[kind], 0)
	}
	switch w := n.levels[kind][below]; {
	case w > 0:
		return w - 1
	case w < 0:
		return maxWork + 1 // a schema that stands for itself
	}
	n.levels[kind][below] = -1
	total := n.base
	if below > 0 {
		total = n.child(kind, below-1)
	}
	for _, w := range n.within {
		if total += w.level(kind, below); total > maxWork {
			break
		}
	}
	total = min(total, maxWork+1)
	n.levels[kind][below] = total + 1
	return total
}

// child is level for the most costly child, with its name.
func (n *node) child(kind, below int) int {
	if kind == aList {
		return most(n.items, below) + most(n.contains, below)
	}
	declared := most(n.properties, below)
	for _, p := range n.patterns {
		declared += most([]*node{p}, below)
	}
	total := max(declared, most(n.additional, below))
	if below == 0 {
		total += most(n.names, 0)
	}
	return total
}

func most(nodes []*node, below int) int {
	greatest := 0
	for _, n := range nodes {
		greatest = max(greatest, n.level(anObject, below), n.level(aList, below))
	}
	return greatest
}
