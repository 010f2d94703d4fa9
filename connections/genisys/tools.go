package genisys

import (
	"encoding/json"

	"pawl/internal/canon"
	"pawl/internal/fault"
	"pawl/internal/schema"
)

const nameWords = "a lower-case letter and then 1 to 40 lower-case letters, digits or underscores, for instance list_items"

func tools(p canon.Place) []Tool {
	names := once{}
	return each(counted(p, 0, MaxTools, "tools"), func(p canon.Place) Tool {
		t := tool(p)
		names.see(p.Member("name"), t.Name, "tools")
		return t
	})
}

func tool(p canon.Place) Tool {
	if !p.Object(toolShape().members...) {
		return Tool{}
	}
	risk, _ := p.Need("risk").Choice(string(Read), string(Act))
	return Tool{
		Name:        matched(p.Need("name"), actionID, nameWords),
		Description: prose(p.Need("description"), 1, MaxDescriptionLength),
		Input:       inputSchema(p.Need("input")),
		Risk:        Risk(risk),
	}
}

// toolSchema compiles a schema that stands in a file from outside (docs/formats/json-schema.md), to report what is wrong
// with it.
func toolSchema(p canon.Place) {
	if p.Kind() != canon.Object || p.Value().Depth() > MaxSchemaDepth {
		return // reported already
	}
	t := p.Member("type")
	if schema.Read(p, schema.Open) != nil && t.Present() && (t.Kind() != canon.Text || t.Value().Text() != "object") {
		t.Refuse("schema", "The input of a tool is an object: write \"type\": \"object\".")
	}
}

// inputSchema takes a JSON Schema as it is, bounded in depth.
func inputSchema(p canon.Place) json.RawMessage {
	if !p.Is(canon.Object) {
		return nil
	}
	if d := p.Value().Depth(); d > MaxSchemaDepth {
		p.RefuseAs(fault.Limit, "depth", "This schema is nested %d deep; at most %d levels are allowed.", d, MaxSchemaDepth)
		return nil
	}
	return p.Value().Canonical()
}

func skills(p canon.Place) []Skill {
	names := once{}
	return each(counted(p, 0, MaxSkills, "skills"), func(p canon.Place) Skill {
		s := skill(p)
		names.see(p.Member("name"), s.Name, "skills")
		return s
	})
}

func skill(p canon.Place) Skill {
	if !p.Object(skillShape().members...) {
		return Skill{}
	}
	return Skill{
		Name: matched(p.Need("name"), skillID,
			"a lower-case letter and then up to 63 lower-case letters, digits, hyphens or underscores, for instance tone-check"),
		Description:  prose(p.Need("description"), 1, MaxDescriptionLength),
		Instructions: prose(p.Need("instructions"), 1, MaxInstructionsLength),
	}
}

// hosts reads the permissions; the names come out in lower-case ASCII.
func hosts(p canon.Place) []string {
	if !p.Object(permissionsShape().members...) {
		return nil
	}
	names := once{}
	return each(counted(p.Need("hosts"), 0, MaxHosts, "hosts"), func(p canon.Place) string {
		text, ok := p.Text()
		if !ok {
			return ""
		}
		name, err := hostName(text)
		if err != nil {
			p.Refuse(err.Reason, "%s", err.Message)
		}
		names.see(p, name, "entries")
		return name
	})
}
