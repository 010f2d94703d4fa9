package httpcall

import (
	"context"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/http/httpguts"

	"pawl/actions"
	"pawl/actions/egress"
	"pawl/internal/fault"
)

// Config says how a Client sends. Guard is required.
type Config struct {
	// Guard makes every connection.
	Guard *egress.Guard
	// Version stands in the User-Agent, "Pawl/<version>"; empty = "dev".
	Version string
	// MaxAnswer bounds an answer in bytes, as received and as decoded; 0 = 8 MiB.
	MaxAnswer int64
}

// Client sends requests. It keeps connections, so one is shared by everything in a process and closed at its
// end. Safe for concurrent use.
type Client struct {
	config   Config
	agent    string
	decoders *decoders
	// reads keeps connections for several seconds. effects keeps them for one, and only for requests with a body,
	// which net/http can't repeat by itself. fresh keeps none.
	reads, effects, fresh *http.Transport
}

// New makes a client.
func New(c Config) *Client {
	if c.Version == "" {
		c.Version = "dev"
	}
	if c.MaxAnswer <= 0 {
		c.MaxAnswer = maxAnswerBytes
	}
	client := &Client{config: c, agent: "Pawl/" + c.Version, decoders: newDecoders()}
	client.reads = client.transport(readIdle)
	client.effects = client.transport(effectIdle)
	client.fresh = client.transport(effectIdle)
	client.fresh.DisableKeepAlives = true
	return client
}

// Close closes the kept connections. Exchanges under way end by themselves.
func (c *Client) Close() {
	c.reads.CloseIdleConnections()
	c.effects.CloseIdleConnections()
	c.fresh.CloseIdleConnections()
}

func (c *Client) transport(idle time.Duration) *http.Transport {
	return &http.Transport{
		Proxy:                  nil, // a proxy of the environment would dial for us, unjudged
		DialTLSContext:         c.dial,
		DialContext:            c.config.Guard.DialContext, // http:// is refused before; should it ever come here, port 443 is the rule
		DisableCompression:     true,                       // answers are decoded here, with a bound
		Protocols:              onlyHTTP1(),
		MaxIdleConns:           idleTotal,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idle,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

func onlyHTTP1() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	return p
}

// dial gives a connection with TLS done and the gate shut.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.config.Guard.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	raw := &rawConn{Conn: conn}
	secured, err := c.config.Guard.Handshake(ctx, raw, address)
	if err != nil {
		return nil, err
	}
	return &gate{Conn: secured, raw: raw}, nil
}

// Exchange is one attempt.
type Exchange struct {
	Request *Request
	// Auth says how Secret is applied. The credential goes to the request's own origin only.
	Auth   actions.Auth
	Secret Secret // nil for none
	// Effect decides what may happen on the wire. A read follows redirects within its origin. An effect is sent
	// at most once: never on a connection that could make net/http repeat it, and without redirects.
	Effect actions.Effect
	// IdempotencyKey goes out as Idempotency-Key on POST and PATCH; empty = none.
	IdempotencyKey string
	// As is how the body is read: zero by its media type, Text as characters whatever its type, and whatever the status: no
	// status is an error then.
	As Form
	// Timeout bounds the whole attempt, the look-up of the name and the reading of the answer included; 0 = 30 s.
	Timeout time.Duration
	// Permit is called exactly once, when the connection is open (look-up, connect and TLS are done) and before
	// the first application byte. An error from it means that nothing is sent; Do returns it. The returned instant
	// is the latest at which the first byte may be handed over; zero = no bound. Nil = always permitted.
	Permit func(ctx context.Context) (sendBy time.Time, err error)
}

// Do makes one attempt. The answer is never nil: whatever is known stands in it, and Answer.Sent is exact on
// every path. The error is nil for a status of 2xx with a readable body, else a *fault.Error:
//
//   - nothing was sent: network (dns, connect_refused, connect_timeout, unreachable, tls, late, connection_lost),
//     blocked_address, cancelled, invalid_input (the key can't be sent), or what Permit said;
//   - sent without an answer: outcome_unknown for actions.Unsafe, else timeout, cancelled, network
//     (connection_lost) or invalid_response (invalid_http), with the same word as the reason of outcome_unknown;
//   - answered: unauthorized (401), rejected (other 4xx), rate_limited (429, or 503 with Retry-After),
//     provider_error (5xx), invalid_response, too_large.
func (c *Client) Do(ctx context.Context, x *Exchange) (*Answer, error) {
	answer := &Answer{}
	cred, err := newCredential(x.Auth, x.Secret)
	if err != nil {
		return answer, err
	}
	target, err := targetOf(x.Request.URL)
	if err != nil {
		return answer, err
	}
	if cred.query != "" && hasPair(target.RawQuery, cred.query) {
		return answer, fault.New(fault.InvalidInput, "auth_query", "The query parameter %q carries the account's key: no input may be placed there.", x.Auth.Name)
	}
	if !httpguts.ValidHeaderFieldValue(x.IdempotencyKey) {
		return answer, internal("idempotency_key", "The Idempotency-Key can't be sent in a header; nothing was sent.")
	}
	timeout := x.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	bounded, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	inner, cancel := context.WithCancelCause(bounded)
	defer cancel(nil)
	k := &call{client: c, x: x, cred: cred, redact: newRedactor(cred.sent), answer: answer, bounded: bounded, ctx: inner, cancel: cancel}
	if f := k.run(target); f != nil {
		return answer, f
	}
	return answer, nil
}

// internal is for what can't happen.
func internal(reason, text string) *fault.Error { return fault.New(fault.Internal, reason, "%s", text) }
