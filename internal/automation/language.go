package automation

import (
	"encoding/json"

	"pawl/internal/schema"
)

// Format is the format's name, the first thing that a document says.
const Format = "pawl-automation@1"

// Document is one automation. Templates (If, Items, Input, …) are JSON whose strings may hold expressions between
// {{ and }}; they keep their text. Empty fields are absent ones; methods give the defaults.
type Document struct {
	Format        string          `json:"format"`
	Name          string          `json:"name"`
	Note          string          `json:"note,omitempty"`
	OnUnavailable string          `json:"on_unavailable,omitempty"` // fail (default) or hold, for all steps that don't say
	Inputs        json.RawMessage `json:"inputs,omitempty"`         // JSON Schema, Draft 7
	Triggers      []*Trigger      `json:"triggers,omitzero"`
	Steps         []*Step         `json:"steps"`
	Output        json.RawMessage `json:"output,omitempty"` // template

	index  map[string]*Step
	schema *schema.Schema // of Inputs, compiled; nil without
}

// Type is the type of a step. A closed set.
type Type string

// The types of steps.
const (
	TypeAction   Type = "action"
	TypeBranch   Type = "branch"
	TypeEach     Type = "each"
	TypeParallel Type = "parallel"
	TypeRetry    Type = "retry"
	TypeTry      Type = "try"
	TypeWait     Type = "wait"
	TypeApprove  Type = "approve"
	TypeCall     Type = "call"
	TypeSet      Type = "set"
	TypeCheck    Type = "check"
	TypeStop     Type = "stop"
)

// Types lists the types of steps in the order of the documentation.
func Types() []Type {
	return []Type{
		TypeAction, TypeBranch, TypeEach, TypeParallel, TypeRetry, TypeTry, TypeWait, TypeApprove, TypeCall, TypeSet,
		TypeCheck, TypeStop,
	}
}

// Step is one step. Which members it has depends on its type; those of other types are empty.
type Step struct {
	ID   string `json:"id"`
	Type Type   `json:"type"`

	// What any step may carry.
	Name          string          `json:"name,omitempty"`
	Note          string          `json:"note,omitempty"`
	If            json.RawMessage `json:"if,omitempty"`             // template of a boolean
	Timeout       Duration        `json:"timeout,omitempty"`        // of one attempt of an action, of the whole of a container
	OnError       string          `json:"on_error,omitempty"`       // fail (default) or continue
	OnUnavailable string          `json:"on_unavailable,omitempty"` // fail or hold
	OnUnknown     string          `json:"on_unknown,omitempty"`     // ask or fail
	Repeat        string          `json:"repeat,omitempty"`         // never, if_safe or always

	// action
	Action  string          `json:"action,omitempty"` // action identity
	Account string          `json:"account,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"` // template of an object; for call, of any input

	// branch
	Cases     []*Case `json:"cases,omitzero"`
	Otherwise []*Step `json:"otherwise,omitzero"`

	// each; Steps is also the body of retry and try
	Items       json.RawMessage `json:"items,omitempty"` // template of a list
	As          string          `json:"as,omitempty"`    // name of the item
	IndexAs     string          `json:"index,omitempty"` // name of the index, from 0; empty for none
	Concurrency int             `json:"concurrency,omitempty"`
	MaxItems    int             `json:"max_items,omitempty"`
	Steps       []*Step         `json:"steps,omitzero"`

	// parallel
	Branches  []*Arm `json:"branches,omitzero"`
	OnFailure string `json:"on_failure,omitempty"` // stop (default) or finish

	// retry
	Policy             *Policy `json:"policy,omitempty"`
	Restart            bool    `json:"restart,omitempty"`
	AcknowledgeRepeats bool    `json:"acknowledge_repeats,omitempty"`

	// try
	Catch   []*Step `json:"catch,omitzero"`
	Finally []*Step `json:"finally,omitzero"`

	// wait: one of them
	For   Duration        `json:"for,omitempty"`
	Until json.RawMessage `json:"until,omitempty"` // template of an instant, RFC 3339
	Event *Event          `json:"event,omitempty"`

	// approve
	Role      string `json:"role,omitempty"`       // the least role that may decide
	OnTimeout string `json:"on_timeout,omitempty"` // reject (default) or fail

	// call
	Automation string `json:"automation,omitempty"`
	Version    int    `json:"version,omitempty"`

	// set
	Value json.RawMessage `json:"value,omitempty"` // template

	// check
	Condition json.RawMessage `json:"condition,omitempty"` // template of a boolean

	// stop
	Outcome string `json:"outcome,omitempty"` // succeeded or failed

	// check, stop and approve
	Message json.RawMessage `json:"message,omitempty"` // template of a text

	// What reading the document finds out; not part of it.

	// Pointer is the step's JSON pointer.
	Pointer string `json:"-"`
	// Parent is the step around it, nil at the top.
	Parent *Step `json:"-"`
	// Block says in which part of the parent it stands: steps, otherwise, catch, finally, cases/0, branches/1; empty
	// at the top.
	Block string `json:"-"`
	// Loops are the ids of the each steps around it, outermost first.
	Loops []string `json:"-"`
	// Inside are the ids of all steps around it, outermost first.
	Inside []string `json:"-"`
	pos    int      // in its block

	// Rules are the rules that hold for the step, those of the steps around it and of the document included.
	Rules Rules `json:"-"`
}

// Case is one case of a branch; the first whose condition is true is taken.
type Case struct {
	Name  string          `json:"name,omitempty"`
	When  json.RawMessage `json:"when"` // template of a boolean
	Steps []*Step         `json:"steps"`
}

// Arm is one branch of a parallel.
type Arm struct {
	Name  string  `json:"name,omitempty"`
	Steps []*Step `json:"steps"`
}

// Event is what a wait waits for.
type Event struct {
	Name string          `json:"name"`
	Key  json.RawMessage `json:"key,omitempty"` // template of a text that tells equal events apart
}

// Policy says how a retry repeats.
type Policy struct {
	MaxAttempts int      `json:"max_attempts"`
	Initial     Duration `json:"initial,omitempty"`
	Factor      float64  `json:"factor,omitempty"`
	Max         Duration `json:"max,omitempty"`
	Jitter      *bool    `json:"jitter,omitempty"`
}

// Rules are the rules of a step with every default filled in.
type Rules struct {
	Hold        bool   // on_unavailable: hold
	Continue    bool   // on_error: continue; never taken from a step around it
	FailUnknown bool   // on_unknown: fail
	Repeat      string // never, if_safe or always
}

// Trigger starts runs.
type Trigger struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"` // manual, schedule, webhook, event or poll
	Cron       string          `json:"cron,omitempty"`
	Every      Duration        `json:"every,omitempty"`
	Timezone   string          `json:"timezone,omitempty"`
	DST        *DST            `json:"dst,omitempty"`
	OnOverlap  string          `json:"on_overlap,omitempty"`
	OnMisfire  string          `json:"on_misfire,omitempty"`
	Respond    string          `json:"respond,omitempty"`
	Automation string          `json:"automation,omitempty"`
	On         string          `json:"on,omitempty"`
	Action     string          `json:"action,omitempty"`
	Account    string          `json:"account,omitempty"`
	Items      string          `json:"items,omitempty"`
	Key        string          `json:"key,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
}

// DST says what a schedule does when clocks change.
type DST struct {
	Gap     string `json:"gap,omitempty"`     // run_after (default) or skip
	Overlap string `json:"overlap,omitempty"` // first (default), second or both
}
