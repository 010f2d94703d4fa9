package main

import (
	"pawl/internal/api"
	"pawl/internal/client"
)

type skillCommands struct {
	List skillList `cmd:"" help:"The skills that the project is served."`
	Read skillRead `cmd:"" help:"One skill's instructions."`
}

type skillList struct{}

// Run lists.
func (c *skillList) Run(s *session) error {
	return listing(s, s.inProject("/skills"), nil, "skill|version|stage|description", func(k api.SkillHead) []any {
		return []any{k.Name, k.Version, k.Stage, k.Description}
	})
}

type skillRead struct {
	Skill string `arg:"" help:"PLUGIN:SKILL"`
}

// Run prints the instructions as they are.
func (c *skillRead) Run(s *session) error {
	var k api.SkillInfo
	a, err := s.get(s.inProject("/skills/%s", client.Segment(c.Skill)), nil, &k)
	if err != nil {
		return err
	}
	s.show(a, func() { s.say("%s", k.Instructions) })
	return nil
}
