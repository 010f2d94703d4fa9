package activities

import (
	"encoding/json"
	"errors"

	"pawl/connections"
	"pawl/internal/automation"
	"pawl/internal/expr"
	"pawl/internal/fault"
	"pawl/workflows"
)

// compilePlan turns a document into its plan: the skeleton that the walk sees, and the compiled steps that it does not.
func compilePlan(body []byte) (*plan, error) {
	doc, problems := automation.Decode(body)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	c := &compiler{plan: &plan{steps: map[string]*planStep{}}}
	var err error
	if c.plan.skeleton, err = c.nodes(doc.Steps, nil); err != nil {
		return nil, err
	}
	c.plan.output, err = template(doc.Output)
	return c.plan, err
}

type compiler struct{ plan *plan }

func (c *compiler) nodes(steps []*automation.Step, enclosing []container) ([]workflows.Node, error) {
	nodes := make([]workflows.Node, 0, len(steps))
	for _, s := range steps {
		n, err := c.node(s, enclosing)
		if err != nil {
			return nil, inStep(err, s)
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

func (c *compiler) node(s *automation.Step, enclosing []container) (workflows.Node, error) {
	n := workflows.Node{
		ID: s.ID, Kind: workflows.Kind(s.Type), If: s.If != nil, Continue: s.Rules.Continue,
		TimeoutMS: s.Timeout.Value().Milliseconds(),
	}
	p, err := c.step(s, enclosing)
	if err != nil {
		return n, err
	}
	c.plan.steps[s.ID] = p
	inner := enclosing
	switch {
	case s.Type == automation.TypeEach:
		inner = append(inner[:len(inner):len(inner)], container{s.ID, true})
	case s.Type == automation.TypeRetry && s.Restart:
		inner = append(inner[:len(inner):len(inner)], container{s.ID, false})
	}
	return n, c.bodies(s, &n, inner)
}

// inStep names the step in a fault of one of its expressions.
func inStep(err error, s *automation.Step) error {
	var f *fault.Error
	if errors.As(err, &f) && (f.Where == nil || f.Where.Step == "") {
		return at(f, s.ID, s.Pointer)
	}
	return err
}

// bodies compiles what stands inside a container.
func (c *compiler) bodies(s *automation.Step, n *workflows.Node, inner []container) (err error) {
	switch s.Type {
	case automation.TypeBranch:
		for _, cs := range s.Cases {
			if err := c.arm(n, cs.Steps, inner); err != nil {
				return err
			}
		}
		return c.arm(n, s.Otherwise, inner)
	case automation.TypeParallel:
		n.Finish = s.OnFailure == "finish"
		for _, b := range s.Branches {
			if err := c.arm(n, b.Steps, inner); err != nil {
				return err
			}
		}
		return nil
	case automation.TypeEach:
		n.Concurrency = max(1, s.Concurrency)
	case automation.TypeRetry:
		n.Attempts, n.Restart = s.Policy.MaxAttempts, s.Restart
	case automation.TypeTry:
		n.HasCatch = s.Catch != nil
		if n.Catch, err = c.nodes(s.Catch, inner); err != nil {
			return err
		}
		if n.Finally, err = c.nodes(s.Finally, inner); err != nil {
			return err
		}
	default:
		return nil
	}
	n.Steps, err = c.nodes(s.Steps, inner)
	return err
}

func (c *compiler) arm(n *workflows.Node, steps []*automation.Step, inner []container) error {
	arm, err := c.nodes(steps, inner)
	n.Arms = append(n.Arms, arm)
	return err
}

func (c *compiler) step(s *automation.Step, enclosing []container) (*planStep, error) {
	p := &planStep{
		id: s.ID, kind: workflows.Kind(s.Type), pointer: s.Pointer, enclosing: enclosing, inside: s.Inside, timeout: s.Timeout.Value(),
		hold: s.Rules.Hold, failUnknown: s.Rules.FailUnknown, repeat: s.Rules.Repeat, account: s.Account, action: s.Action,
		as: s.As, index: s.IndexAs, outcome: s.Outcome, waitFor: s.For.Value(),
	}
	for _, t := range []struct {
		to  **expr.Template
		raw json.RawMessage
	}{{&p.cond, s.If}, {&p.input, s.Input}, {&p.items, s.Items}, {&p.until, s.Until}, {&p.value, s.Value}} {
		var err error
		if *t.to, err = template(t.raw); err != nil {
			return nil, err
		}
	}
	if p.value == nil {
		var err error
		if p.value, err = template(s.Message); err != nil {
			return nil, err
		}
	}
	return p, p.special(s)
}

// special compiles what only some types have.
func (p *planStep) special(s *automation.Step) error {
	switch s.Type {
	case automation.TypeAction:
		id, err := connections.ParseAction(s.Action)
		if err != nil {
			return err
		}
		p.identity = string(id.Connection())
		p.imported = id.Source == connections.SourceOpenAPI || id.Source == connections.SourceMCP || id.Source == connections.SourcePackage
		p.timeout = min(timeoutMax, p.timeout)
		if p.timeout <= 0 {
			p.timeout = timeoutDefault
		}
	case automation.TypeBranch:
		for _, cs := range s.Cases {
			if err := p.addCase(cs.When); err != nil {
				return err
			}
		}
	case automation.TypeCheck:
		return p.addCase(s.Condition)
	case automation.TypeEach:
		p.body, p.maxItems = lastFirst(s.Steps, nil), s.Most()
	case automation.TypeRetry:
		p.attempts = s.Policy.MaxAttempts
		p.initial, p.most, p.factor, p.jitter = s.Policy.Delays()
	default: // the templates of its members are all
	}
	return nil
}

func (p *planStep) addCase(raw json.RawMessage) error {
	t, err := template(raw)
	p.cases = append(p.cases, t)
	return err
}

// lastFirst lists the steps whose output may be an iteration's, the last of the document first. What stands in a loop
// inside is that loop's.
func lastFirst(steps []*automation.Step, ids []string) []string {
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		switch s.Type {
		case automation.TypeEach, automation.TypeAction, automation.TypeSet:
			ids = append(ids, s.ID)
			continue
		default: // what it contains may have one
		}
		ids = lastFirst(s.Finally, ids)
		ids = lastFirst(s.Catch, ids)
		ids = lastFirst(s.Otherwise, ids)
		for j := len(s.Branches) - 1; j >= 0; j-- {
			ids = lastFirst(s.Branches[j].Steps, ids)
		}
		for j := len(s.Cases) - 1; j >= 0; j-- {
			ids = lastFirst(s.Cases[j].Steps, ids)
		}
		ids = lastFirst(s.Steps, ids)
	}
	return ids
}

func template(raw json.RawMessage) (*expr.Template, error) {
	if raw == nil {
		return nil, nil
	}
	return expr.Compile(raw)
}
