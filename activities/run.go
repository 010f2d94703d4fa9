package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"pawl/internal/expr"
	"pawl/internal/fault"
	"pawl/internal/ledger"
	"pawl/workflows"
)

// runFacts are the facts of a run that never change.
type runFacts struct {
	ledger.Begun
	input   any
	trigger any
	plan    *plan
}

// facts gives a run's unchanging facts, from the cache or from its row.
func (a *Activities) facts(ctx context.Context, run uuid.UUID) (*runFacts, error) {
	if r, ok := a.runs.get(run); ok {
		return r, nil
	}
	b, err := a.cfg.Ledger.Begin(ctx, run)
	if err != nil {
		return nil, err
	}
	return a.remember(ctx, b)
}

func (a *Activities) remember(ctx context.Context, b ledger.Begun) (*runFacts, error) {
	r := &runFacts{Begun: b}
	var err error
	if r.plan, err = a.plan(ctx, b.Digest); err != nil {
		return nil, err
	}
	if r.input, err = expr.Parse(b.Input); err != nil {
		return nil, fmt.Errorf("read the input of run %s: %w", b.Run, err)
	}
	if b.Trigger != nil {
		if r.trigger, err = expr.Parse(b.Trigger); err != nil {
			return nil, fmt.Errorf("read the trigger of run %s: %w", b.Run, err)
		}
	}
	a.runs.put(b.Run, r, 1)
	return r, nil
}

func parseRun(s string) (uuid.UUID, error) {
	id, err := uuid.Parse(s)
	if err != nil {
		return id, fmt.Errorf("run id %q: %w", s, err)
	}
	return id, nil
}

// ended says whether a state of a run is an end.
func ended(state string) bool {
	return state == "succeeded" || state == "failed" || state == "cancelled"
}

// Begin takes a run to running and gives the walk its skeleton, with what is known when it began before.
func (a *Activities) Begin(ctx context.Context, in workflows.BeginIn) (workflows.BeginOut, error) {
	id, err := parseRun(in.Run)
	if err != nil {
		return workflows.BeginOut{Ended: true}, nil //nolint:nilerr // an id that is none has no run: there is nothing to walk
	}
	b, err := a.cfg.Ledger.Begin(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return workflows.BeginOut{Ended: true}, nil
	}
	if err != nil {
		return workflows.BeginOut{}, err
	}
	if ended(b.StateWas) {
		return workflows.BeginOut{Ended: true}, nil
	}
	r, err := a.remember(ctx, b)
	if f := unrunnable(err); f != nil {
		return workflows.BeginOut{Ended: true}, a.endAtOnce(ctx, id, f)
	}
	if err != nil {
		return workflows.BeginOut{}, err
	}
	a.cfg.Changed(id)
	out := workflows.BeginOut{Steps: r.plan.skeleton, Cancelled: b.Cancelled, Forced: b.Forced, Resumed: in.Resume || b.StateWas != "queued"}
	if out.Resumed {
		known, _, err := a.cfg.Ledger.Frontier(ctx, id, "", 0, 0, nil)
		if err != nil {
			return workflows.BeginOut{}, err
		}
		out.Known = toKnown(known)
	}
	return out, nil
}

// unrunnable is the fault of a document that can't be walked at all, as a draft's may be; nil for other errors.
func unrunnable(err error) *fault.Error {
	var list fault.List
	if errors.As(err, &list) && len(list) > 0 {
		return list[0]
	}
	var f *fault.Error
	if errors.As(err, &f) && f.Kind != fault.Internal {
		return f
	}
	return nil
}

// endAtOnce ends a run before its first step.
func (a *Activities) endAtOnce(ctx context.Context, id uuid.UUID, f *fault.Error) error {
	if _, err := a.cfg.Ledger.End(ctx, &ledger.End{Run: id, State: "failed", Error: f}); err != nil {
		return err
	}
	a.cfg.Changed(id)
	a.cfg.Ended(id, "failed")
	return nil
}

// Frontier tells what is known of some iterations of a loop.
func (a *Activities) Frontier(ctx context.Context, in workflows.FrontierIn) (workflows.FrontierOut, error) {
	id, err := parseRun(in.Run)
	if err != nil {
		return workflows.FrontierOut{}, err
	}
	known, complete, err := a.cfg.Ledger.Frontier(ctx, id, in.Prefix, in.Low, in.High, in.List)
	return workflows.FrontierOut{Known: toKnown(known), Complete: complete}, err
}

// Look tells a nudged run what changed.
func (a *Activities) Look(ctx context.Context, in workflows.LookIn) (workflows.LookOut, error) {
	id, err := parseRun(in.Run)
	if err != nil {
		return workflows.LookOut{}, err
	}
	k, err := a.cfg.Ledger.Look(ctx, id)
	return workflows.LookOut{Cancelled: k.Cancelled, Forced: k.Forced, Woken: k.Woken}, err
}

// Arrive closes a wait whose time has come.
func (a *Activities) Arrive(ctx context.Context, in workflows.ArriveIn) (workflows.ArriveOut, error) {
	id, err := parseRun(in.Run)
	if err != nil {
		return workflows.ArriveOut{}, err
	}
	arrived, left, err := a.cfg.Ledger.Arrive(ctx, id, in.Path, in.Kind)
	a.cfg.Changed(id)
	return workflows.ArriveOut{Arrived: arrived, LeftMS: ceilMS(left)}, err
}

// Leave closes the waits of a position that the walk does not wait for any more.
func (a *Activities) Leave(ctx context.Context, in workflows.LeaveIn) (workflows.LeaveOut, error) {
	id, err := parseRun(in.Run)
	if err != nil {
		return workflows.LeaveOut{}, err
	}
	err = a.cfg.Ledger.Leave(ctx, id, in.Path)
	a.cfg.Changed(id)
	return workflows.LeaveOut{}, err
}

// Finish records the end of a run; it is final, and a second end changes nothing.
func (a *Activities) Finish(ctx context.Context, in workflows.FinishIn) (workflows.FinishOut, error) {
	id, err := parseRun(in.Run)
	if err != nil {
		return workflows.FinishOut{}, err
	}
	end, err := a.ending(ctx, id, in)
	if err != nil {
		return workflows.FinishOut{}, err
	}
	if _, err := a.cfg.Ledger.End(ctx, end); err != nil {
		return workflows.FinishOut{}, err
	}
	a.runs.remove(id)
	a.cfg.Changed(id)
	a.cfg.Ended(id, end.State)
	return workflows.FinishOut{State: end.State}, nil
}

func (a *Activities) ending(ctx context.Context, id uuid.UUID, in workflows.FinishIn) (*ledger.End, error) {
	r, err := a.facts(ctx, id)
	if err != nil {
		return nil, err
	}
	end := &ledger.End{Run: id, State: in.State}
	switch in.State {
	case "succeeded":
		if in.Of == "" && r.plan.output != nil {
			out, err := a.evaluate(ctx, r, "", r.plan.output)
			if err != nil {
				if end.State, end.Error = "failed", failure(err, "", "/output"); end.Error == nil {
					return nil, err
				}
			}
			end.Output = out
		}
	case "failed":
		end.Error, err = a.cause(ctx, id, in)
	case "cancelled":
		end.Error = fault.New(fault.Cancelled, "", "The run was cancelled.")
	}
	return end, err
}

// cause is why a run failed: the error of the position that it failed at.
func (a *Activities) cause(ctx context.Context, id uuid.UUID, in workflows.FinishIn) (*fault.Error, error) {
	e, err := a.cfg.Ledger.Error(ctx, id, in.Of)
	if err != nil {
		return nil, err
	}
	_, step := splitPath(in.Of)
	if e == nil {
		e = fault.New(fault.Kind(in.Kind), "", "Step %s failed.", step)
		if in.Kind == string(fault.Timeout) {
			e = fault.New(fault.Timeout, "deadline", "Step %s took longer than its timeout allows: nothing more was started in it.", step)
		}
	}
	if e.Where == nil || e.Where.Step == "" {
		e = e.In(step)
	}
	return e.With("path", in.Of), nil
}

func at(e *fault.Error, step, pointer string) *fault.Error {
	if step != "" {
		e = e.In(step)
	}
	if e.Where == nil || e.Where.Pointer == "" {
		e = e.At(pointer)
	}
	return e
}

func object(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return b
}
