package main

import (
	"context"

	"pawl/actions/jsbox"
	"pawl/connections/genisys"
	"pawl/internal/fault"
	"pawl/internal/sandbox"
)

// modules tries the modules of plugin files in a sandbox of this process, which starts with the first of them.
type modules struct {
	box *sandbox.Box
	err error // why there is no sandbox
}

// check says why a plugin's module can't be run, nil when it can; prefix is where the plugin stands in its file. p is nil for
// a file that is none.
func (m *modules) check(ctx context.Context, p *genisys.Plugin, prefix string) *fault.Error {
	if p == nil {
		return nil
	}
	if m.box == nil && m.err == nil {
		var e *jsbox.Engine
		if e, m.err = jsbox.New(jsbox.Config{}); m.err == nil {
			m.box = &sandbox.Box{Engine: e}
		}
	}
	err := m.err
	if err == nil {
		err = m.box.Check(ctx, p)
	}
	if err == nil {
		return nil
	}
	return fault.From(err).At(prefix + "/code")
}

func (m *modules) close() {
	if m.box != nil {
		_ = m.box.Engine.Close(context.Background()) // the process ends, and with it all of the sandbox
	}
}
