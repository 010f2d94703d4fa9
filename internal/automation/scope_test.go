package automation_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pawl/internal/automation"
)

// node is a random step: a leaf (an action that may fail), or a container of blocks.
type node struct {
	kind    string // set, branch, each, parallel, retry, try
	id      string
	cond    bool // has an if
	goesOn  bool // on_error: continue
	blocks  [][]*node
	catches bool // of a try: blocks are steps, catch and finally, or steps and finally
}

// grow draws a list of steps and numbers them.
func grow(t *rapid.T, depth int, count *int) []*node {
	steps := make([]*node, rapid.IntRange(1, 3).Draw(t, "steps"))
	for i := range steps {
		*count++
		n := &node{id: fmt.Sprintf("s%d", *count), kind: "set", cond: rapid.IntRange(0, 5).Draw(t, "if") == 0, goesOn: rapid.IntRange(0, 5).Draw(t, "continue") == 0}
		steps[i] = n
		if depth == 0 || *count > 14 {
			continue
		}
		n.kind = rapid.SampledFrom([]string{"set", "set", "branch", "each", "parallel", "retry", "try"}).Draw(t, "kind")
		n.catches = rapid.Bool().Draw(t, "catch")
		blocks := map[string]int{"branch": 2, "each": 1, "parallel": 2, "retry": 1, "try": 2}[n.kind]
		if n.kind == "try" && n.catches {
			blocks = 3
		}
		for range blocks {
			n.blocks = append(n.blocks, grow(t, depth-1, count))
		}
	}
	return steps
}

// write gives the step as JSON; every leaf refers to all leaves.
func (n *node) write(leaves []string) map[string]any {
	s := map[string]any{"id": n.id, "type": n.kind}
	if n.cond {
		s["if"] = "{{ inputs.x }}"
	}
	if n.goesOn {
		s["on_error"] = "continue"
	}
	block := func(i int) []any { return writeAll(n.blocks[i], leaves) }
	switch n.kind {
	case "set":
		value := map[string]any{}
		for _, id := range leaves {
			value[id] = "{{ steps." + id + ".output }}"
		}
		s["value"] = value
	case "branch":
		s["cases"] = []any{map[string]any{"when": "{{ inputs.x }}", "steps": block(0)}}
		s["otherwise"] = block(1)
	case "each":
		s["items"], s["as"], s["steps"] = []any{1}, "v_"+n.id, block(0)
	case "parallel":
		s["branches"] = []any{map[string]any{"steps": block(0)}, map[string]any{"steps": block(1)}}
	case "retry":
		s["policy"], s["steps"] = map[string]any{"max_attempts": 2}, block(0)
	case "try":
		s["steps"], s["finally"] = block(0), block(len(n.blocks)-1)
		if n.catches {
			s["catch"] = block(1)
		}
	}
	return s
}

func writeAll(steps []*node, leaves []string) []any {
	list := make([]any, len(steps))
	for i, n := range steps {
		list[i] = n.write(leaves)
	}
	return list
}

func leavesOf(steps []*node) []string {
	var ids []string
	for _, n := range steps {
		if n.kind == "set" {
			ids = append(ids, n.id)
		}
		for _, b := range n.blocks {
			ids = append(ids, leavesOf(b)...)
		}
	}
	return ids
}

// pair is a leaf and one that it refers to.
type pair struct{ from, to string }

// world is one imagined run: chance decides conditions, cases and failures.
type world struct {
	chance          *rand.Rand
	present, absent map[pair]bool
	leaves          []string
}

// run executes steps, adds what they give to have, and says whether all went well.
func (w *world) run(steps []*node, have map[string]bool) bool {
	for _, n := range steps {
		if n.cond && w.chance.IntN(3) == 0 {
			continue
		}
		if !w.step(n, have) && !n.goesOn {
			return false
		}
	}
	return true
}

func (w *world) step(n *node, have map[string]bool) bool {
	switch n.kind {
	case "branch":
		return w.run(n.blocks[w.chance.IntN(2)], have)
	case "each":
		return w.run(n.blocks[0], maps.Clone(have)) // what is inside stays inside
	case "parallel":
		left, right := maps.Clone(have), maps.Clone(have)
		ok := w.run(n.blocks[0], left)
		ok = w.run(n.blocks[1], right) && ok
		maps.Copy(have, left)
		maps.Copy(have, right)
		return ok
	case "retry":
		for range 2 {
			if w.run(n.blocks[0], have) {
				return true
			}
		}
		return false
	case "try":
		return w.try(n, have)
	}
	for _, id := range w.leaves {
		if have[id] {
			w.present[pair{n.id, id}] = true
		} else {
			w.absent[pair{n.id, id}] = true
		}
	}
	if w.chance.IntN(4) == 0 {
		return false
	}
	have[n.id] = true
	return true
}

func (w *world) try(n *node, have map[string]bool) bool {
	ok := w.run(n.blocks[0], have)
	if !ok && n.catches {
		ok = w.run(n.blocks[1], have)
	}
	return w.run(n.blocks[len(n.blocks)-1], have) && ok
}

// TestScopeAgreesWithRuns imagines many runs of random documents. What the checker lets pass was always there; what it
// calls impossible was never there (but in a retry's second round, where what comes later may have run in the first).
func TestScopeAgreesWithRuns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		count := 0
		tree := grow(t, 3, &count)
		leaves := leavesOf(tree)
		text, err := json.Marshal(map[string]any{"format": automation.Format, "name": "n", "steps": writeAll(tree, leaves)})
		if err != nil {
			t.Fatal(err)
		}
		doc, problems := automation.Decode(text)
		if len(problems) > 0 {
			t.Fatalf("%s\n%v", text, problems)
		}
		verdict := map[pair]string{}
		for _, p := range automation.Check(doc, automation.CheckEnv{Compile: environment().Compile}) {
			to := p.Where.Pointer[strings.LastIndexByte(p.Where.Pointer, '/')+1:]
			verdict[pair{p.Where.Step, to}] = p.Reason
		}
		w := &world{rand.New(rand.NewPCG(1, uint64(count))), map[pair]bool{}, map[pair]bool{}, leaves}
		for range 200 {
			w.run(tree, map[string]bool{})
		}
		for p := range w.absent {
			if verdict[p] == "" {
				t.Fatalf("%s refers to %s, which may be absent, and the checker says nothing:\n%s", p.from, p.to, text)
			}
		}
		for p := range w.present {
			if v := verdict[p]; v != "" && v != "may_be_absent" && !inRetry(doc, p.from) {
				t.Fatalf("%s refers to %s, which may be there, and the checker says %s:\n%s", p.from, p.to, v, text)
			}
		}
	})
}

func inRetry(doc *automation.Document, id string) bool {
	for _, outer := range doc.Index()[id].Inside {
		if doc.Index()[outer].Type == automation.TypeRetry {
			return true
		}
	}
	return false
}
