package sandbox

import (
	"context"

	"pawl/connections/genisys"
	"pawl/internal/fault"
)

// Check evaluates a plugin's module in the sandbox and looks whether it has a function for each tool of the manifest. The
// fault points at /code, with line and column where they are known; its kinds are those of jsbox.Engine.Load. A module
// without tools is evaluated too: a file holds one that is JavaScript.
func (b *Box) Check(ctx context.Context, p *genisys.Plugin) error {
	names := make([]string, len(p.Manifest.Tools))
	for i := range p.Manifest.Tools {
		names[i] = p.Manifest.Tools[i].Name
	}
	if _, err := b.Engine.Load(ctx, "", p.Code, names); err != nil {
		return fault.From(err).At("/code")
	}
	return nil
}
