package httpcall

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"pawl/actions"
	"pawl/internal/fault"
)

// receive takes the final answer in. refused is set for a redirect that was not followed.
func (k *call) receive(resp *http.Response, from *url.URL, refused *fault.Error) *fault.Error {
	defer resp.Body.Close()
	a := k.answer
	a.Status = resp.StatusCode
	a.Header = k.kept(resp.Header)
	a.RetryAfter = parseRetryAfter(resp.Header, time.Now())
	defer k.note()
	f := k.statusFault(from)
	if k.x.As == Text {
		f = nil
	}
	if refused != nil || f != nil {
		if refused != nil {
			f = refused
		}
		return k.withExcerpt(f, resp)
	}
	raw, err := k.client.decoders.read(resp, k.client.config.MaxAnswer)
	if err != nil {
		k.beginning(raw)
		return k.unread(from, err)
	}
	if a.Body, err = k.decodeBody(resp.Header.Get("Content-Type"), raw); err != nil {
		return k.withDetails(fault.New(fault.InvalidResponse, "json",
			"%s announced JSON in its answer %d and sent something else: %s.", from.Hostname(), resp.StatusCode, syntaxText(err)))
	}
	return nil
}

func (k *call) note() {
	if k.redact.count > 0 {
		k.notes.add(Redacted, k.redact.count, nil)
	}
	k.answer.Notes = k.notes
}

// withExcerpt reads the beginning of an error answer; that it can't be read changes nothing.
func (k *call) withExcerpt(f *fault.Error, resp *http.Response) *fault.Error {
	raw, err := k.client.decoders.read(resp, maxErrorBytes)
	if err != nil {
		k.beginning(raw)
		return k.withDetails(f)
	}
	// Announced JSON that is none is no further fault here.
	k.answer.Body, _ = k.decodeBody(resp.Header.Get("Content-Type"), raw)
	return k.withDetails(f)
}

// beginning keeps what can be shown of a body that did not come through whole; it is redacted before it is cut.
func (k *call) beginning(raw []byte) {
	k.notes.add(Cut, 1, func() string { return "/body" })
	if len(raw) > 0 {
		k.answer.Body = Body{Form: Text, Text: excerpt([]byte(k.redact.string(string(raw)))), MediaType: "text/plain"}
	}
}

// withDetails adds what a builder wants to see of an error answer.
func (k *call) withDetails(f *fault.Error) *fault.Error {
	a := k.answer
	f.Status = a.Status
	if text := bodyExcerpt(&a.Body); text != "" {
		f = f.With("body", text)
	}
	if fields := tellingHeaders(a.Header); len(fields) > 0 {
		f = f.With("headers", fields)
	}
	if a.RetryAfter.Given {
		f = f.With("retry_after_ms", a.RetryAfter.Delay.Milliseconds())
	}
	return f
}

func bodyExcerpt(b *Body) string {
	switch b.Form {
	case JSON:
		return excerpt(b.JSON)
	case Text:
		return excerpt([]byte(b.Text))
	case Binary:
		if isTextType(b.MediaType) || isJSONType(b.MediaType) { // a text with a few bytes that are none
			return excerpt(b.Bytes)
		}
		return "(" + b.MediaType + ", " + sizeText(b.Size) + ")"
	default:
		return ""
	}
}

// unread is for an answer whose status is known and whose body did not come through. A read or a safe effect
// may be sent again. Of an unsafe effect the status is the outcome: it was carried out and its body is lost.
func (k *call) unread(from *url.URL, err error) *fault.Error {
	var tooLarge *tooLargeError
	var coding *codingError
	host := from.Hostname()
	switch {
	case errors.As(err, &tooLarge):
		return k.withDetails(fault.New(fault.TooLarge, "answer", "The answer of %s is larger than %s, which is the most a step takes.",
			host, sizeText(tooLarge.limit)).Because(err))
	case errors.As(err, &coding):
		return k.withDetails(fault.New(fault.InvalidResponse, "content_encoding", "The answer of %s can't be decompressed (%s).",
			host, clip(coding.name, 60)).Because(err))
	case k.x.Effect == actions.Unsafe:
		return k.withDetails(fault.New(fault.InvalidResponse, "truncated",
			"%s answered %d, so it has carried the request out, but the rest of its answer did not arrive.", host, k.answer.Status).Because(err))
	}
	f := k.lost(host, err)
	f.Status = k.answer.Status
	return f
}

// drop is how a connection or the time ran out. The words are the reasons of errors.md.
func (k *call) drop(err error) string {
	switch {
	case errors.Is(context.Cause(k.bounded), context.DeadlineExceeded):
		return "timeout"
	case k.bounded.Err() != nil:
		return "cancelled"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), isNetError(err), errors.Is(k.refusal, errSecond),
		k.lease != nil && k.lease.gate.ended.Load():
		return "connection_lost"
	}
	return "invalid_http"
}
