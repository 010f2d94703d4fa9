package automation

import (
	"encoding/json"

	"pawl/connections"
	"pawl/internal/canon"
	"pawl/internal/fault"
	"pawl/internal/schema"
)

// Template is a compiled template, as package expr makes them.
type Template interface {
	// Constant says that no expression is inside.
	Constant() bool
	// Uses calls visit for each name that an expression takes from its environment: the root; for the root steps
	// also the step's id and the member selected of it ("" for none); whether it is asked for with has() or .?; and
	// where the expression is, its pointer counted from the top of the template.
	Uses(visit func(root, step, member string, guarded bool, where fault.Where))
}

// Catalog knows what actions a project may use now.
type Catalog interface {
	// Action describes the action of an identity.
	Action(identity connections.ActionIdentity) ActionInfo
	// Account says whether the project has a usable account of that name for a connection identity; an empty name
	// asks for the account that a step gets that names none.
	Account(connection connections.ConnectionIdentity, name string) bool
}

// ActionInfo is what Check needs to know of an action.
type ActionInfo struct {
	// Found is false for an identity that never was.
	Found bool
	// Near are identities that may have been meant when it was not found.
	Near []string
	// Withdrawn is the sentence that says who withdrew the binding, when and why; empty while it is active.
	Withdrawn string
	// Risk is read, write, destructive or external.
	Risk string
	// NeedsAccount says that calls need an account.
	NeedsAccount bool
	// NoAccount says that calls take no account at all, as those of sandbox tools.
	NoAccount bool
	Inputs    []InputInfo
	// Open says that there may be inputs beside Inputs.
	Open bool
	// Schema holds a whole input, nil where Inputs say all. It is asked of inputs without expressions.
	Schema *schema.Schema
	// Problems is what else stands in the way, such as a missing grant. They are reported at the step's action.
	Problems fault.List
}

// InputInfo is an input of an action.
type InputInfo struct {
	ID       string
	Required bool
}

// CheckEnv is what Check looks things up in.
type CheckEnv struct {
	// Compile compiles a template; without it no expression is checked.
	Compile func(raw json.RawMessage) (Template, error)
	// Catalog looks up actions and accounts; without it they are not checked.
	Catalog Catalog
}

// severity is the name of the detail that tells a warning from an error.
const severity = "severity"

// Warning says whether a problem of Check is only a warning (Details["severity"] is "warning"): it is shown, but
// does not keep a document from being published.
func Warning(f *fault.Error) bool { return f.Details[severity] == "warning" }

// Errors gives the problems that are no warnings.
func Errors(problems fault.List) fault.List {
	var list fault.List
	for _, f := range problems {
		if !Warning(f) {
			list = append(list, f)
		}
	}
	return list
}

// Check reports all that can be known to be wrong before a run, errors and warnings, in document order, each with the
// step and the JSON pointer: expressions that don't compile, that use names which are not in scope or steps that
// can't have run; steps whose output may be absent; actions that are unknown or withdrawn, their missing and
// unknown inputs and missing accounts; repeats of effects; steps that are never reached; and what this version of
// Pawl does not run yet.
func Check(doc *Document, env CheckEnv) fault.List {
	c := &checker{doc: doc, env: env}
	c.triggers()
	doc.Walk(c.step)
	c.output()
	return c.problems
}

type checker struct {
	doc      *Document
	env      CheckEnv
	problems fault.List
}

// report adds an error about a step.
func (c *checker) report(s *Step, pointer string, f *fault.Error) {
	c.problems = append(c.problems, f.In(s.ID).At(s.Pointer+pointer))
}

func (c *checker) warn(s *Step, pointer string, f *fault.Error) {
	c.report(s, pointer, f.With(severity, "warning"))
}

func (c *checker) step(s *Step) {
	c.version(s)
	c.variables(s)
	for _, t := range s.templates() {
		c.template(scope{step: s, doc: c.doc}, s.Pointer+t.pointer, t.raw)
	}
	if s.Type == TypeAction {
		c.action(s)
	}
	if s.Type == TypeRetry {
		c.repeats(s)
	}
	if s.Repeat == "always" {
		c.warn(s, "/repeat", fault.New(fault.InvalidInput, "repeat_always",
			"With repeat: always an effect is sent again even when it may have happened: it happens at least once, perhaps several times."))
	}
	for _, b := range s.Blocks() {
		c.unreachable(b.Steps)
	}
	if s.Parent == nil && s.pos == 0 {
		c.unreachable(c.doc.Steps)
	}
}

// version reports what the language knows and this version of Pawl does not run.
func (c *checker) version(s *Step) {
	switch {
	case s.Type == TypeApprove, s.Type == TypeCall:
		c.report(s, "/type", later("Steps of type "+string(s.Type)))
	case s.Event != nil:
		c.report(s, "/event", later("Waits for an event"))
	}
}

func later(what string) *fault.Error {
	return fault.New(fault.InvalidInput, "not_in_this_version", "%s are part of the format, but this version of Pawl does not run them yet.", what)
}

func (c *checker) triggers() {
	for i, t := range c.doc.Triggers {
		if t.Type != "manual" {
			c.problems = append(c.problems, later("Triggers of type "+t.Type).At(canon.Pointer("triggers", index(i), "type")))
		}
	}
}

// variables reports loop variables that hide those of a loop around.
func (c *checker) variables(s *Step) {
	if s.Type != TypeEach {
		return
	}
	if s.As == s.IndexAs {
		c.report(s, "/index", fault.New(fault.InvalidInput, "duplicate_variable", "The item and the index can't both be called %q.", s.As))
	}
	for outer := s.Parent; outer != nil; outer = outer.Parent {
		for _, v := range []struct{ name, pointer string }{{s.As, "/as"}, {s.IndexAs, "/index"}} {
			if v.name != "" && outer.Type == TypeEach && (v.name == outer.As || v.name == outer.IndexAs) {
				c.report(s, v.pointer, fault.New(fault.InvalidInput, "duplicate_variable", "%q is a variable of the loop %q around this one; choose another name.", v.name, outer.ID))
			}
		}
	}
}

// unreachable warns of the step that follows an unconditional stop.
func (c *checker) unreachable(steps []*Step) {
	for i, s := range steps {
		if s.Type == TypeStop && s.If == nil && i+1 < len(steps) {
			c.warn(steps[i+1], "", fault.New(fault.InvalidInput, "unreachable", "This step is never reached: %q before it ends the run.", s.ID))
			return
		}
	}
}

// raw is a template of a step.
type rawTemplate struct {
	pointer string
	raw     json.RawMessage
}

// templates lists what of a step may hold expressions.
func (s *Step) templates() []rawTemplate {
	all := []rawTemplate{
		{"/if", s.If},
		{"/input", s.Input},
		{"/items", s.Items},
		{"/until", s.Until},
		{"/value", s.Value},
		{"/condition", s.Condition},
		{"/message", s.Message},
	}
	if s.Event != nil {
		all = append(all, rawTemplate{"/event/key", s.Event.Key})
	}
	for i, cs := range s.Cases {
		all = append(all, rawTemplate{"/cases/" + index(i) + "/when", cs.When})
	}
	return all
}

func (c *checker) template(sc scope, pointer string, raw json.RawMessage) {
	if raw == nil || c.env.Compile == nil {
		return
	}
	t, err := c.env.Compile(raw)
	if err != nil {
		c.problems = append(c.problems, sc.locate(fault.From(err), pointer, fault.From(err).Where))
		return
	}
	guarded := map[string]bool{}
	t.Uses(func(_, step, _ string, asked bool, _ fault.Where) {
		guarded[step] = guarded[step] || asked
	})
	seen := map[string]bool{}
	t.Uses(func(root, step, member string, _ bool, where fault.Where) {
		f := sc.judge(root, step, member)
		if f != nil && Warning(f) && guarded[step] {
			return // the expression asks before it selects
		}
		if key := root + " " + step + " " + member + " " + where.Expression + " " + where.Pointer; f != nil && !seen[key] {
			seen[key] = true
			c.problems = append(c.problems, sc.locate(f, pointer, &where))
		}
	})
}

func (c *checker) output() {
	c.template(scope{doc: c.doc}, "/output", c.doc.Output)
}
