// Package client calls Pawl's HTTP API (docs/api.md) for the commands.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Client calls the API of one server as the owner of one key.
type Client struct {
	// Base is the server's address, for instance http://127.0.0.1:8080.
	Base string
	// Key is an API key; empty sends none.
	Key string
	// HTTP does the requests. A time-out of it would end event streams; the contexts bound the calls.
	HTTP *http.Client
}

// Request is one call.
type Request struct {
	Method string
	Path   string // below the server's address; escape what comes from people with Segment
	Query  url.Values
	Header http.Header
	// Body is sent as it is when it is a json.RawMessage, else as its JSON form; nil sends none.
	Body any
}

// Answer is what the server said to a call that it accepted.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Segment escapes a text that is one segment of a path.
func Segment(s string) string { return url.PathEscape(s) }

// maxAnswer bounds an answer in bytes: a run object holds 8 MiB of outputs at most, and as much again of the rest.
const maxAnswer = 64 << 20

// Do makes a call. An answer that is no success is a *Problem; a server that can't be reached an *Unreachable.
func (c *Client) Do(ctx context.Context, r Request) (*Answer, error) {
	res, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, &Unreachable{c.Base, err}
	}
	if len(body) > maxAnswer {
		return nil, fmt.Errorf("%s %s: the answer is larger than %d bytes", r.Method, r.Path, maxAnswer)
	}
	if res.StatusCode >= 300 {
		return nil, problemOf(res, body)
	}
	return &Answer{res.StatusCode, res.Header, body}, nil
}

func (c *Client) send(ctx context.Context, r Request) (*http.Response, error) {
	req, err := c.request(ctx, r)
	if err != nil {
		return nil, err
	}
	res, err := c.HTTP.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s %s: %w", r.Method, r.Path, ctx.Err())
		}
		return nil, &Unreachable{c.Base, err}
	}
	return res, nil
}

func (c *Client) request(ctx context.Context, r Request) (*http.Request, error) {
	address := strings.TrimSuffix(c.Base, "/") + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	var body io.Reader
	if r.Body != nil {
		b, err := encode(r.Body)
		if err != nil {
			return nil, fmt.Errorf("encode the body of %s %s: %w", r.Method, r.Path, err)
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, address, body)
	if err != nil {
		return nil, fmt.Errorf("%q is no address of a server: set PAWL_URL: %w", c.Base, err)
	}
	for name, values := range r.Header {
		req.Header[name] = values
	}
	if r.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	return req, nil
}

func encode(v any) ([]byte, error) {
	if raw, ok := v.(json.RawMessage); ok {
		return raw, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// Unreachable is a server that did not answer.
type Unreachable struct {
	Base  string
	Cause error
}

// Error says what, where and how to mend it.
func (u *Unreachable) Error() string {
	var op *net.OpError
	cause := u.Cause
	if errors.As(cause, &op) {
		cause = op.Err
	}
	return fmt.Sprintf("No answer from %s: %v. Is Pawl running there? Set PAWL_URL to another address.", u.Base, cause)
}

// Unwrap gives the cause.
func (u *Unreachable) Unwrap() error { return u.Cause }
