package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"pawl/internal/expr"
	"pawl/internal/fault"
	"pawl/internal/ledger"
)

type outputKey struct {
	run  uuid.UUID
	path string
}

// unparsed is an output that nobody has named yet.
type unparsed []byte

type actionKey struct {
	scope  uuid.UUID
	action string
}

type chunkKey struct {
	run   uuid.UUID
	path  string
	chunk int
}

// evaluate evaluates a template at a position. Its value is JSON text.
func (a *Activities) evaluate(ctx context.Context, r *runFacts, path string, t *expr.Template) ([]byte, error) {
	env, err := a.env(ctx, r, path, t)
	if err != nil {
		return nil, err
	}
	return t.Eval(ctx, env)
}

func (a *Activities) evaluateBool(ctx context.Context, r *runFacts, path string, t *expr.Template) (bool, error) {
	env, err := a.env(ctx, r, path, t)
	if err != nil {
		return false, err
	}
	return t.EvalBool(ctx, env)
}

// env gathers what a template's expressions name, and nothing else.
func (a *Activities) env(ctx context.Context, r *runFacts, path string, t *expr.Template) (expr.Env, error) {
	env := expr.Env{Vars: map[string]any{"inputs": r.input}, Now: time.Now().UTC(), Seed: []byte(r.Run.String() + "/" + path)}
	if t.Constant() {
		return env, nil
	}
	if r.trigger != nil {
		env.Vars["trigger"] = r.trigger
	}
	prefix, step := splitPath(path)
	fs := frames(prefix)
	if err := a.loopVars(ctx, r, fs, env.Vars, t); err != nil {
		return env, err
	}
	if err := a.caught(ctx, r, fs, step, env.Vars, t); err != nil {
		return env, err
	}
	steps, err := a.stepValues(ctx, r, viewpoint{fs, r.plan.steps[step]}, t.Steps())
	env.Vars["steps"] = steps
	return env, err
}

// loopVars binds the items of the enclosing loops.
func (a *Activities) loopVars(ctx context.Context, r *runFacts, fs []frame, vars map[string]any, t *expr.Template) error {
	prefix := ""
	for _, f := range fs {
		if s := r.plan.steps[f.id]; s != nil && f.loop {
			if s.index != "" {
				vars[s.index] = json.Number(fmt.Sprint(f.n))
			}
			if uses(t, s.as) {
				item, err := a.item(ctx, r.Run, prefix+f.id, f.n)
				if err != nil {
					return err
				}
				vars[s.as] = item
			}
		}
		prefix += f.text()
	}
	return nil
}

func uses(t *expr.Template, name string) bool {
	for _, v := range t.Vars() {
		if v == name {
			return true
		}
	}
	return false
}

func (a *Activities) item(ctx context.Context, run uuid.UUID, path string, i int) (any, error) {
	k := chunkKey{run, path, i / ledger.LoopChunk}
	items, ok := a.items.get(k)
	if !ok {
		raw, err := a.cfg.Ledger.Items(ctx, run, path, k.chunk)
		if err != nil {
			return nil, err
		}
		size := 0
		for _, it := range raw {
			v, err := expr.Parse(it)
			if err != nil {
				return nil, fmt.Errorf("read item of loop %s: %w", path, err)
			}
			items, size = append(items, v), size+4*len(it)
		}
		a.items.put(k, items, size)
	}
	if i%ledger.LoopChunk >= len(items) {
		return nil, fmt.Errorf("loop %s has no item %d", path, i)
	}
	return items[i%ledger.LoopChunk], nil
}

// caught binds error inside a catch block: the error that the nearest enclosing try caught.
func (a *Activities) caught(ctx context.Context, r *runFacts, fs []frame, step string, vars map[string]any, t *expr.Template) error {
	s := r.plan.steps[step]
	if s == nil || !uses(t, "error") {
		return nil
	}
	for i := len(s.inside) - 1; i >= 0; i-- {
		try := r.plan.steps[s.inside[i]]
		if try == nil || try.kind != "try" {
			continue
		}
		prefix, ok := prefixOf(fs, try.enclosing)
		if !ok {
			continue
		}
		ds, err := a.cfg.Ledger.Decisions(ctx, r.Run, []string{prefix + try.id + "^"})
		if err != nil {
			return err
		}
		if d := ds[prefix+try.id+"^"]; d != nil {
			vars["error"], err = expr.Parse(d.Value)
			return err
		}
	}
	return nil
}

// stepValues reads the outputs of the steps that a template names; those that have none are absent.
func (a *Activities) stepValues(ctx context.Context, r *runFacts, from viewpoint, ids []string) (map[string]any, error) {
	values := make(map[string]any, len(ids))
	missing := map[string]string{} // path -> id
	for _, id := range ids {
		s := r.plan.steps[id]
		if s == nil {
			continue
		}
		prefix, ok, err := a.seen(ctx, r, from, s)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if s.kind == "each" {
			out, err := a.loopOutput(ctx, r, prefix+id)
			if err != nil {
				return nil, err
			}
			if out != nil {
				values[id] = map[string]any{"output": out}
			}
			continue
		}
		if text, ok := a.arriving.get(outputKey{r.Run, prefix + id}); ok {
			v, err := expr.Parse(text)
			if err != nil {
				return nil, fmt.Errorf("read the output of %s: %w", prefix+id, err)
			}
			values[id] = map[string]any{"output": v}
			continue
		}
		if v, ok := a.outputs.get(outputKey{r.Run, prefix + id}); ok {
			if text, raw := v.(unparsed); raw {
				if v, err = a.keep(r.Run, prefix+id, text); err != nil {
					return nil, err
				}
			}
			values[id] = map[string]any{"output": v}
			continue
		}
		missing[prefix+id] = id
	}
	return values, a.readOutputs(ctx, r.Run, missing, values)
}

func (a *Activities) readOutputs(ctx context.Context, run uuid.UUID, missing map[string]string, values map[string]any) error {
	if len(missing) == 0 {
		return nil
	}
	paths := make([]string, 0, len(missing))
	for p := range missing {
		paths = append(paths, p)
	}
	found, err := a.cfg.Ledger.Outputs(ctx, run, paths)
	if err != nil {
		return err
	}
	for p, text := range found {
		v, err := a.keep(run, p, text)
		if err != nil {
			return err
		}
		values[missing[p]] = map[string]any{"output": v}
	}
	return nil
}

// keep parses an output and remembers it: an output that is recorded never changes.
func (a *Activities) keep(run uuid.UUID, path string, text []byte) (any, error) {
	v, err := expr.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read the output of %s: %w", path, err)
	}
	a.outputs.put(outputKey{run, path}, v, 4*len(text))
	return v, nil
}

// loopOutput is the list of the last outputs of a loop's iterations; nil when the loop never began.
func (a *Activities) loopOutput(ctx context.Context, r *runFacts, path string) (any, error) {
	k := outputKey{r.Run, path}
	if v, ok := a.outputs.get(k); ok {
		return v, nil
	}
	ds, err := a.cfg.Ledger.Decisions(ctx, r.Run, []string{path})
	if err != nil {
		return nil, err
	}
	d := ds[path]
	if d == nil || d.Count == nil || d.Error != nil {
		return nil, nil //nolint:nilerr // the error is the decision's: the loop never began
	}
	rows, err := a.cfg.Ledger.OutputsBelow(ctx, r.Run, path+".", loopOutputMax)
	if err != nil {
		return nil, err
	}
	byPath := make(map[string][]byte, len(rows))
	size := 0
	for _, o := range rows {
		byPath[o.Path] = o.Value
		size += 4 * len(o.Value)
	}
	_, id := splitPath(path)
	list, err := a.lastOutputs(ctx, r, r.plan.steps[id], path, *d.Count, byPath)
	if err == nil && whole(list) { // an iteration without an output may still get one
		a.outputs.put(k, list, size)
	}
	return list, err
}

func whole(list []any) bool {
	for _, v := range list {
		if v == nil {
			return false
		}
	}
	return true
}

func (a *Activities) lastOutputs(ctx context.Context, r *runFacts, loop *planStep, path string, count int, byPath map[string][]byte) ([]any, error) {
	list := make([]any, count)
	for i := range count {
		prefix := fmt.Sprintf("%s.%d.", path, i)
		for _, id := range loop.body {
			s := r.plan.steps[id]
			at, err := a.latest(ctx, r, prefix, tail(s.enclosing), id)
			if err != nil {
				return nil, err
			}
			if s.kind == "each" {
				list[i], err = a.loopOutput(ctx, r, at)
			} else if text, ok := byPath[at]; ok {
				list[i], err = expr.Parse(text)
			}
			if err != nil {
				return nil, err
			}
			if list[i] != nil {
				break
			}
		}
	}
	return list, nil
}

// failure is an error of evaluation as a step's error, or nil when it is the infrastructure's.
func failure(err error, step, pointer string) *fault.Error {
	e := fault.From(err)
	switch e.Kind {
	case fault.Internal, fault.NotFound:
		return nil
	default:
	}
	if e.Where != nil && e.Where.Pointer != "" && !strings.HasPrefix(e.Where.Pointer, pointer) {
		e = e.At(pointer + e.Where.Pointer)
	}
	return at(e, step, pointer)
}
