package launch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/internal/automation"
	"pawl/internal/canon"
	"pawl/internal/fault"
	"pawl/internal/store"
)

// Calls is what a starter needs of the database to queue calls of agents; store.Store implements it.
type Calls interface {
	CallOfStartKey(ctx context.Context, project uuid.UUID, key string) (store.Started, string, error)
	AllowApproval(ctx context.Context, d store.Decision, run *store.NewRun) error
	DenyApproval(ctx context.Context, d store.Decision) error
}

// TriggerAgent is the trigger of a call of an agent.
const TriggerAgent = "agent"

// CallRequest asks for one call of an action outside of any automation, as an agent makes it. It becomes a run of one step,
// so that the ledger guards it as it guards every step.
type CallRequest struct {
	Project uuid.UUID
	Action  connections.ActionIdentity
	Account string // the name of an account; empty takes the only one there is
	// Input is a JSON object: the step's input, with nothing in it evaluated.
	Input json.RawMessage
	// StartKey makes the call happen once in its project; GivenKey is the part of it that the caller chose, for messages.
	StartKey, GivenKey string
	Actor              string
	LocalOnly          bool
}

// callStep is the id of the step of a call.
const callStep = "call"

// Call queues a call, or gives the run that the start key already made; another call under the same key is a conflict.
func (s *Starter) Call(ctx context.Context, q CallRequest) (id uuid.UUID, existing bool, err error) {
	r, err := s.newCall(ctx, q)
	if err != nil {
		return uuid.Nil, false, err
	}
	made, err := s.runs.InsertRun(ctx, r)
	if err != nil {
		return uuid.Nil, false, err
	}
	if !made {
		return s.sameCall(ctx, q)
	}
	s.queued()
	s.changed(r.ID)
	return r.ID, false, nil
}

func (s *Starter) sameCall(ctx context.Context, q CallRequest) (uuid.UUID, bool, error) {
	was, action, err := s.runs.CallOfStartKey(ctx, q.Project, q.StartKey)
	if err != nil {
		return uuid.Nil, false, err
	}
	if action != string(q.Action) || !sameJSON(q.Input, was.Input) {
		return uuid.Nil, false, fault.New(fault.Conflict, "idempotency_key", "The idempotency key %q was used before, for run %s with another call: use a new key.", q.GivenKey, was.Run).
			With("run", was.Run)
	}
	return was.Run, true, nil
}

// Allow lets a call happen that waits for a person: its run is made together with the approval's end, once.
func (s *Starter) Allow(ctx context.Context, a *connections.Approval, by, comment string, localOnly bool) (uuid.UUID, error) {
	r, err := s.newCall(ctx, CallRequest{Project: a.ProjectID, Action: a.Action, Account: a.Account, Input: a.Arguments, Actor: a.RequestedBy, LocalOnly: localOnly})
	if err != nil {
		return uuid.Nil, err
	}
	if err := s.runs.AllowApproval(ctx, store.Decision{Project: a.ProjectID, Approval: a.ID, By: by, Comment: comment}, r); err != nil {
		return uuid.Nil, err
	}
	s.queued()
	s.changed(r.ID)
	return r.ID, nil
}

// Deny refuses a call that waits for a person.
func (s *Starter) Deny(ctx context.Context, a *connections.Approval, by, comment string) error {
	return s.runs.DenyApproval(ctx, store.Decision{Project: a.ProjectID, Approval: a.ID, By: by, Comment: comment})
}

// newCall makes the run of a call. Its document names the inputs, and the run's input has their values, so that nothing in
// these is taken for an expression.
func (s *Starter) newCall(ctx context.Context, q CallRequest) (*store.NewRun, error) {
	body, err := callDocument(q)
	if err != nil {
		return nil, err
	}
	doc, problems := automation.Decode(body)
	if err := problems.Err(); err != nil {
		return nil, fmt.Errorf("make the document of a call of %s: %w", q.Action, err)
	}
	accounts, err := s.freezeAccounts(ctx, q.Project, doc)
	if err != nil {
		return nil, err
	}
	digest := doc.Digest()
	if err := s.runs.KeepDocument(ctx, digest, body); err != nil {
		return nil, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("make a run id: %w", err)
	}
	key := q.StartKey
	if key == "" {
		key = id.String()
	}
	return &store.NewRun{
		ID: id, Project: q.Project, Action: string(q.Action), Digest: digest[:], StartKey: key, Trigger: TriggerAgent, Input: q.Input, Accounts: accounts,
		Stage: "production", LocalOnly: q.LocalOnly, By: q.Actor,
	}, nil
}

// callDocument is the pawl-automation@1 document of a call, in canonical form.
func callDocument(q CallRequest) ([]byte, error) {
	names, err := inputNames(q.Input)
	if err != nil {
		return nil, err
	}
	input, properties := map[string]string{}, map[string]any{}
	for _, name := range names {
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, fmt.Errorf("write the name of an input: %w", err)
		}
		input[name], properties[name] = "{{ inputs["+string(quoted)+"] }}", struct{}{}
	}
	step := map[string]any{"id": callStep, "type": "action", "action": q.Action, "input": input}
	if q.Account != "" {
		step["account"] = q.Account
	}
	b, err := json.Marshal(map[string]any{
		"format": "pawl-automation@1", "name": "Call of " + string(q.Action), "inputs": map[string]any{"type": "object", "properties": properties},
		"steps": []any{step}, "output": map[string]string{"result": "{{ steps." + callStep + ".output }}"},
	})
	if err != nil {
		return nil, fmt.Errorf("write the document of a call of %s: %w", q.Action, err)
	}
	return canon.Canonical(b)
}

// inputNames gives the names of the members of an input, sorted.
func inputNames(input []byte) ([]string, error) {
	if problems := canon.Check(input, canon.Limits{}); len(problems) > 0 {
		return nil, problems
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(input, &members); err != nil || members == nil {
		return nil, fault.New(fault.InvalidInput, "input", "The arguments of a call are a JSON object.").At("")
	}
	names := make([]string, 0, len(members))
	for name := range members {
		if name == "" || len(name) > maxNameBytes || strings.ContainsAny(name, "{}\\\"\x00") {
			return nil, fault.New(fault.InvalidInput, "unknown_input", "%s is no input that an action can have.", canon.Quote(name)).At(canon.Pointer(name))
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}
