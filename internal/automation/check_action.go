package automation

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"pawl/connections"
	"pawl/internal/canon"
	"pawl/internal/fault"
	"pawl/internal/schema"
)

// action holds an action step against the catalogue.
func (c *checker) action(s *Step) {
	if c.env.Catalog == nil {
		return
	}
	id, err := connections.ParseAction(s.Action)
	if err != nil { // reading the document has made sure
		c.report(s, "/action", fault.From(err))
		return
	}
	info := c.env.Catalog.Action(id.ActionIdentity())
	if !info.Found {
		c.report(s, "/action", fault.New(fault.Unavailable, "unknown_action", "There is no action %s in this project%s", s.Action, suggestion(s.Action, info.Near)))
		return
	}
	if info.Withdrawn != "" {
		c.report(s, "/action", fault.New(fault.Unavailable, "withdrawn", "%s", info.Withdrawn))
	}
	for _, f := range info.Problems {
		c.report(s, "/action", f)
	}
	c.inputs(s, info)
	c.account(s, id.Connection(), info)
}

func suggestion(wrong string, near []string) string {
	if len(near) == 0 {
		return "."
	}
	return canon.Suggest(wrong, near)
}

// inputs reports inputs that are unknown, required ones that are missing, and a literal input that breaks the schema.
func (c *checker) inputs(s *Step, info ActionInfo) {
	var given map[string]json.RawMessage
	if s.Input != nil && json.Unmarshal(s.Input, &given) != nil {
		return // no object; reading the document has made sure
	}
	if info.Schema != nil && !bytes.Contains(s.Input, []byte("{{")) {
		c.literal(s, info.Schema)
		return
	}
	known := make([]string, 0, len(info.Inputs))
	for _, in := range info.Inputs {
		known = append(known, in.ID)
		if _, ok := given[in.ID]; !ok && in.Required {
			c.report(s, "/input", fault.New(fault.InvalidInput, "missing_input", "The action needs the input %q.", in.ID))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !info.Open && !slices.Contains(known, name) {
			c.report(s, canon.Pointer("input", name), fault.New(fault.InvalidInput, "unknown_input", "The action has no input %q%s", clip(name), canon.Suggest(name, known)))
		}
	}
}

// literal holds an input that is known already against the schema of its tool.
func (c *checker) literal(s *Step, held *schema.Schema) {
	input := s.Input
	if input == nil {
		input = []byte(`{}`)
	}
	for _, f := range held.Validate(input) {
		pointer := "/input"
		if f.Where != nil {
			pointer += f.Where.Pointer
		}
		c.report(s, pointer, f)
	}
}

func (c *checker) account(s *Step, connection connections.ConnectionIdentity, info ActionInfo) {
	switch {
	case info.NoAccount && s.Account != "":
		c.report(s, "/account", fault.New(fault.InvalidInput, "no_account", "%s runs in the sandbox and takes no account: leave it out.", connection))
	case info.NoAccount:
	case c.env.Catalog.Account(connection, s.Account):
	case s.Account != "":
		c.report(s, "/account", connections.MissingAccount(connection, s.Account, 0))
	case info.NeedsAccount:
		c.report(s, "", connections.MissingAccount(connection, "", 0))
	}
}

// repeats reports a retry that would do effects again.
func (c *checker) repeats(s *Step) {
	if !s.Restart || s.AcknowledgeRepeats || c.env.Catalog == nil {
		return
	}
	walk(s.Steps, func(inner *Step) {
		id, err := connections.ParseAction(inner.Action)
		if inner.Type != TypeAction || err != nil {
			return
		}
		if info := c.env.Catalog.Action(id.ActionIdentity()); info.Found && info.Risk != "read" {
			c.report(s, "/restart", fault.New(fault.InvalidInput, "repeats_effects",
				"Each restart does step %q again, and it is an effect (%s). Without restart the retry resumes at the step that failed; with \"acknowledge_repeats\": true this is on purpose.", inner.ID, info.Risk))
		}
	})
}
