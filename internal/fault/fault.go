// Package fault is the one closed, append-only set of error kinds of Pawl, and the error value that carries
// them. Steps, the API, the UI and metrics all use this set; nothing else invents a kind.
//
// A fault has a public text, which is shown to builders and stored with runs, and a private cause, which is
// only logged. Never put a secret or a provider's raw answer into either.
package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Kind is a closed set: code may switch over it. A finer, stable name goes into Error.Reason.
type Kind string

// The kinds, in the order of the documentation (docs/errors.md). Append only.
const (
	InvalidInput       Kind = "invalid_input"
	Expression         Kind = "expression"
	NotFound           Kind = "not_found"
	Conflict           Kind = "conflict"
	Unauthenticated    Kind = "unauthenticated"     // of our own API: who are you?
	Forbidden          Kind = "forbidden"           // of our own API: you may not
	Unavailable        Kind = "unavailable"         // a binding is withdrawn, drifted or never was; nothing else
	PermissionRequired Kind = "permission_required" // a grant is missing
	Denied             Kind = "denied"              // an approval was refused or has expired
	LocalOnly          Kind = "local_only"
	Unauthorized       Kind = "unauthorized" // the provider refused the key
	Rejected           Kind = "rejected"     // another 4xx of the provider
	RateLimited        Kind = "rate_limited"
	ProviderError      Kind = "provider_error" // 5xx of the provider
	Network            Kind = "network"        // provably nothing was sent
	Timeout            Kind = "timeout"
	InvalidResponse    Kind = "invalid_response"
	OutcomeUnknown     Kind = "outcome_unknown" // sent, perhaps partly, and no answer
	TooLarge           Kind = "too_large"
	BlockedAddress     Kind = "blocked_address"
	SandboxUnavailable Kind = "sandbox_unavailable"
	Limit              Kind = "limit"
	Cancelled          Kind = "cancelled"
	Internal           Kind = "internal"
)

// Kinds lists every kind once, in documentation order.
func Kinds() []Kind {
	return []Kind{
		InvalidInput, Expression, NotFound, Conflict, Unauthenticated, Forbidden, Unavailable, PermissionRequired,
		Denied, LocalOnly, Unauthorized, Rejected, RateLimited, ProviderError, Network, Timeout, InvalidResponse,
		OutcomeUnknown, TooLarge, BlockedAddress, SandboxUnavailable, Limit, Cancelled, Internal,
	}
}

// Retryable says whether trying the same thing again, unchanged, can help. What a retry wrapper may do with a
// step also depends on the step's effect and on what was sent: that is the ledger's word, not the kind's.
func (k Kind) Retryable() bool {
	switch k {
	case RateLimited, ProviderError, Network, Timeout, Internal:
		return true
	default:
		return false
	}
}

// Where says which part of the user's material an error is about. Empty fields are unknown or do not apply.
type Where struct {
	// Step is the id of a step of the document.
	Step string `json:"step,omitempty"`
	// Expression is the text between {{ and }} that failed.
	Expression string `json:"expression,omitempty"`
	// Pointer is a JSON pointer (RFC 6901) into the document or input concerned.
	Pointer string `json:"pointer,omitempty"`
	// Line and Column count from 1 and are set for syntax errors of a text.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

// Error is what every part of Pawl returns when something that a user can act on went wrong.
// Its JSON form is stored with runs and is part of the API.
type Error struct {
	Kind    Kind   `json:"kind"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message"`
	Where   *Where `json:"where,omitempty"`
	// Status is the provider's HTTP status, 0 where there was no answer.
	Status int `json:"status,omitempty"`
	// Details holds further public facts, for instance who withdrew a binding and when. Small, JSON-serialisable.
	Details map[string]any `json:"details,omitempty"`

	cause error
}

// New makes a fault with a public message.
func New(kind Kind, reason, format string, args ...any) *Error {
	return &Error{Kind: kind, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// At returns a copy of e that points at a JSON pointer.
func (e *Error) At(pointer string) *Error {
	c := *e
	w := Where{}
	if e.Where != nil {
		w = *e.Where
	}
	w.Pointer = pointer
	c.Where = &w
	return &c
}

// In returns a copy of e that names a step.
func (e *Error) In(step string) *Error {
	c := *e
	w := Where{}
	if e.Where != nil {
		w = *e.Where
	}
	w.Step = step
	c.Where = &w
	return &c
}

// With returns a copy of e with one more public detail.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Details = make(map[string]any, len(e.Details)+1)
	for k, v := range e.Details {
		c.Details[k] = v
	}
	c.Details[key] = value
	return &c
}

// Because returns a copy of e with a private cause, for the log and for errors.Is.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// Error gives the kind, the reason and the public message, and the private cause behind them.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Kind))
	if e.Reason != "" {
		b.WriteString(" (" + e.Reason + ")")
	}
	b.WriteString(": " + e.Message)
	if e.cause != nil {
		b.WriteString(": " + e.cause.Error())
	}
	return b.String()
}

// Unwrap gives the private cause.
func (e *Error) Unwrap() error { return e.cause }

// Retryable is Kind.Retryable.
func (e *Error) Retryable() bool { return e.Kind.Retryable() }

// JSON is the stored form.
func (e *Error) JSON() []byte {
	b, err := json.Marshal(e)
	if err != nil { // a detail that cannot be marshalled; the rest still can
		c := *e
		c.Details = nil
		b, _ = json.Marshal(&c)
	}
	return b
}

// FromJSON reads the stored form; text that is none becomes an internal fault that quotes nothing.
func FromJSON(b []byte) *Error {
	var e Error
	if err := json.Unmarshal(b, &e); err != nil || e.Kind == "" {
		return New(Internal, "stored_error", "The stored error can't be read.").Because(err)
	}
	return &e
}

// From finds the fault in err, or wraps err as internal with a text that shows nothing private.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return New(Internal, "", "Something went wrong inside Pawl; the log has the details.").Because(err)
}

// Is reports whether err carries a fault of the given kind.
func Is(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

// List is several faults at once, as validation reports them.
type List []*Error

// Error joins the messages, one a line, each with its pointer.
func (l List) Error() string {
	lines := make([]string, 0, len(l))
	for _, e := range l {
		p := ""
		if e.Where != nil && e.Where.Pointer != "" {
			p = e.Where.Pointer + ": "
		}
		lines = append(lines, p+e.Message)
	}
	return strings.Join(lines, "\n")
}

// Err is nil for an empty list.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// One makes one fault of a list in err: the first one speaks, and where there are several, all are its detail "problems".
// Other errors stay as they are.
func One(err error) error {
	var l List
	if !errors.As(err, &l) || len(l) == 0 {
		return err
	}
	if len(l) == 1 {
		return l[0]
	}
	return l[0].With("problems", l)
}
