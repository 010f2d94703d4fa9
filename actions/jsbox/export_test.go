package jsbox

import "time"

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
