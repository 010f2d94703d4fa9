package httpcall_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pawl/actions"
	"pawl/actions/httpcall"
)

// The account's own key, sent back in every form, is nowhere in what Do gives.
func TestTheOwnKeyIsRedacted(t *testing.T) {
	t.Parallel()
	const secret = `k/+"1=é 2&aZ%~`
	const ascii = `k/+"1= 2&aZ%~<`
	basic := base64.StdEncoding.EncodeToString([]byte("ops:" + secret))
	tests := []struct {
		name string
		auth actions.Auth
		key  string
		back string // the form that the service sends back
	}{
		{name: "bearer", auth: actions.Auth{Kind: actions.AuthBearer}, key: ascii, back: ascii},
		{name: "header", auth: actions.Auth{Kind: actions.AuthHeader, Name: "X-Key"}, key: ascii, back: ascii},
		{name: "query, encoded", auth: actions.Auth{Kind: actions.AuthQuery, Name: "key"}, key: secret, back: strings.ReplaceAll(url.QueryEscape(secret), "+", "%20")},
		{name: "query, encoded as a form", auth: actions.Auth{Kind: actions.AuthQuery, Name: "key"}, key: secret, back: url.QueryEscape(secret)},
		{name: "query, lower hex", auth: actions.Auth{Kind: actions.AuthQuery, Name: "key"}, key: secret, back: "k%2f%2b%221%3d%c3%a9%202%26aZ%25~"},
		{name: "query, raw", auth: actions.Auth{Kind: actions.AuthQuery, Name: "key"}, key: secret, back: secret},
		{name: "query, path escaped", auth: actions.Auth{Kind: actions.AuthQuery, Name: "key"}, key: secret, back: url.PathEscape(secret)},
		{name: "basic, encoded", auth: actions.Auth{Kind: actions.AuthBasic}, key: "ops:" + secret, back: basic},
		{name: "basic, password", auth: actions.Auth{Kind: actions.AuthBasic}, key: "ops:" + secret, back: secret},
		{name: "basic, both", auth: actions.Auth{Kind: actions.AuthBasic}, key: "ops:" + secret, back: "ops:" + secret},
		{name: "JSON inside a text, by number", auth: actions.Auth{Kind: actions.AuthBearer}, key: ascii, back: `{"key":"k\u002f+\"1= 2\u0026aZ%~\u003C"}`},
		{name: "JSON inside a text", auth: actions.Auth{Kind: actions.AuthBearer}, key: ascii, back: `{"key":"` + strings.ReplaceAll(ascii, `"`, `\"`) + `"}`},
	}
	for _, tt := range tests {
		for _, status := range []int{200, 400, 500} {
			for _, media := range []string{"application/json", "text/plain", "image/png"} {
				t.Run(fmt.Sprintf("%s %d %s", tt.name, status, media), func(t *testing.T) {
					t.Parallel()
					echoed := "before " + tt.back + " after"
					inJSON, _ := json.Marshal(map[string]string{echoed: echoed}) // escapes <, > and &
					c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
						w.Header().Set("X-Echo", strings.ToValidUTF8(echoed, ""))
						w.Header().Set("Content-Type", media)
						w.WriteHeader(status)
						if media == "application/json" {
							w.Write(inJSON)
						} else {
							io.WriteString(w, echoed)
						}
					})
					x := get("/")
					x.Auth, x.Secret = tt.auth, key(tt.key)
					a, f := do(t, c, x)
					out := string(httpcall.Output(a)) + string(a.Body.Bytes) + a.Body.Text
					if f != nil {
						out += f.Error() + string(f.JSON())
					}
					jsonForm, _ := json.Marshal(tt.back)
					for _, form := range []string{tt.back, tt.key, strings.Trim(string(jsonForm), `"`)} {
						if strings.Contains(out, form) {
							t.Errorf("%q is in %s", form, out)
						}
					}
					if !strings.Contains(out, "before") || !noted(a, httpcall.Redacted) {
						t.Errorf("the rest is gone: %s, notes %v", out, a.Notes)
					}
				})
			}
		}
	}
}

func noted(a *httpcall.Answer, name httpcall.NoteName) bool {
	return len(a.Notes) == 1 && a.Notes[0].Name == name && a.Notes[0].Count > 0
}

func TestShortKeysDoNotSpoilWords(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, say(200, "application/json", `{"a":"a demo text","b":"demo","c":12345}`))
	for secret, want := range map[string]string{
		"demo":  `{"a":"a demo text","b":"[redacted]","c":12345}`,
		"12345": `{"a":"a demo text","b":"demo","c":"[redacted]"}`,
	} {
		x := get("/")
		x.Auth, x.Secret = actions.Auth{Kind: actions.AuthBearer}, key(secret)
		a, f := do(t, c, x)
		check(t, a, f, "", "", true)
		if got := body(a); got != want {
			t.Errorf("%s: body %s, want %s", secret, got, want)
		}
	}
}
