package release

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/internal/fault"
)

// Stage is which bytes of a plugin somebody gets. A closed set.
type Stage string

// The stages, as ctx.stage names them.
const (
	StageTest       Stage = "test"       // the draft: the console's test runner and test API keys
	StagePreview    Stage = "preview"    // the frozen preview version: agents in the chosen projects
	StageProduction Stage = "production" // the frozen production version: everybody else, and live API keys
)

// Audience is who asks for plugins: a project, and whether by a test API key.
type Audience struct {
	Project uuid.UUID
	Test    bool
}

// ServedRow is a plugin as an audience gets it, with its bytes.
type ServedRow struct {
	ID       string
	Stage    Stage
	Digest   []byte
	Document []byte
}

// Served is a plugin as an audience gets it.
type Served struct {
	Stage  Stage
	Digest []byte
	genisys.Manifest
}

// ServedStore reads what is served. Plugins that are removed or disabled are served to nobody.
type ServedStore interface {
	// ServedPlugins gives what an audience is served, by id, after an id, at most limit; id chooses one plugin, empty all.
	ServedPlugins(ctx context.Context, a Audience, id, after string, limit int) ([]ServedRow, error)
}

// Agents answers what agents are served: skills, and the tools behind them, by the rules of the stages.
type Agents struct{ Store ServedStore }

// SkillName names a skill: <plugin-id>:<skill-name>.
type SkillName string

// Skill is a skill that an audience is served. It grants nothing.
type Skill struct {
	Name    SkillName
	Plugin  string
	Version connections.Version
	Stage   Stage
	genisys.Skill
}

// Plugins gives the plugins that an audience is served, by id, after an id, at most limit.
func (a Agents) Plugins(ctx context.Context, who Audience, after string, limit int) ([]Served, error) {
	rows, err := a.Store.ServedPlugins(ctx, who, "", after, limit)
	if err != nil {
		return nil, err
	}
	return served(rows), nil
}

func served(rows []ServedRow) []Served {
	list := make([]Served, 0, len(rows))
	for i := range rows {
		if p, problems := genisys.Thaw(rows[i].Document); len(problems) == 0 { // one frozen by rules that are stricter now is offered no more
			list = append(list, Served{rows[i].Stage, rows[i].Digest, p.Manifest})
		}
	}
	return list
}

// Skills gives all skills that an audience is served, by plugin and in the order of the manifest.
func (a Agents) Skills(ctx context.Context, who Audience) ([]Skill, error) {
	var skills []Skill
	for after := ""; ; {
		rows, err := a.Store.ServedPlugins(ctx, who, "", after, servedPage)
		if err != nil || len(rows) == 0 {
			return skills, err
		}
		for _, s := range served(rows) {
			for _, k := range s.Skills {
				skills = append(skills, s.skill(k))
			}
		}
		after = rows[len(rows)-1].ID
	}
}

func (s *Served) skill(k genisys.Skill) Skill {
	return Skill{Name: SkillName(s.ID + ":" + k.Name), Plugin: s.ID, Version: s.Version, Stage: s.Stage, Skill: k}
}

// Skill gives one skill, else a not_found fault that names those there are.
func (a Agents) Skill(ctx context.Context, who Audience, name SkillName) (Skill, error) {
	plugin, skill, ok := cutName(name)
	if !ok {
		return Skill{}, fault.New(fault.InvalidInput, "skill", "%.100q names no skill: write <plugin-id>:<skill-name>.", string(name))
	}
	rows, err := a.Store.ServedPlugins(ctx, who, plugin, "", 1)
	if err != nil {
		return Skill{}, err
	}
	for _, s := range served(rows) {
		if i := slices.IndexFunc(s.Skills, func(k genisys.Skill) bool { return k.Name == skill }); i >= 0 {
			return s.skill(s.Skills[i]), nil
		}
	}
	return Skill{}, fault.New(fault.NotFound, "skill", "There is no skill %.100q here. See which there are: pawl skill list", string(name))
}

func cutName(name SkillName) (plugin, skill string, ok bool) {
	for i := range len(name) {
		if name[i] == ':' {
			return string(name[:i]), string(name[i+1:]), i > 0 && i+1 < len(name)
		}
	}
	return "", "", false
}
