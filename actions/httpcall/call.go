package httpcall

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"

	"pawl/actions"
	"pawl/internal/fault"
)

// call is one attempt on its way. All of it runs on the goroutine of Do; only the lease is shared.
type call struct {
	client  *Client
	x       *Exchange
	cred    credential
	redact  *redactor
	answer  *Answer
	notes   notes           // of the final answer
	bounded context.Context // ends with the caller or the timeout
	ctx     context.Context // ends also when the gate refuses
	cancel  context.CancelCauseFunc

	permitted bool      // Permit has been called
	sendBy    time.Time // what it said
	refusal   error     // why the gate refused for good
	lease     *lease    // of the request on the wire
	passed    int       // dead kept connections that were passed over
}

var errSecond = errors.New("a second connection was offered in one attempt")

func targetOf(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, fault.New(fault.InvalidInput, "url", "The address of the request can't be read.")
	}
	if u.Scheme != "https" {
		return nil, fault.New(fault.BlockedAddress, "not_https", "%s is not reached: actions talk https only.", u.Hostname()).With("host", u.Hostname())
	}
	return u, nil
}

// run sends, follows the redirects of a read, and takes the answer in.
func (k *call) run(target *url.URL) *fault.Error {
	for hop := 0; ; hop++ {
		resp, err := k.send(target)
		if err != nil {
			return k.failed(target, err)
		}
		next, refused := k.redirect(resp, target, hop)
		if next == nil {
			return k.receive(resp, target, refused)
		}
		drain(resp.Body)
		k.sendBy = time.Time{} // it bounded the first request only
		target = next
	}
}

// send gets the request onto a connection that is alive, once.
func (k *call) send(target *url.URL) (*http.Response, error) {
	k.lease = nil
	ctx := httptrace.WithClientTrace(k.ctx, &httptrace.ClientTrace{GotConn: k.gotConn})
	for try := 0; ; try++ {
		passed := k.passed
		resp, err := k.transport(try).RoundTrip(k.request(ctx, target))
		if err == nil {
			if resp, err = k.answered(resp); err == nil {
				return resp, nil
			}
		}
		unused := k.lease == nil && k.passed > passed || k.lease != nil && k.again()
		if !unused || try > maxStale || k.refusal != nil || k.ctx.Err() != nil {
			return nil, err
		}
	}
}

// answered checks that the response belongs to bytes of ours: a server may say something unasked, for instance
// 408, in the moment in which a kept connection is taken up.
func (k *call) answered(resp *http.Response) (*http.Response, error) {
	if k.lease == nil || !k.lease.settle() {
		resp.Body.Close()
		return nil, errors.New("the server spoke before it was asked")
	}
	k.answer.Sent = true
	return resp, nil
}

// transport picks the connections. net/http repeats a request by itself on a kept connection when it has no body
// or can rewind it: so an effect has a body that can't be rewound, or a connection that was never used.
func (k *call) transport(try int) *http.Transport {
	switch {
	case try > maxStale:
		return k.client.fresh
	case k.x.Effect == actions.Read:
		return k.client.reads
	case len(k.x.Request.Body) == 0 || k.x.Request.Method == http.MethodGet:
		return k.client.fresh
	}
	return k.client.effects
}

// onceReader hides the reader's type, so that net/http finds no way to rewind it.
type onceReader struct{ io.Reader }

func (k *call) request(ctx context.Context, target *url.URL) *http.Request {
	r := k.x.Request
	u := *target
	if k.cred.query != "" {
		u.RawQuery = withPair(u.RawQuery, k.cred.query)
	}
	req := &http.Request{
		Method: r.Method, URL: &u, Host: u.Host, Header: k.header(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody,
	}
	if len(r.Body) > 0 {
		req.Body = io.NopCloser(onceReader{bytes.NewReader(r.Body)})
		req.ContentLength = int64(len(r.Body))
	}
	return req.WithContext(ctx)
}

func (k *call) header() http.Header {
	h := make(http.Header, 8)
	for _, f := range k.x.Request.Header {
		h[f.Name] = []string{f.Value}
	}
	h["Accept-Encoding"] = []string{"gzip, br, zstd"}
	h["User-Agent"] = []string{k.client.agent}
	if k.x.IdempotencyKey != "" && (k.x.Request.Method == http.MethodPost || k.x.Request.Method == http.MethodPatch) {
		h["Idempotency-Key"] = []string{k.x.IdempotencyKey}
	}
	if k.cred.header != "" {
		h[k.cred.header] = []string{k.cred.value} // spelt as declared: net/http writes the key as it stands
	}
	return h
}

// gotConn runs inside RoundTrip, after the connection is there and before anything is written to it.
func (k *call) gotConn(info httptrace.GotConnInfo) {
	g, ok := info.Conn.(*gate)
	if !ok {
		k.refuse(internal("connection", "A connection came from elsewhere; nothing was sent over it."))
		return
	}
	g.lease.Store(nil)
	g.reused = info.Reused
	switch {
	case k.refusal != nil:
	case k.lease != nil && !k.again():
		k.refuse(errSecond)
	case g.dead():
		k.passed++ // the gate stays shut, so RoundTrip fails and another connection is taken
	default:
		k.open(g)
	}
}

func (k *call) open(g *gate) {
	if k.x.Permit != nil && !k.permitted {
		k.permitted = true
		var err error
		if k.sendBy, err = k.x.Permit(k.bounded); err != nil {
			k.refuse(fault.From(err))
			return
		}
	}
	k.lease = &lease{gate: g, ctx: k.ctx, sendBy: k.sendBy}
	g.lease.Store(k.lease)
}

// again says whether a further connection may be used under the same permit: only when the one before turned out
// to be closed and provably nothing was sent on it.
func (k *call) again() bool { return !k.lease.settle() && !k.lease.late.Load() }

// refuse ends the attempt: the gate stays shut, and RoundTrip, which would look for another connection, is
// cancelled.
func (k *call) refuse(err error) {
	k.refusal = err
	k.cancel(err)
}

// drain reads the rest of a small body, so that its connection can be kept.
func drain(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, maxErrorBytes)
	body.Close()
}
