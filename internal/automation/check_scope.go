package automation

import (
	"maps"
	"slices"
	"strconv"

	"pawl/internal/canon"
	"pawl/internal/fault"
)

func index(i int) string { return strconv.Itoa(i) }

// scope is where an expression stands: in a step, or in the document's output when step is nil.
type scope struct {
	doc  *Document
	step *Step
}

// locate puts the step and the whole pointer on a fault; where is the expression's place inside its template.
func (sc scope) locate(f *fault.Error, pointer string, where *fault.Where) *fault.Error {
	w := fault.Where{Pointer: pointer}
	if where != nil {
		w = *where
		w.Pointer = pointer + where.Pointer
	}
	if sc.step != nil {
		w.Step = sc.step.ID
	}
	c := *f
	c.Where = &w
	return &c
}

// judge says what is wrong with a name, nil when nothing is.
func (sc scope) judge(root, step, member string) *fault.Error {
	if root != "steps" {
		return sc.root(root)
	}
	if f := sc.reach(step); f != nil {
		return f
	}
	if member != "" && member != "output" {
		return fault.New(fault.Expression, "unknown_member", "steps.%s has one member, output; %q is none of it. Write steps.%s.output.", step, clip(member), step)
	}
	return nil
}

// root judges a name that is not steps.
func (sc scope) root(name string) *fault.Error {
	known := append([]string{"inputs", "trigger"}, sc.variables()...)
	if sc.caught() {
		known = append(known, "error")
	}
	if slices.Contains(known, name) {
		return nil
	}
	switch loop := sc.doc.loopOf(name); {
	case name == "error":
		return fault.New(fault.Expression, "unknown_name", "error is there only in the catch of a try.")
	case sc.doc.index[name] != nil:
		return fault.New(fault.Expression, "unknown_name", "%q is a step: write steps.%s.output.", name, name)
	case loop != nil:
		return fault.New(fault.Expression, "unknown_name", "%q is there only inside the loop %q.", name, loop.ID)
	}
	return fault.New(fault.Expression, "unknown_name", "Nothing is called %q here%s", clip(name), canon.Suggest(name, append(known, "steps")))
}

// variables are the loop variables in scope.
func (sc scope) variables() []string {
	var names []string
	if sc.step == nil {
		return nil
	}
	for s := sc.step.Parent; s != nil; s = s.Parent {
		if s.Type == TypeEach {
			names = append(names, s.As)
			if s.IndexAs != "" {
				names = append(names, s.IndexAs)
			}
		}
	}
	return names
}

// caught says whether the step stands in a catch.
func (sc scope) caught() bool {
	for s := sc.step; s != nil; s = s.Parent {
		if s.Block == "catch" {
			return true
		}
	}
	return false
}

func (d *Document) loopOf(variable string) *Step {
	var found *Step
	d.Walk(func(s *Step) {
		if s.Type == TypeEach && (s.As == variable || s.IndexAs == variable) {
			found = s
		}
	})
	return found
}

// reach judges whether the output of a step can be there: nil when it surely is.
func (sc scope) reach(id string) *fault.Error {
	to := sc.doc.index[id]
	if to == nil {
		return fault.New(fault.Expression, "unknown_step", "There is no step %q%s", clip(id), canon.Suggest(id, nearIDs(id, sc.doc)))
	}
	if !to.gives() {
		return fault.New(fault.Expression, "no_output", "Step %q is of type %s and has no output; refer to a step inside it.", id, to.Type)
	}
	common, mine, theirs := meet(sc.step, to)
	if sc.step != nil {
		if f := order(sc.step, to, common, mine, theirs); f != nil {
			return f
		}
	} else if f := sc.ended(to); f != nil {
		return f
	}
	return within(to, theirs)
}

// nearIDs keeps the list of a message short: all ids when there are few, else those that resemble the wrong one.
func nearIDs(id string, doc *Document) []string {
	ids := slices.Sorted(maps.Keys(doc.index))
	if n := canon.Nearest(id, ids); n != "" {
		return []string{n}
	}
	return ids[:min(len(ids), 8)]
}

// gives says whether a step of this type has an output.
func (s *Step) gives() bool {
	switch s.Type {
	case TypeAction, TypeEach, TypeApprove, TypeCall, TypeSet:
		return true
	case TypeWait:
		return s.Event != nil
	default:
		return false
	}
}

// chain are the steps from the top down to s, s included.
func chain(s *Step) []*Step {
	var steps []*Step
	for ; s != nil; s = s.Parent {
		steps = append(steps, s)
	}
	slices.Reverse(steps)
	return steps
}

// meet finds where the ways down to two steps part: the step around both (nil for the document), and what is left of
// each way.
func meet(from, to *Step) (common *Step, mine, theirs []*Step) {
	mine, theirs = chain(from), chain(to)
	for len(mine) > 0 && len(theirs) > 0 && mine[0] == theirs[0] {
		common, mine, theirs = mine[0], mine[1:], theirs[1:]
	}
	return common, mine, theirs
}

// order judges whether a step can have run before another.
func order(from, to, common *Step, mine, theirs []*Step) *fault.Error {
	switch {
	case len(mine) == 0 && len(theirs) == 0:
		return never("Step %q can't refer to its own output.", to.ID)
	case len(theirs) == 0:
		return never("Step %q is around this one: its output is there only when it has ended.", to.ID)
	case len(mine) == 0:
		return never("Step %q is inside this one and has not run when this is evaluated.", to.ID)
	case mine[0].Block == theirs[0].Block:
		if theirs[0].pos > mine[0].pos {
			return never("Step %q comes after step %q and can't have run before it.", to.ID, from.ID)
		}
		return nil
	}
	return across(common, mine[0].Block, theirs[0].Block, to)
}

// across judges a reference from one block of a step to another.
func across(common *Step, mine, theirs string, to *Step) *fault.Error {
	if common.Type == TypeParallel {
		return never("Step %q is in another branch of %q: branches run side by side, in no fixed order.", to.ID, common.ID)
	}
	if common.Type == TypeTry {
		rank := map[string]int{"steps": 0, "catch": 1, "finally": 2}
		if rank[theirs] < rank[mine] {
			return perhaps("Step %q may not have run when the %s of %q runs.", to.ID, mine, common.ID)
		}
		return never("Step %q is in the %s of %q, which runs after this or not at all.", to.ID, theirs, common.ID)
	}
	return never("Step %q is in another case of %q: only one of them is taken.", to.ID, common.ID)
}

func never(format string, args ...any) *fault.Error {
	return fault.New(fault.Expression, "not_before", format, args...)
}

func perhaps(format string, args ...any) *fault.Error {
	f := fault.New(fault.Expression, "may_be_absent", format, args...)
	f.Message += " Then the reference is an error; ask with has() or .? first."
	return f.With(severity, "warning")
}

// within judges what stands between the place where the ways part and the step that is referred to.
func within(to *Step, way []*Step) *fault.Error {
	var doubt *fault.Error
	for i, s := range way {
		if s.Type == TypeEach && s != to {
			return fault.New(fault.Expression, "inside_loop", "Step %q is inside the loop %q; outside, steps.%s.output is the list of what its iterations gave last.", to.ID, s.ID, s.ID)
		}
		if doubt == nil {
			doubt = s.doubt(to, way[i+1:])
		}
	}
	return doubt
}

// doubt is why a step on the way to another may not have run, or may have left it out.
func (s *Step) doubt(to *Step, rest []*Step) *fault.Error {
	switch {
	case s.If != nil && s == to:
		return perhaps("Step %q is skipped when its condition does not hold.", to.ID)
	case s.If != nil:
		return perhaps("Step %q is inside %q, which is skipped when its condition does not hold.", to.ID, s.ID)
	case s.Rules.Continue && s == to:
		return perhaps("Step %q has no output when it fails, and the run goes on then.", to.ID)
	case s.Rules.Continue:
		return perhaps("Step %q is inside %q, after whose failure the run goes on.", to.ID, s.ID)
	case len(rest) == 0:
		return nil
	case s.Type == TypeBranch:
		return perhaps("Step %q is in one of the cases of %q, which may not be taken.", to.ID, s.ID)
	case s.Type == TypeTry && rest[0].Block == "catch":
		return perhaps("Step %q is in the catch of %q, which runs only after a failure.", to.ID, s.ID)
	case s.Type == TypeTry && rest[0].Block == "steps" && s.Catch != nil:
		return perhaps("Step %q may not have run when a step of %q failed and was caught.", to.ID, s.ID)
	}
	return nil
}

// ended judges a reference of the document's output: a stop may have ended the run before the step.
func (sc scope) ended(to *Step) *fault.Error {
	var f *fault.Error
	before := true
	sc.doc.Walk(func(s *Step) {
		if before = before && s != to; before && s.Type == TypeStop && s.Outcome == "succeeded" {
			f = perhaps("Step %q may not have run when %q ends the run.", to.ID, s.ID)
		}
	})
	return f
}
