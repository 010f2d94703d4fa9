package jsbox

import (
	"context"
	"time"
)

// SetGrace gives calls that are over their time longer to say where they were.
func (e *Engine) SetGrace(d time.Duration) { e.grace = d }

// Fresh says whether the module is evaluated anew for each call.
func (m *Module) Fresh() bool { return m.fresh }

// Kept is how many bytes a loaded module holds.
func (m *Module) Kept() (n int) {
	for _, p := range m.image.patches {
		n += len(p.bytes)
	}
	return n
}

// Out is how many memories are in use.
func (e *Engine) Out() int64 { return e.memories.out.Load() }

// Free is how many memories are kept for the next instances.
func (e *Engine) Free() int { return len(e.memories.free) }

// Session drives the harness of a realm by hand.
type Session struct {
	run *run
	f   map[string]value
}

// Session makes a realm with the module in it.
func (m *Module) Session(ctx context.Context) (*Session, error) {
	r, err := m.engine.begin(ctx, m.image, "The tool")
	if err != nil {
		return nil, err
	}
	c := r.control
	return &Session{run: r, f: map[string]value{"start": c.start, "poll": c.poll, "resolve": c.resolve}}, nil
}

// Tell calls start, poll or resolve and runs what is ready.
func (s *Session) Tell(f string, texts ...string) (string, error) {
	args := make([]value, len(texts))
	for i, text := range texts {
		var err error
		if args[i], err = s.run.v.newString(text); err != nil {
			return "", err
		}
	}
	said, err := s.run.v.tell(s.f[f], args...)
	if err != nil {
		return "", err
	}
	return said, s.run.jobs()
}

// End gives the realm's memory back.
func (s *Session) End() { s.run.end() }

// Bare makes a realm without any of ours in it and evaluates a script: what the engine itself costs.
func (e *Engine) Bare(ctx context.Context, script string) (string, error) {
	v, err := e.instance(ctx, nil, &host{random: e.config.Random})
	if err != nil {
		return "", err
	}
	defer v.close()
	if _, err := v.run("_initialize"); err != nil {
		return "", err
	}
	if _, err := v.run("qjs_init"); err != nil {
		return "", err
	}
	got, err := v.eval(script, "bare.js", 0)
	if err != nil {
		return "", err
	}
	return v.text(got, maxReplyBytes)
}
