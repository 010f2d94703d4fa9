package auth

// Remembered is how many e-mail addresses a throttle remembers.
func (t *Throttle) Remembered() int { return len(t.names.byKey) }
