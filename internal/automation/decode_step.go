package automation

import (
	"strings"

	"pawl/connections"
	"pawl/internal/canon"
	"pawl/internal/fault"
)

// common are the members that any step may carry.
func common() []string {
	return []string{"id", "type", "name", "note", "if", "timeout", "on_error", "on_unavailable", "on_unknown", "repeat"}
}

// members gives the members of each type of step, beside the common ones.
func members(t Type) []string {
	switch t {
	case TypeAction:
		return []string{"action", "account", "input"}
	case TypeBranch:
		return []string{"cases", "otherwise"}
	case TypeEach:
		return []string{"items", "as", "index", "concurrency", "max_items", "steps"}
	case TypeParallel:
		return []string{"branches", "on_failure"}
	case TypeRetry:
		return []string{"policy", "restart", "acknowledge_repeats", "steps"}
	case TypeTry:
		return []string{"steps", "catch", "finally"}
	case TypeWait:
		return []string{"for", "until", "event"}
	case TypeApprove:
		return []string{"message", "role", "on_timeout"}
	case TypeCall:
		return []string{"automation", "version", "input"}
	case TypeSet:
		return []string{"value"}
	case TypeCheck:
		return []string{"condition", "message"}
	case TypeStop:
		return []string{"outcome", "message"}
	}
	return nil
}

// block reads a list of steps at a depth, 1 at the top.
func (r *reader) block(p canon.Place, depth int) {
	if !p.Present() || !p.Is(canon.List) {
		return
	}
	if depth > MaxDepth {
		p.RefuseAs(fault.Limit, "depth", "Steps nest at most %d deep.", MaxDepth)
		return
	}
	for _, step := range p.Elements() {
		if r.steps++; r.steps > MaxSteps {
			if r.steps == MaxSteps+1 {
				step.RefuseAs(fault.Limit, "steps", "A document has at most %d steps.", MaxSteps)
			}
			return
		}
		r.step(step, depth)
	}
}

// body is a block that can't be empty.
func (r *reader) body(p canon.Place, depth int) {
	if p.Kind() == canon.List && p.Value().Len() == 0 {
		p.Refuse("empty", "At least one step is needed here.")
	}
	r.block(p, depth)
}

func (r *reader) step(p canon.Place, depth int) {
	if !p.Is(canon.Object) {
		return
	}
	r.id(p.Need("id"))
	names := make([]string, 0, len(Types()))
	for _, t := range Types() {
		names = append(names, string(t))
	}
	name, ok := p.Need("type").Choice(names...)
	if !ok {
		return // what else may stand here depends on the type
	}
	p.Object(append(common(), members(Type(name))...)...)
	optional(p.Member("name"), MaxName)
	optional(p.Member("note"), MaxNote)
	condition(p.Member("if"))
	positive(p.Member("timeout"))
	choice(p.Member("on_error"), "fail", "continue")
	choice(p.Member("on_unavailable"), "fail", "hold")
	choice(p.Member("on_unknown"), "ask", "fail")
	choice(p.Member("repeat"), "never", "if_safe", "always")
	r.own(p, Type(name), depth)
}

func (r *reader) id(p canon.Place) {
	id, ok := p.Text()
	switch first, twice := r.seen[id]; {
	case !ok:
	case !stepID.MatchString(id):
		p.Refuse("id", "%q can't be the id of a step: write a small letter, then small letters, digits and _, at most 40 in all.", clip(id))
	case !free(id):
		p.Refuse("id", "%q can't be the id of a step: expressions keep this word for something else.", id)
	case twice:
		p.Refuse("duplicate_id", "The id %q is taken: another step has it at %s.", id, first)
	default:
		r.seen[id] = p.Pointer()
	}
}

// own reads the members of one type.
func (r *reader) own(p canon.Place, t Type, depth int) {
	switch t {
	case TypeAction:
		identity(p.Need("action"))
		account(p.Member("account"))
		object(p.Member("input"))
	case TypeBranch:
		r.branch(p, depth)
	case TypeEach:
		r.each(p, depth)
	case TypeParallel:
		r.parallel(p, depth)
	case TypeRetry:
		r.retry(p, depth)
	case TypeTry:
		r.try(p, depth)
	case TypeWait:
		wait(p)
	case TypeApprove:
		p.Need("message").Text()
		choice(p.Member("role"), "viewer", "builder", "operator", "developer", "admin", "owner")
		choice(p.Member("on_timeout"), "reject", "fail")
	case TypeCall:
		named(p.Need("automation"))
		count(p.Need("version"), 1<<31-1)
	case TypeSet:
		p.Need("value")
	case TypeCheck:
		condition(p.Need("condition"))
		text(p.Member("message"))
	case TypeStop:
		choice(p.Need("outcome"), "succeeded", "failed")
		text(p.Member("message"))
	}
}

func (r *reader) branch(p canon.Place, depth int) {
	for _, c := range list(p.Need("cases"), 1, MaxBranches) {
		if c.Object("name", "when", "steps") {
			optional(c.Member("name"), MaxName)
			condition(c.Need("when"))
			r.block(c.Need("steps"), depth+1)
		}
	}
	r.block(p.Member("otherwise"), depth+1)
}

func (r *reader) each(p canon.Place, depth int) {
	if items := p.Need("items"); items.Present() && items.Kind() != canon.List {
		if s, ok := items.Text(); ok && !strings.Contains(s, "{{") {
			items.Refuse("items", "This is a list, or an expression in {{ }} that gives one.")
		}
	}
	variable(p.Need("as"))
	if index := p.Member("index"); index.Present() {
		variable(index)
	}
	count(p.Member("concurrency"), MaxConcurrency)
	count(p.Member("max_items"), MaxItems)
	r.body(p.Need("steps"), depth+1)
}

func variable(p canon.Place) {
	name, ok := p.Text()
	switch {
	case !ok:
	case !stepID.MatchString(name):
		p.Refuse("variable", "%q can't be a variable: write a small letter, then small letters, digits and _, at most 40 in all.", clip(name))
	case !free(name):
		p.Refuse("variable", "%q can't be a variable: expressions keep this word for something else.", name)
	}
}

func (r *reader) parallel(p canon.Place, depth int) {
	for _, b := range list(p.Need("branches"), 1, MaxBranches) {
		if b.Object("name", "steps") {
			optional(b.Member("name"), MaxName)
			r.block(b.Need("steps"), depth+1)
		}
	}
	choice(p.Member("on_failure"), "stop", "finish")
}

func (r *reader) retry(p canon.Place, depth int) {
	if policy := p.Need("policy"); policy.Present() && policy.Object("max_attempts", "initial", "factor", "max", "jitter") {
		count(policy.Need("max_attempts"), MaxAttempts)
		initial, ok := duration(policy.Member("initial"))
		if most, also := duration(policy.Member("max")); ok && also && most < initial {
			policy.Member("max").Refuse("policy", "The greatest delay is shorter than the first one.")
		}
		factor(policy.Member("factor"))
		truth(policy.Member("jitter"))
	}
	truth(p.Member("restart"))
	truth(p.Member("acknowledge_repeats"))
	r.body(p.Need("steps"), depth+1)
}

func (r *reader) try(p canon.Place, depth int) {
	r.body(p.Need("steps"), depth+1)
	r.block(p.Member("catch"), depth+1)
	r.block(p.Member("finally"), depth+1)
	if !p.Member("catch").Present() && !p.Member("finally").Present() {
		p.Refuse("try", "A try needs catch, finally or both; without them its steps need no try.")
	}
}

func wait(p canon.Place) {
	present := 0
	for _, name := range []string{"for", "until", "event"} {
		if p.Member(name).Present() {
			present++
		}
	}
	if present != 1 {
		p.Refuse("wait", "A wait has exactly one of for, until and event.")
	}
	duration(p.Member("for"))
	instant(p.Member("until"))
	if e := p.Member("event"); e.Present() && e.Object("name", "key") {
		if s, ok := e.Need("name").Text(); ok && !eventName.MatchString(s) {
			e.Member("name").Refuse("event", "%q can't be the name of an event: write a small letter, then small letters, digits, _, . and -, at most 100 in all.", clip(s))
		}
		text(e.Member("key"))
	}
}

func text(p canon.Place) {
	if p.Present() {
		p.Text()
	}
}

func object(p canon.Place) {
	if p.Present() {
		p.Is(canon.Object)
	}
}

func identity(p canon.Place) {
	s, ok := p.Text()
	if !ok {
		return
	}
	if _, err := connections.ParseAction(s); err != nil {
		f := fault.From(err)
		p.Refuse(f.Reason, "%s", f.Message)
	}
}

func account(p canon.Place) {
	if !p.Present() {
		return
	}
	if s, ok := p.Text(); ok && !accountName.MatchString(s) {
		p.Refuse("account", "%q can't be the name of an account: write letters, digits, spaces, ., _ and -, at most 63 in all.", clip(s))
	}
}

func named(p canon.Place) {
	if s, ok := p.Text(); ok && !automationName.MatchString(s) {
		p.Refuse("automation", "%q can't be the name of an automation: write small letters, digits and -, at most 100 in all.", clip(s))
	}
}
