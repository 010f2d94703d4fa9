package api

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"pawl/internal/fault"
	"pawl/internal/store"
)

// RunHead is a run without its steps, as lists show it.
type RunHead struct {
	ID         uuid.UUID    `json:"id"`
	Automation string       `json:"automation" doc:"The automation's handle; empty for a call of an agent"`
	Action     string       `json:"action,omitempty" doc:"Of a call of an agent: the action that it calls"`
	Version    *int         `json:"version" doc:"The published version; null for a run of a draft"`
	State      string       `json:"state" enum:"queued,running,waiting,needs_attention,succeeded,failed,cancelled"`
	Error      *StepError   `json:"error" doc:"Why the run failed; null when it did not"`
	CreatedAt  time.Time    `json:"created_at"`
	StartedAt  *time.Time   `json:"started_at"`
	FinishedAt *time.Time   `json:"finished_at"`
	Waiting    *WaitingFor  `json:"waiting" doc:"What the run waits for: of a run that is waiting or needs attention, else null"`
	Trigger    string       `json:"trigger" doc:"What started the run"`
	StartedBy  string       `json:"started_by"`
	ReplayOf   *uuid.UUID   `json:"replay_of,omitempty"`
	LocalOnly  bool         `json:"local_only,omitempty"`
	Cancel     *CancelAsked `json:"cancel,omitempty" doc:"Who asked for the run to be cancelled"`
	Stuck      string       `json:"stuck,omitempty" doc:"Why the run makes no progress although nothing in it waits"`
}

// Run is a run with its steps. Number texts of inputs and outputs are those that were sent and received.
type Run struct {
	RunHead
	Digest    string          `json:"digest" doc:"SHA-256 of the document that the run follows"`
	Input     json.RawMessage `json:"input"`
	Output    json.RawMessage `json:"output" doc:"null until the run succeeds; a large one is {\"$blob\": …}"`
	Steps     []Step          `json:"steps" nullable:"false" doc:"By first sight, then those that were not reached, in the order of the document"`
	StepsNext string          `json:"steps_next,omitempty" doc:"The cursor of further steps; absent when these are all"`
}

// WaitingFor says what is waited for, since when and until when.
type WaitingFor struct {
	For   string     `json:"for" enum:"timer,retry,hold,settle,approval,event,call"`
	Since time.Time  `json:"since"`
	Until *time.Time `json:"until" doc:"null for a wait without end"`
	Path  string     `json:"path,omitempty" doc:"The step that waits"`
	Key   string     `json:"key,omitempty" doc:"What must come: for a hold the connection identity"`
}

// CancelAsked says who asked for the end of a run, and when.
type CancelAsked struct {
	By string    `json:"by"`
	At time.Time `json:"at"`
}

// StepError is an error as the run keeps it.
type StepError struct {
	Kind      fault.Kind     `json:"kind"`
	Reason    string         `json:"reason,omitempty"`
	Message   string         `json:"message"`
	Where     *fault.Where   `json:"where,omitempty"`
	Status    int            `json:"status,omitempty" doc:"The provider's HTTP status"`
	Retryable bool           `json:"retryable"`
	Details   map[string]any `json:"details,omitempty"`
}

// Step is a position of a run: a step at one set of loop indexes.
type Step struct {
	Path       string          `json:"path" doc:"Loop ids with their indexes, then the step's id: each.3.ticket. In a loop that has not begun * stands for the index"`
	ID         string          `json:"id"`
	Type       string          `json:"type,omitempty" doc:"The step's type in the document"`
	Name       string          `json:"name,omitempty"`
	Inside     string          `json:"inside,omitempty" doc:"The id of the step around it; absent at the top"`
	Arm        string          `json:"arm,omitempty" doc:"The part of the step around it: case 1, otherwise, branch 2, catch, finally; absent for its steps"`
	Place      int             `json:"place" doc:"Where it stands in the document, counted from 0, steps before those in them"`
	State      string          `json:"state" enum:"pending,running,waiting,succeeded,failed,skipped,unknown,cancelled"`
	Action     string          `json:"action,omitempty" doc:"The action's identity"`
	Attempts   []Attempt       `json:"attempts" nullable:"false"`
	Input      json.RawMessage `json:"input" doc:"Evaluated once, before the first attempt"`
	Output     json.RawMessage `json:"output"`
	Error      *StepError      `json:"error"`
	Caught     json.RawMessage `json:"caught,omitempty" doc:"What a try caught, as error in its catch"`
	Label      string          `json:"label,omitempty" doc:"The branch taken, or skipped"`
	Count      *int            `json:"count,omitempty" doc:"The items of a loop"`
	Waiting    *WaitingFor     `json:"waiting,omitempty"`
	StartedAt  *time.Time      `json:"started_at"`
	FinishedAt *time.Time      `json:"finished_at"`
}

// Attempt is one try of a step.
type Attempt struct {
	N          int          `json:"n"`
	State      string       `json:"state" enum:"sending,not_sent,answered,unknown,lost"`
	StartedAt  time.Time    `json:"started_at"`
	FinishedAt *time.Time   `json:"finished_at"`
	Status     *int         `json:"status" doc:"The provider's HTTP status; null where there was no answer"`
	Error      *StepError   `json:"error"`
	Request    *SentRequest `json:"request" doc:"What was sent, or would have been; null where the attempt did not come as far"`
	Call       *ToolCall    `json:"call" doc:"Of a tool: what it logged and requested; null for an action, and for a tool that did neither"`
	Settled    *Settled     `json:"settled,omitempty" doc:"A person's word about an unknown outcome"`
}

// Settled is a person's word about an attempt whose outcome was unknown.
type Settled struct {
	As string    `json:"as" enum:"succeeded,failed,retry"`
	By string    `json:"by"`
	At time.Time `json:"at"`
}

// BlobRef stands for an output that is too large for the run object, or for bytes that are no text: the same form
// that actions give. GET …/runs/{id}/blobs/{digest} has it.
type BlobRef struct {
	SHA256    string `json:"sha256" doc:"In hexadecimal"`
	Size      int64  `json:"size" doc:"In bytes"`
	MediaType string `json:"media_type"`
}

func headOf(r *store.Run) RunHead {
	h := RunHead{
		ID: r.ID, Automation: r.Automation, Version: r.Version, State: r.State, Error: stepError(r.Error), CreatedAt: r.CreatedAt,
		StartedAt: r.StartedAt, FinishedAt: r.FinishedAt, Trigger: r.Trigger, StartedBy: r.CreatedBy, ReplayOf: r.ReplayOf, LocalOnly: r.LocalOnly,
	}
	if r.Action != nil {
		h.Action = *r.Action
	}
	if r.WaitFor != nil {
		h.Waiting = &WaitingFor{For: *r.WaitFor, Since: *r.WaitSince, Until: r.WaitUntil, Path: stepPath(*r.WaitPath), Key: *r.WaitKey}
	}
	if r.CancelAt != nil {
		h.Cancel = &CancelAsked{At: *r.CancelAt}
		if r.CancelBy != nil {
			h.Cancel.By = *r.CancelBy
		}
	}
	if r.Stuck != nil {
		h.Stuck = *r.Stuck
	}
	return h
}

// stepError reads a stored error, nil for none.
func stepError(stored *json.RawMessage) *StepError {
	if stored == nil {
		return nil
	}
	e := fault.FromJSON(*stored)
	return shownError(e)
}

// value is a stored JSON value: the text itself, the body of its blob where that was read, or a reference to it.
func value(text *json.RawMessage, digest []byte, blobs map[string]store.Blob) json.RawMessage {
	if text != nil {
		return *text
	}
	if digest == nil {
		return json.RawMessage("null")
	}
	b := blobs[string(digest)]
	if b.Body != nil && json.Valid(b.Body) {
		return b.Body
	}
	ref, err := json.Marshal(map[string]BlobRef{"$blob": {hex.EncodeToString(digest), b.Size, b.MediaType}})
	if err != nil { // texts and a number always marshal
		return json.RawMessage("null")
	}
	return ref
}
