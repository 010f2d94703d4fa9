package activities

import (
	"bytes"
	"time"

	"pawl/actions/httpcall"
	"pawl/internal/ledger"
)

// chain is what the steps of a stretch hand on to each other. A nil chain is a step by itself.
type chain struct {
	following string // position of the step after this one
	ask       ledger.Ask
	facts     *ledger.Facts // what ask gave
	sealed    []byte        // the key that was opened last, as it is stored
	secret    httpcall.Secret
	pending   *pending // the answer of the step before, where it is not recorded yet
}

// take gives the facts for an attempt where a step before it brought them, or had the same ones a moment ago. That nothing is
// known of the position then stands until the ledger says otherwise: a record and a claim find out who was first.
func (c *chain) take(ask ledger.Ask) (f ledger.Facts, ok bool) {
	if !c.has(ask, chainedFacts) {
		return f, false
	}
	f = *c.facts
	if c.ask.Path != ask.Path {
		f.Last, f.Waiting = nil, false
	}
	return f, true
}

// has says whether what is known answers an ask, and is younger than a time.
func (c *chain) has(ask ledger.Ask, younger time.Duration) bool {
	if c == nil || c.facts == nil || time.Since(c.facts.Read) >= younger {
		return false
	}
	same := c.ask
	same.Path = ask.Path
	return same == ask
}

// bring keeps what the ledger said; nil is nothing new.
func (c *chain) bring(ask ledger.Ask, f *ledger.Facts) {
	if c != nil && f != nil {
		c.ask, c.facts = ask, f
	}
}

// drop forgets the facts, so that the next attempt asks the ledger: one lost, or was known already.
func (c *chain) drop() {
	if c != nil {
		c.facts = nil
	}
}

// opened gives the key of the step before where this one's is the same.
func (c *chain) opened(sealed []byte) (httpcall.Secret, bool) {
	if c == nil || c.secret == nil || !bytes.Equal(c.sealed, sealed) {
		return nil, false
	}
	return c.secret, true
}

func (c *chain) keep(sealed []byte, s httpcall.Secret) {
	if c != nil {
		c.sealed, c.secret = sealed, s
	}
}

// following is what the step after this one has to know, to be read with this one's record; nil for none, and where it is
// known and stays fresh enough.
func (a *Activities) following(t *trial) *ledger.Ask {
	if t.chain == nil || t.chain.following == "" {
		return nil
	}
	_, id := splitPath(t.chain.following)
	step := t.run.plan.steps[id]
	if step == nil {
		return nil
	}
	ask := a.asks(t.run, step, t.chain.following)
	if t.chain.has(ask, chainedFacts/2) {
		return nil
	}
	return &ask
}
