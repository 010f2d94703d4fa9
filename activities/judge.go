package activities

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/google/uuid"

	"pawl/actions"
	"pawl/actions/httpcall"
	"pawl/internal/fault"
	"pawl/internal/ledger"
)

// verdict is what an exchange means for the ledger.
type verdict struct {
	state  ledger.State
	again  bool
	status int
	output []byte
	blobs  []ledger.Blob
	err    *fault.Error
	after  time.Duration
	trace  []byte // what a tool logged and requested, nil for other actions
}

// judge applies the table of retry and unknown (docs/runtime.md) to what is known of an exchange.
func judge(t *trial, x *ready, ans *httpcall.Answer, err error) verdict {
	v := verdict{state: ledger.Answered, status: ans.Status}
	if err != nil {
		v.err = fault.From(err).In(t.step.id)
	}
	switch {
	case ans.Status != 0:
		v.answered(t, x, ans)
	case !ans.Sent:
		v.notSent()
	case x.effect == actions.Unsafe:
		v.state = ledger.Unknown
		if v.err.Kind != fault.OutcomeUnknown {
			v.err = fault.New(fault.OutcomeUnknown, v.err.Reason, "The request was sent and no answer came: it may have been carried out. %s", v.err.Message).In(t.step.id)
		}
	default: // sent, no answer, and safe to repeat
		v.state, v.again = ledger.Lost, v.err.Kind != fault.Cancelled
		v.after = t.untilDeadline(x)
	}
	if t.step.repeat == "never" && v.state != ledger.NotSent {
		v.again = false
	}
	return v
}

func (v *verdict) notSent() {
	v.state = ledger.NotSent
	if v.err.Reason == "late" {
		v.err = fault.New(fault.Limit, ledger.ReasonNotInTime, "The send window was over before the first byte; nothing was sent.")
	}
	switch v.err.Kind {
	case fault.Network, fault.Timeout, fault.Limit:
		v.again = true
	default: // would be refused in the same way
	}
}

func (v *verdict) answered(t *trial, x *ready, ans *httpcall.Answer) {
	v.output = httpcall.Output(ans)
	v.after = ans.RetryAfter.Delay
	for _, b := range ans.Blobs() {
		v.blobs = append(v.blobs, ledger.Blob{Digest: b.SHA256, MediaType: b.MediaType, Body: b.Bytes})
	}
	if blob, large := ledger.OutputBlob(v.output); large {
		v.blobs = append(v.blobs, blob)
	}
	if v.err == nil {
		return
	}
	if x.action.Method == actions.DELETE && (ans.Status == http.StatusNotFound || ans.Status == http.StatusGone) && t.ambiguousBefore() {
		v.err = nil // what was to be deleted is gone, by the earlier attempt
		return
	}
	switch v.err.Kind {
	case fault.RateLimited:
		v.again = true
	case fault.ProviderError:
		v.again = x.effect != actions.Unsafe
	case fault.Network, fault.Timeout: // the answer broke off
		v.again, v.after = x.effect != actions.Unsafe, t.untilDeadline(x)
	default: // the provider would say the same again
	}
}

// untilDeadline is how long an ambiguous effect is held before it may be sent again: until its own deadline, because the
// app may still be at work on it. A read is not held.
func (t *trial) untilDeadline(x *ready) time.Duration {
	if x.effect == actions.Read {
		return 0
	}
	return max(0, x.timeout-elapsed(t.began))
}

// ambiguousBefore says whether the attempt before this one may have been carried out.
func (t *trial) ambiguousBefore() bool {
	return t.facts.Last != nil && t.facts.Last.N < t.in.N && t.facts.Last.State == ledger.Lost
}

// idempotencyKey is the same over all attempts of a position, and another one for another account.
func idempotencyKey(run uuid.UUID, path string, account uuid.UUID) string {
	h := sha256.New()
	h.Write(run[:])
	h.Write(account[:])
	h.Write([]byte(path))
	return "pawl-" + hex.EncodeToString(h.Sum(nil)[:16])
}
