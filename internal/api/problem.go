package api

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strconv"

	"pawl/internal/fault"
	"pawl/internal/store"
)

// Problem is an error of the API: problem details (RFC 9457) with the kind, reason and place of the fault.
type Problem struct {
	Type      string         `json:"type" doc:"A name of the kind of problem" example:"urn:pawl:error:not_found"`
	Title     string         `json:"title" doc:"The status in words"`
	Status    int            `json:"status" doc:"The HTTP status"`
	Detail    string         `json:"detail" doc:"What is wrong, where, and how to mend it"`
	Instance  string         `json:"instance,omitempty" doc:"The request, as the log names it"`
	Kind      fault.Kind     `json:"kind" doc:"One of the closed set of error kinds"`
	Reason    string         `json:"reason,omitempty" doc:"A finer, stable name"`
	Where     *fault.Where   `json:"where,omitempty" doc:"The part of the material that the problem is about"`
	Retryable bool           `json:"retryable" doc:"Whether the same request can succeed later"`
	Details   map[string]any `json:"details,omitempty" doc:"Further facts, by reason"`
	Errors    []ProblemItem  `json:"errors,omitempty" doc:"All problems, where there are several"`
}

// ProblemItem is one of several problems.
type ProblemItem struct {
	Kind    fault.Kind     `json:"kind"`
	Reason  string         `json:"reason,omitempty"`
	Message string         `json:"message"`
	Where   *fault.Where   `json:"where,omitempty"`
	Details map[string]any `json:"details,omitempty"`
}

// Error gives the detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus gives the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType is that of RFC 9457.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// GetHeaders are the headers of the answer: Retry-After (RFC 9110, section 10.2.3), where it is known.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if seconds, ok := p.Details[detailRetryAfter].(int); ok {
		h.Set("Retry-After", strconv.Itoa(seconds))
	}
	return h
}

// statusOf maps a fault to an HTTP status. It is the only place that does.
func statusOf(e *fault.Error) int {
	if (e.Kind == fault.InvalidInput || e.Kind == fault.Limit) && e.Where != nil && e.Where.Line > 0 {
		return http.StatusBadRequest // a text that is no JSON, or nests too deep, has a line to name
	}
	switch e.Kind {
	case fault.InvalidInput:
		return statusOfInput(e.Reason)
	case fault.Conflict:
		return statusOfConflict(e.Reason)
	case fault.Expression, fault.BlockedAddress:
		return http.StatusUnprocessableEntity
	case fault.NotFound:
		return statusOfMissing(e)
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.Forbidden, fault.PermissionRequired, fault.Denied, fault.LocalOnly:
		return http.StatusForbidden
	case fault.Unavailable, fault.Cancelled, fault.Limit:
		return http.StatusConflict
	case fault.TooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.RateLimited:
		return http.StatusTooManyRequests
	case fault.Unauthorized, fault.Rejected, fault.ProviderError, fault.Network, fault.InvalidResponse, fault.OutcomeUnknown:
		return http.StatusBadGateway
	case fault.Timeout:
		return http.StatusGatewayTimeout
	case fault.SandboxUnavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}

// statusOfMissing is 404 for what the request asks for, and 422 for what a step of a document names: the address is
// there then.
func statusOfMissing(e *fault.Error) int {
	if e.Where != nil && e.Where.Step != "" {
		return http.StatusUnprocessableEntity
	}
	return http.StatusNotFound
}

// detailRetryAfter is the detail of a fault that says in how many seconds to try again.
const detailRetryAfter = "retry_after"

// Reasons that decide the status.
const (
	reasonMediaType    = "media_type"
	reasonMethod       = "method"
	reasonBody         = "body_missing"
	reasonStale        = "stale"
	reasonStaleDraft   = "stale_draft" // of a plugin
	reasonPrecondition = "if_match_required"
	reasonNotReady     = "not_ready"
)

func statusOfInput(reason string) int {
	switch reason {
	case reasonMediaType:
		return http.StatusUnsupportedMediaType
	case reasonMethod:
		return http.StatusMethodNotAllowed
	case reasonBody:
		return http.StatusBadRequest
	default:
		return http.StatusUnprocessableEntity
	}
}

func statusOfConflict(reason string) int {
	switch reason {
	case reasonStale, reasonStaleDraft:
		return http.StatusPreconditionFailed
	case reasonPrecondition:
		return http.StatusPreconditionRequired
	case reasonNotReady:
		return http.StatusServiceUnavailable
	default:
		return http.StatusConflict
	}
}

// newProblem makes the problem of an error. A list of faults becomes the first one with all of them in errors.
func newProblem(err error, instance string) *Problem {
	var list fault.List
	if errors.As(err, &list) && len(list) > 0 {
		p := problemOf(list[0], instance)
		p.Detail = summary(list)
		for _, e := range list {
			p.Errors = append(p.Errors, itemOf(e))
		}
		return p
	}
	if store.BadText(err) {
		err = fault.New(fault.InvalidInput, "text", "A text in the address or the body holds a NUL character or bytes that are no UTF-8; take them out.").Because(err)
	}
	return problemOf(fault.From(err), instance)
}

func problemOf(e *fault.Error, instance string) *Problem {
	status := statusOf(e)
	return &Problem{
		Type: "urn:pawl:error:" + string(e.Kind), Title: http.StatusText(status), Status: status, Detail: e.Message, Instance: instance,
		Kind: e.Kind, Reason: e.Reason, Where: e.Where, Retryable: e.Retryable(), Details: e.Details,
	}
}

func itemOf(e *fault.Error) ProblemItem {
	return ProblemItem{Kind: e.Kind, Reason: e.Reason, Message: e.Message, Where: e.Where, Details: e.Details}
}

func itemsOf(list fault.List) []ProblemItem {
	items := make([]ProblemItem, 0, len(list))
	for _, e := range list {
		items = append(items, itemOf(e))
	}
	return items
}

// writeProblem answers with a problem outside of an operation.
func writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	requestOf(r.Context()).cause = err
	p := newProblem(err, instanceOf(r.Context()))
	maps.Copy(w.Header(), p.GetHeaders())
	w.Header().Set("Content-Type", p.ContentType(""))
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="pawl"`)
	}
	w.WriteHeader(p.Status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(p) // the client is gone when this fails
}
