package genisys

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"pawl/internal/canon"
)

func app(p canon.Place) *App {
	if !p.Object(appShape().members...) {
		return nil
	}
	return &App{
		Origin:      origin(p.Need("baseUrl")),
		Auth:        auth(p.Need("auth")),
		Logo:        logo(p.Member("logo")),
		SecretLabel: line(p.Member("secretLabel"), 0, MaxLabelLength),
		KeyHelp:     prose(p.Member("keyHelp"), 0, MaxKeyHelpLength),
		Docs:        docs(p.Member("docs")),
		Actions:     actions(p.Need("actions")),
	}
}

// origin reads the base URL: https:// and a public host name; one slash behind it is the same origin.
func origin(p canon.Place) string {
	text, ok := p.Text()
	if !ok {
		return ""
	}
	const scheme = "https://"
	if len(text) < len(scheme) || !strings.EqualFold(text[:len(scheme)], scheme) {
		p.Refuse("scheme", "%s does not start with https://; write an origin such as https://api.example.com.", quote(text))
		return ""
	}
	name, err := hostName(strings.TrimSuffix(text[len(scheme):], "/"))
	if err != nil {
		p.Refuse(err.Reason, "%s", strings.Replace(err.Message, "the host name alone, such as ", "the origin alone, such as https://", 1))
		return ""
	}
	return scheme + name
}

// docs reads the address of the documentation, which only ever opens in a browser.
func docs(p canon.Place) string {
	text := line(p, 0, MaxURLLength)
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsFunc(text, unicode.IsSpace) {
		p.Refuse("url", "%s is not an address that a browser may open: write one that starts with https:// and has no credentials.", quote(text))
	}
	return text
}

// token is the grammar of a field name, RFC 9110, section 5.6.2.
var token = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

func auth(p canon.Place) Auth {
	text, ok := p.Text()
	name, header := strings.CutPrefix(text, "header:")
	switch {
	case !ok || text == "bearer":
	case !header:
		p.Refuse("auth", "%s is not a way to authenticate; write \"bearer\" or \"header:\" and the header's name.", quote(text))
	case len(name) > MaxHeaderLength || !token.MatchString(name):
		p.Refuse("header", "%s is not the name of a header: write 1 to %d letters, digits or hyphens, such as X-Api-Key.", quote(name), MaxHeaderLength)
	case reserved(name):
		p.Refuse("reserved_header", "The header %s is reserved; a key needs a header of its own, such as X-Api-Key.", quote(name))
	}
	if !header {
		return Auth{}
	}
	return Auth{Header: name}
}

// reserved says whether a header may not carry a key: it has a meaning of its own on the way. Names count
// without letter case; the second list are families, by how a name starts.
func reserved(name string) bool {
	name = strings.ToLower(name)
	for _, n := range []string{
		"authorization", "cookie", "set-cookie", "host", "transfer-encoding", "te", "trailer", "connection", "upgrade",
		"keep-alive", "forwarded", "idempotency-key", "user-agent", "expect", "range", "origin", "referer", "via",
	} {
		if name == n {
			return true
		}
	}
	for _, family := range []string{"content-", "proxy-", "x-forwarded-", "accept", "sec-"} {
		if strings.HasPrefix(name, family) {
			return true
		}
	}
	return false
}
