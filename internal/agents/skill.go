package agents

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pawl/connections/release"
	"pawl/internal/fault"
)

// skill is a skill as an agent reads it.
type skill struct {
	Name         release.SkillName `json:"name"`
	Description  string            `json:"description"`
	Version      string            `json:"version"`
	Stage        release.Stage     `json:"stage"`
	Instructions string            `json:"instructions,omitempty"`
}

// skillList is the tool skill_list.
func (s *Server) skillList(ctx context.Context, in *invocation) (*mcp.CallToolResult, error) {
	found, err := s.Served.Skills(ctx, in.by.audience())
	if err != nil {
		return nil, err
	}
	list := make([]skill, 0, len(found))
	for i := range found {
		k := &found[i]
		list = append(list, skill{k.Name, k.Description, k.Version.String(), k.Stage, ""})
	}
	return success(raw(map[string]any{"skills": list}), nil), nil
}

// skillRead is the tool skill_read.
func (s *Server) skillRead(ctx context.Context, in *invocation) (*mcp.CallToolResult, error) {
	var q struct{ Name release.SkillName }
	if err := json.Unmarshal(in.arguments, &q); err != nil {
		return nil, fault.New(fault.InvalidInput, "name", "Give skill_read the name of a skill: <plugin-id>:<skill-name>.").At("/name")
	}
	k, err := s.Served.Skill(ctx, in.by.audience(), q.Name)
	if err != nil {
		return nil, err
	}
	r := success(raw(skill{k.Name, k.Description, k.Version.String(), k.Stage, k.Instructions}), nil)
	r.Content = []mcp.Content{&mcp.TextContent{Text: k.Instructions}}
	return r, nil
}
