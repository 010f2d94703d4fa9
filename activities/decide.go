package activities

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"pawl/internal/expr"
	"pawl/internal/fault"
	"pawl/internal/ledger"
	"pawl/workflows"
)

// Decide makes a decision once and gives the stored one to every later walk.
func (a *Activities) Decide(ctx context.Context, in workflows.DecideIn) (workflows.DecideOut, error) {
	id, err := parseRun(in.Run)
	if err != nil {
		return workflows.DecideOut{}, err
	}
	r, err := a.facts(ctx, id)
	if err != nil {
		return workflows.DecideOut{}, err
	}
	s := r.plan.steps[in.Step]
	if s == nil {
		return workflows.DecideOut{}, fmt.Errorf("the document has no step %s", in.Step)
	}
	d, err := a.decide(ctx, r, s, in)
	if err != nil {
		return workflows.DecideOut{}, err
	}
	a.cfg.Changed(id)
	return a.decided(ctx, r, in, d)
}

func (a *Activities) decide(ctx context.Context, r *runFacts, s *planStep, in workflows.DecideIn) (*ledger.Decision, error) {
	switch in.What {
	case "if":
		return a.decideIf(ctx, r, s, in.Path)
	case "branch":
		return a.decideBranch(ctx, r, s, in.Path)
	case "each":
		return a.decideEach(ctx, r, s, in.Path)
	case "set":
		return a.decideValue(ctx, r, s, in.Path)
	case "check":
		return a.decideCheck(ctx, r, s, in.Path)
	case "stop":
		return a.decideStop(ctx, r, s, in.Path)
	case "wait":
		return a.decideWait(ctx, r, s, in.Path)
	case "deadline":
		return a.freeze(ctx, &ledger.Decision{Run: r.Run, Path: in.Path + "!", Kind: "wait", Label: "deadline", In: &s.timeout})
	case "retry":
		delay := max(s.delay(in.Round), time.Duration(in.AfterMS)*time.Millisecond)
		return a.freeze(ctx, &ledger.Decision{Run: r.Run, Path: fmt.Sprintf("%s#%d", in.Path, in.Round), Kind: "retry", Label: in.Of, Count: &in.Round, In: &delay})
	case "begin":
		return a.freeze(ctx, &ledger.Decision{Run: r.Run, Path: in.Path + "&", Kind: "try", Label: "began"})
	case "catch":
		return a.decideCatch(ctx, r, in)
	}
	return nil, fmt.Errorf("no decision of kind %q", in.What)
}

// decided tells the walk, and opens the row of a wait that is worth one.
func (a *Activities) decided(ctx context.Context, r *runFacts, in workflows.DecideIn, d *ledger.Decision) (workflows.DecideOut, error) {
	out := workflows.DecideOut{Label: d.Label}
	if d.Count != nil {
		out.Count = *d.Count
	}
	if d.Error != nil {
		out.Failed, out.Kind = true, string(d.Error.Kind)
		return out, nil //nolint:nilerr // the error is the decision, and the walk is told so
	}
	if d.In == nil {
		return out, nil
	}
	out.LeftMS = ceilMS(*d.In)
	kind := map[string]string{"wait": "timer", "retry": "retry"}[in.What]
	if kind == "" || *d.In <= durableWait {
		return out, nil
	}
	out.Durable = true
	return out, a.cfg.Ledger.Register(ctx, &ledger.Wait{Run: r.Run, Path: d.Path, Kind: kind, For: *d.In})
}

func (a *Activities) freeze(ctx context.Context, d *ledger.Decision) (*ledger.Decision, error) {
	return a.cfg.Ledger.Decide(ctx, d)
}

// failed freezes an error of evaluation as the decision; an error of the infrastructure is returned.
func (a *Activities) failed(ctx context.Context, r *runFacts, s *planStep, path, kind, pointer string, err error) (*ledger.Decision, error) {
	f := failure(err, s.id, s.pointer+pointer)
	if f == nil {
		return nil, err
	}
	return a.freeze(ctx, &ledger.Decision{Run: r.Run, Path: path, Kind: kind, Error: f})
}

func (a *Activities) decideIf(ctx context.Context, r *runFacts, s *planStep, path string) (*ledger.Decision, error) {
	ok, err := a.evaluateBool(ctx, r, path, s.cond)
	if err != nil {
		return a.failed(ctx, r, s, path+"?", "if", "/if", err)
	}
	label := labelSkipped
	if ok {
		label = "true"
	}
	return a.freeze(ctx, &ledger.Decision{Run: r.Run, Path: path + "?", Kind: "if", Label: label})
}

// decideBranch takes the first case that holds; Count is its index, or the number of cases for otherwise.
func (a *Activities) decideBranch(ctx context.Context, r *runFacts, s *planStep, path string) (*ledger.Decision, error) {
	taken, label := len(s.cases), "otherwise"
	for i, c := range s.cases {
		ok, err := a.evaluateBool(ctx, r, path, c)
		if err != nil {
			return a.failed(ctx, r, s, path, "branch", "/cases/"+strconv.Itoa(i)+"/when", err)
		}
		if ok {
			taken, label = i, "case "+strconv.Itoa(i+1)
			break
		}
	}
	return a.freeze(ctx, &ledger.Decision{Run: r.Run, Path: path, Kind: "branch", Label: label, Count: &taken})
}

func (a *Activities) decideEach(ctx context.Context, r *runFacts, s *planStep, path string) (*ledger.Decision, error) {
	env, err := a.env(ctx, r, path, s.items)
	if err != nil {
		return a.failed(ctx, r, s, path, "each", "/items", err)
	}
	items, err := s.items.EvalList(ctx, env)
	if err == nil && len(items) > s.maxItems {
		err = fault.New(fault.Limit, "loop_items", "The loop has %d items and its limit is %d: filter them first, or raise max_items.", len(items), s.maxItems)
	}
	if err != nil {
		return a.failed(ctx, r, s, path, "each", "/items", err)
	}
	n := len(items)
	return a.cfg.Ledger.DecideEach(ctx, &ledger.Decision{Run: r.Run, Path: path, Kind: "each", Count: &n}, items)
}

func (a *Activities) decideValue(ctx context.Context, r *runFacts, s *planStep, path string) (*ledger.Decision, error) {
	v, err := a.evaluate(ctx, r, path, s.value)
	if err != nil {
		return a.failed(ctx, r, s, path, "set", "/value", err)
	}
	d, err := a.freeze(ctx, &ledger.Decision{Run: r.Run, Path: path, Kind: "set", Value: v})
	if err == nil && d.Error == nil {
		_, err = a.keep(r.Run, path, d.Value)
	}
	return d, err
}

func (a *Activities) decideCheck(ctx context.Context, r *runFacts, s *planStep, path string) (*ledger.Decision, error) {
	ok, err := a.evaluateBool(ctx, r, path, s.cases[0])
	if err != nil {
		return a.failed(ctx, r, s, path, "check", "/condition", err)
	}
	d := &ledger.Decision{Run: r.Run, Path: path, Kind: "check", Label: "holds"}
	if !ok {
		d.Label = "does not hold"
		d.Error = fault.New(fault.InvalidInput, "check_failed", "%s", a.message(ctx, r, s, path, "The condition of check "+s.id+" does not hold.")).In(s.id).At(s.pointer + "/condition")
	}
	return a.freeze(ctx, d)
}

func (a *Activities) decideStop(ctx context.Context, r *runFacts, s *planStep, path string) (*ledger.Decision, error) {
	d := &ledger.Decision{Run: r.Run, Path: path, Kind: "stop", Label: s.outcome}
	if s.outcome == "failed" {
		d.Error = fault.New(fault.InvalidInput, "stopped", "%s", a.message(ctx, r, s, path, "Step "+s.id+" stopped the run as failed.")).In(s.id)
	}
	return a.freeze(ctx, d)
}

// message evaluates the text of a check or a stop; one that can't be evaluated must not hide what it is about.
func (a *Activities) message(ctx context.Context, r *runFacts, s *planStep, path, otherwise string) string {
	if s.value == nil {
		return otherwise
	}
	b, err := a.evaluate(ctx, r, path, s.value)
	if err != nil {
		return otherwise + " Its message can't be evaluated: " + fault.From(err).Message
	}
	if text, err := expr.Parse(b); err == nil {
		if str, ok := text.(string); ok {
			return str
		}
	}
	return string(b)
}

func (a *Activities) decideWait(ctx context.Context, r *runFacts, s *planStep, path string) (*ledger.Decision, error) {
	in := s.waitFor
	if s.until != nil {
		at, err := a.instant(ctx, r, s, path)
		if err != nil {
			return a.failed(ctx, r, s, path, "wait", "/until", err)
		}
		in = max(0, time.Until(at))
	}
	return a.freeze(ctx, &ledger.Decision{Run: r.Run, Path: path, Kind: "wait", In: &in})
}

// instant evaluates until: a time stamp of RFC 3339.
func (a *Activities) instant(ctx context.Context, r *runFacts, s *planStep, path string) (time.Time, error) {
	b, err := a.evaluate(ctx, r, path, s.until)
	if err != nil {
		return time.Time{}, err
	}
	text := strings.Trim(string(b), `"`)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fault.New(fault.Expression, "not_a_time", "until gave %.60q, which is no time stamp such as 2026-03-01T09:00:00Z (RFC 3339).", text)
	}
	return at, nil
}

// decideCatch keeps the error that a try caught, so that its catch block can read it.
func (a *Activities) decideCatch(ctx context.Context, r *runFacts, in workflows.DecideIn) (*ledger.Decision, error) {
	e, err := a.cause(ctx, r.Run, workflows.FinishIn{Of: in.Of, Kind: cmp.Or(in.Kind, string(fault.Internal))})
	if err != nil {
		return nil, err
	}
	v := map[string]any{"kind": e.Kind, "reason": e.Reason, "message": e.Message, "path": in.Of}
	if e.Where != nil {
		v["step"] = e.Where.Step
	}
	if e.Status != 0 {
		v["status"] = e.Status
	}
	if e.Details != nil {
		v["details"] = e.Details
	}
	return a.freeze(ctx, &ledger.Decision{Run: r.Run, Path: in.Path + "^", Kind: "try", Label: "caught", Value: object(v)})
}

// delay is how long a retry wrapper waits after a round that failed: exponential, and with jitter, so that many runs
// do not come back at one moment (full jitter over the upper half).
func (s *planStep) delay(round int) time.Duration {
	d := float64(s.initial) * math.Pow(s.factor, float64(round-1))
	d = math.Min(d, float64(s.most))
	if s.jitter {
		d = d/2 + rand.Float64()*d/2
	}
	return time.Duration(d)
}
