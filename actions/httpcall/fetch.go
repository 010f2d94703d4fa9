package httpcall

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"pawl/actions"
	"pawl/actions/egress"
	"pawl/internal/fault"
)

// Fetch is a request of a plugin's module: ctx.fetch of genisys-plugin@1. It carries no credential of ours.
type Fetch struct {
	URL     string            // https, without credentials and port
	Method  string            // empty = GET
	Headers map[string]string // what the module adds; those that belong to the connection or to us are refused
	Body    string
	// Hosts are the hosts that may be reached, in the spelling of egress.Host.
	Hosts []string
	// Timeout bounds the request; 0 = 30 s.
	Timeout time.Duration
	// Permit is as in Exchange, and is told the host, in the spelling of egress.Host; nil = always permitted.
	Permit func(ctx context.Context, host string) (sendBy time.Time, err error)
}

// Fetched is what the module gets: {status, headers, text}.
type Fetched struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Text    string            `json:"text"`
}

// Fetch sends a module's request through the guarded way. Any status is an answer; sent says whether a byte may have left.
// The faults are invalid_input (address, method, header), permission_required (a host that is not among Hosts), and
// what Do gives where no answer came.
func (c *Client) Fetch(ctx context.Context, f Fetch) (answer Fetched, sent bool, err error) {
	request, err := f.request()
	if err != nil {
		return Fetched{}, false, err
	}
	x := &Exchange{Permit: f.permit(request), Request: request, Auth: actions.Auth{Kind: actions.AuthNone}, Effect: f.effect(), Timeout: f.Timeout, As: Text}
	a, err := c.Do(ctx, x)
	if err != nil {
		return Fetched{}, a.Sent, err
	}
	return Fetched{Status: a.Status, Headers: a.Header, Text: a.Body.Text}, true, nil
}

func (f *Fetch) permit(r *Request) func(context.Context) (time.Time, error) {
	u, err := url.Parse(r.URL)
	if f.Permit == nil || err != nil { // the address was put together by us
		return nil
	}
	return func(ctx context.Context) (time.Time, error) { return f.Permit(ctx, u.Hostname()) }
}

// effect says what may happen on the wire: GET and HEAD follow redirects within their origin, everything else is sent at
// most once and follows none.
func (f *Fetch) effect() actions.Effect {
	if f.method() == http.MethodGet || f.method() == http.MethodHead {
		return actions.Read
	}
	return actions.Unsafe
}

func (f *Fetch) method() string {
	if f.Method == "" {
		return http.MethodGet
	}
	return strings.ToUpper(f.Method)
}

func (f *Fetch) request() (*Request, error) {
	address, err := f.address()
	if err != nil {
		return nil, err
	}
	method := f.method()
	if !slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}, method) {
		return nil, fault.New(fault.InvalidInput, "fetch_method", "ctx.fetch can't send %.20q: use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.", f.Method)
	}
	if f.Body != "" && (method == http.MethodGet || method == http.MethodHead) {
		return nil, fault.New(fault.InvalidInput, "fetch_body", "ctx.fetch sends no body with %s.", method)
	}
	if len(f.Body) > maxRequestBytes || len(address) > maxURLBytes {
		return nil, fault.New(fault.TooLarge, "fetch_request", "A request of ctx.fetch has an address of at most %d bytes and a body of at most %d.", maxURLBytes, maxRequestBytes)
	}
	header, err := f.header()
	if err != nil {
		return nil, err
	}
	r := &Request{Method: method, URL: address, Header: header}
	if f.Body != "" {
		r.Body = []byte(f.Body)
	}
	return r, nil
}

// address checks the address and gives it in its normal form.
func (f *Fetch) address() (string, error) {
	u, err := url.Parse(f.URL)
	switch {
	case err != nil || u.Host == "" || !utf8.ValidString(f.URL):
		return "", fault.New(fault.InvalidInput, "fetch_url", "ctx.fetch can't read the address %.200q.", f.URL)
	case u.Scheme != "https":
		return "", fault.New(fault.InvalidInput, "fetch_scheme", "ctx.fetch reaches https addresses only, not %.200q.", f.URL)
	case u.User != nil:
		return "", fault.New(fault.InvalidInput, "fetch_credentials", "An address for ctx.fetch has no user and password in it.")
	case u.Port() != "" && u.Port() != "443":
		return "", fault.New(fault.InvalidInput, "fetch_port", "ctx.fetch reaches port 443 only, not %.200q.", f.URL)
	}
	host, err := egress.Host(u.Hostname())
	if err != nil {
		return "", err
	}
	if !slices.Contains(f.Hosts, host) {
		return "", fault.New(fault.PermissionRequired, "fetch_host",
			"ctx.fetch may not reach %s: the plugin has to name it in permissions.hosts, and an admin has to grant it once: pawl grant add --plugin ID --host %s", host, host).With("host", host)
	}
	u.Host, u.Fragment, u.RawFragment = host, "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String(), nil
}

// header gives the fields that the module adds, in the order of their names.
func (f *Fetch) header() ([]Field, error) {
	if len(f.Headers) > maxHeaders {
		return nil, fault.New(fault.InvalidInput, "fetch_headers", "ctx.fetch sends at most %d headers.", maxHeaders)
	}
	var fields []Field
	for name, value := range f.Headers {
		switch canonical := http.CanonicalHeaderKey(name); {
		case !httpguts.ValidHeaderFieldName(name), !httpguts.ValidHeaderFieldValue(value), len(value) > maxURLBytes:
			return nil, fault.New(fault.InvalidInput, "fetch_header", "ctx.fetch can't send the header %.60q.", name)
		case canonical == "Accept", canonical == "Content-Type": // the module's to choose
			fields = append(fields, Field{canonical, value})
		case ownHeader(name), strings.HasPrefix(canonical, "Proxy-"), strings.HasPrefix(canonical, "Sec-"), canonical == "Cookie", canonical == "Origin", canonical == "Referer":
			return nil, fault.New(fault.InvalidInput, "fetch_header", "The header %s of ctx.fetch belongs to the connection: leave it out.", canonical)
		default:
			fields = append(fields, Field{name, value})
		}
	}
	slices.SortFunc(fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return fields, nil
}
