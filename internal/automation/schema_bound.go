package automation

// schemaNode is a schema as far as its cost goes: which other schemas one value is held against (within), and which
// its children are held against.
type schemaNode struct {
	within     []*schemaNode // $ref, allOf, anyOf, oneOf, not, if, then, else, dependencies
	properties []*schemaNode
	patterns   []*schemaNode
	additional []*schemaNode
	items      []*schemaNode
	contains   []*schemaNode

	work [2][]int // by kind of the value and depth below it, saturated; 0 when not counted yet, -1 while it is
}

func (n *schemaNode) attach(keyword string, to *schemaNode) {
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

// bound is the greatest depth of an input for which no value is held against more than maxSchemaWork schemas,
// counted along one way from the top to a leaf; ok is false when not even an object of scalars may be checked.
func (n *schemaNode) bound() (deepest int, ok bool) {
	for depth := range jsonDepth + 1 {
		work := max(n.count(anObject, depth), n.count(aList, depth))
		if work > maxSchemaWork {
			return depth - 1, depth > 1
		}
	}
	return jsonDepth, true
}

// count is how many schemas a value of a kind is held against, those of its most costly child included. Depths are
// counted upwards, so that each needs only the one below.
func (n *schemaNode) count(kind, depth int) int {
	for len(n.work[kind]) <= depth {
		n.work[kind] = append(n.work[kind], 0)
	}
	switch w := n.work[kind][depth]; {
	case w > 0:
		return w
	case w < 0:
		return maxSchemaWork + 1 // a schema that stands for itself
	}
	n.work[kind][depth] = -1
	total := 1
	for _, w := range n.within {
		total += w.count(kind, depth)
	}
	if depth > 0 {
		total += n.child(kind, depth-1)
	}
	n.work[kind][depth] = min(total, maxSchemaWork+1)
	return n.work[kind][depth]
}

// child is the count of the most costly child.
func (n *schemaNode) child(kind, depth int) int {
	if kind == aList {
		return most(n.items, depth) + most(n.contains, depth)
	}
	declared := most(n.properties, depth)
	for _, p := range n.patterns {
		declared += most([]*schemaNode{p}, depth)
	}
	return max(declared, most(n.additional, depth))
}

func most(nodes []*schemaNode, depth int) int {
	greatest := 0
	for _, n := range nodes {
		greatest = max(greatest, n.count(anObject, depth), n.count(aList, depth))
	}
	return greatest
}
