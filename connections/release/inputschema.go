package release

import (
	"encoding/json"

	"pawl/connections/genisys"
)

// inputSchema is the JSON Schema (Draft 7) of an app action's input.
type inputSchema struct {
	Type                 string                    `json:"type"`
	Properties           map[string]propertySchema `json:"properties"`
	Required             []string                  `json:"required"`
	AdditionalProperties bool                      `json:"additionalProperties"`
}

type propertySchema struct {
	Type  string          `json:"type,omitempty"`
	Title string          `json:"title,omitempty"`
	Items *propertySchema `json:"items,omitempty"`
}

// InputSchema is the JSON Schema (Draft 7) of what a step gives to the action: a tool's own, or one made of the inputs
// that an app action declares.
func (o *Offer) InputSchema() json.RawMessage {
	if o.Schema != nil {
		return o.Schema
	}
	s := inputSchema{Type: "object", Properties: make(map[string]propertySchema, len(o.Inputs)), Required: []string{}}
	for _, in := range o.Inputs {
		s.Properties[in.ID] = propertyOf(in)
		if in.Required {
			s.Required = append(s.Required, in.ID)
		}
	}
	b, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`) // not reached: texts and booleans always marshal
	}
	return b
}

func propertyOf(in genisys.Input) propertySchema {
	scalar := "string"
	if in.Type != genisys.Text {
		scalar = string(in.Type)
	}
	switch {
	case in.JSON:
		return propertySchema{Title: in.Label}
	case in.Row:
		return propertySchema{Title: in.Label, Type: "object"}
	case in.List:
		return propertySchema{Title: in.Label, Type: "array", Items: &propertySchema{Type: scalar}}
	}
	return propertySchema{Title: in.Label, Type: scalar}
}
