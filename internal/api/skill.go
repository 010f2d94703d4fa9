package api

import (
	"context"

	"pawl/connections/release"
	"pawl/internal/auth"
)

// SkillHead is a skill in a list.
type SkillHead struct {
	Name        release.SkillName `json:"name" doc:"<plugin-id>:<skill-name>"`
	Description string            `json:"description"`
	Plugin      string            `json:"plugin"`
	Version     string            `json:"version"`
	Stage       release.Stage     `json:"stage" enum:"test,preview,production" doc:"test: the draft, for test keys; preview: in a chosen preview project"`
}

// SkillInfo is a skill with its text.
type SkillInfo struct {
	SkillHead
	Instructions string `json:"instructions" doc:"Markdown. It grants nothing"`
}

func skillHead(s *release.Skill) SkillHead {
	return SkillHead{s.Name, s.Description, s.Plugin, s.Version.String(), s.Stage}
}

// audienceOf is for whom plugins are served: the project, and drafts for a test key.
func audienceOf(ctx context.Context) release.Audience {
	return release.Audience{Project: projectOf(ctx).ID, Test: auth.CallerOf(ctx).TestOnly()}
}

func (s *server) listSkills(ctx context.Context, _ *InProject) (*struct{ Body List[SkillHead] }, error) {
	skills, err := s.Agents.Skills(ctx, audienceOf(ctx))
	if err != nil {
		return nil, err
	}
	items := make([]SkillHead, 0, len(skills))
	for i := range skills {
		items = append(items, skillHead(&skills[i]))
	}
	return newList(items, ""), nil
}

func (s *server) showSkill(ctx context.Context, in *struct {
	InProject
	Skill release.SkillName `path:"skill" maxLength:"120"`
},
) (*struct{ Body SkillInfo }, error) {
	k, err := s.Agents.Skill(ctx, audienceOf(ctx), in.Skill)
	if err != nil {
		return nil, err
	}
	return &struct{ Body SkillInfo }{SkillInfo{skillHead(&k), k.Instructions}}, nil
}
