package jsbox

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"pawl/internal/fault"
)

// FetchRequest is what a module asks ctx.fetch. Nothing of it is checked but its size.
type FetchRequest struct {
	URL     string            `json:"url"`
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	// Body is nil where the module gives none.
	Body *string `json:"body"`
}

// FetchResponse is what ctx.fetch gives: {status, headers, text}.
type FetchResponse struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	// Text is at most MaxFetchTextBytes long; a longer one rejects the module's promise.
	Text string `json:"text"`
}

// Fetch performs a request of a module. A fault rejects the module's promise with its message; where the module lets
// that rejection end the call, the call ends with the same fault. It has to return soon after ctx is done: the call
// waits for it.
type Fetch func(ctx context.Context, request FetchRequest) (FetchResponse, error)

// answered is the answer to a request.
type answered struct {
	id       int
	response FetchResponse
	err      error
}

// send starts a request in a goroutine of its own.
func (r *run) send(raw json.RawMessage) error {
	var request struct {
		ID int `json:"id"`
		FetchRequest
	}
	r.sent++
	if json.Unmarshal(raw, &request) != nil || r.sent > MaxFetches { // the harness says neither
		return r.brokenHarness()
	}
	r.inFlight++
	go func() {
		a := answered{id: request.ID, err: r.refuseFetch(request.FetchRequest)}
		if a.err == nil {
			a.response, a.err = r.fetch(r.soft, request.FetchRequest)
		}
		r.answers <- a // there is room for MaxFetches
	}()
	return nil
}

// refuseFetch says why a request isn't performed.
func (r *run) refuseFetch(request FetchRequest) error {
	switch {
	case r.fetch == nil:
		return fault.New(fault.PermissionRequired, "fetch", "ctx.fetch reaches nothing here.")
	case request.Body != nil && len(*request.Body) > MaxFetchBodyBytes:
		return fault.New(fault.TooLarge, "fetch_request", "The body of ctx.fetch has at most %d bytes.", MaxFetchBodyBytes)
	}
	return nil
}

// drain waits for the requests that are still under way, so that none outlives its call.
func (r *run) drain() {
	for ; r.inFlight > 0; r.inFlight-- {
		<-r.answers
	}
}

// resolve hands an answer to the module.
func (r *run) resolve(a answered) error {
	if a.err == nil && len(a.response.Text) > MaxFetchTextBytes {
		a.err = fault.New(fault.TooLarge, "fetch_answer", "The answer has %d bytes of text; a module can take %d.", len(a.response.Text), MaxFetchTextBytes)
	}
	if a.response.Headers == nil {
		a.response.Headers = map[string]string{}
	}
	var response any
	if a.err != nil {
		r.failed[a.id] = a.err
		f := publicFault(a.err)
		response = map[string]any{"id": a.id, "error": map[string]any{"message": f.Message, "kind": f.Kind, "reason": f.Reason}}
	} else {
		response = struct {
			ID int `json:"id"`
			FetchResponse
		}{a.id, a.response}
	}
	text, err := encode(response)
	if err != nil {
		return err
	}
	_, err = r.v.ask(r.control.resolve, callID, text)
	return err
}

// publicFault is what of an error a module may read.
func publicFault(err error) *fault.Error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.Timeout, "fetch", "The request was stopped: the call's time is over.")
	}
	return fault.From(err)
}

func encode(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return b.String(), nil
}
