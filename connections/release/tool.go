package release

import (
	"encoding/json"
	"maps"
	"slices"

	"pawl/connections/genisys"
)

// ToolRisk is what people see and grant of a tool: read or write as it is declared, raised to the risk of its effect.
func (s *Settings) ToolRisk(t *genisys.Tool, hosts []string) Risk {
	declared := RiskRead
	if t.Risk != genisys.Read {
		declared = RiskWrite
	}
	return declared.atLeast(s.ToolEffect(t, hosts).Risk())
}

// atLeast is the higher of two risks.
func (r Risk) atLeast(other Risk) Risk {
	rising := []Risk{RiskRead, RiskWrite, RiskDestructive, RiskExternal}
	return rising[max(slices.Index(rising, r), slices.Index(rising, other))]
}

// ToolMembers is what the top of a tool's input schema says of the members of an input: those it names, those it
// requires, and whether there may be others. What a schema says elsewhere, with allOf or $ref, only a validator knows,
// so such a schema is open.
func ToolMembers(input json.RawMessage) (names, required []string, open bool) {
	var top map[string]json.RawMessage
	var properties map[string]json.RawMessage
	if json.Unmarshal(input, &top) != nil {
		return nil, nil, true
	}
	if json.Unmarshal(top["properties"], &properties) == nil {
		names = slices.Sorted(maps.Keys(properties))
	}
	if json.Unmarshal(top["required"], &required) != nil {
		required = nil
	}
	return names, required, string(top["additionalProperties"]) != "false" || top["patternProperties"] != nil
}
