package httpcall

import (
	"net/http"
	"net/url"
	"strings"

	"pawl/actions"
	"pawl/actions/egress"
	"pawl/internal/fault"
)

// redirect gives the address to go on with, or nil where the answer is final; then the fault says why a redirect
// was not followed. Effects are never redirected: a 303 may mean that the effect happened, a 307 asks to send
// it twice, and a 302 to a sign-in page would look like success.
func (k *call) redirect(resp *http.Response, from *url.URL, hop int) (*url.URL, *fault.Error) {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	if k.x.Effect != actions.Read {
		return nil, k.redirectRefused(resp, from, "only reads follow redirects")
	}
	if hop == maxRedirects {
		return nil, k.redirectRefused(resp, from, "there were more than 5 redirects")
	}
	to, err := from.Parse(resp.Header.Get("Location"))
	switch {
	case err != nil || resp.Header.Get("Location") == "":
		return nil, k.redirectRefused(resp, from, "its Location can't be read")
	case to.User != nil:
		return nil, k.redirectRefused(resp, from, "its Location holds a user name")
	case !sameOrigin(from, to):
		return nil, k.redirectRefused(resp, from, "it leads to another origin, "+clip(k.redact.string(to.Scheme+"://"+to.Host), 200))
	}
	to.Fragment, to.RawFragment = "", ""
	return to, nil
}

func (k *call) redirectRefused(resp *http.Response, from *url.URL, why string) *fault.Error {
	return fault.New(fault.InvalidResponse, "redirect_refused", "%s answered %d, a redirect that was not followed: %s.",
		from.Hostname(), resp.StatusCode, why)
}

// sameOrigin compares scheme, host and port (RFC 6454).
func sameOrigin(a, b *url.URL) bool {
	hostA, errA := egress.Host(a.Hostname())
	hostB, errB := egress.Host(b.Hostname())
	return errA == nil && errB == nil && a.Scheme == b.Scheme && hostA == hostB && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" || u.Scheme != "https" {
		return p
	}
	return "443"
}

// withPair appends an encoded name=value unless the name is there already, as it is when a server redirects to
// the address it was called by.
func withPair(query, pair string) string {
	switch {
	case hasPair(query, pair):
		return query
	case query == "":
		return pair
	}
	return query + "&" + pair
}

// hasPair says whether a query has a pair with the name of pair.
func hasPair(query, pair string) bool {
	name, _, _ := strings.Cut(pair, "=")
	for part := range strings.SplitSeq(query, "&") {
		if had, _, _ := strings.Cut(part, "="); had == name {
			return true
		}
	}
	return false
}
