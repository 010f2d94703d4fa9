package httpcall_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pawl/actions"
	"pawl/actions/httpcall"
)

// FuzzPath: whatever fills a path, it stays one segment, comes back as it was, and leads nowhere else.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"a/b", "..", ".", "%2e%2e", "a?b#c", "é", "..\\x", "a;b", "+ ", "\u0085", "..%2f"} {
		f.Add(seed)
	}
	a := act("GET", "/records/{id}/detail", "", pathInput("id"))
	f.Fuzz(func(t *testing.T, id string) {
		input, err := json.Marshal(map[string]string{"id": id})
		if err != nil {
			t.Fatal(err)
		}
		r, err := httpcall.Build(a, input)
		if err != nil {
			return
		}
		u, err := url.Parse(r.URL)
		if err != nil {
			t.Fatalf("%q gives %s: %v", id, r.URL, err)
		}
		segments := strings.Split(u.EscapedPath(), "/")
		if len(segments) != 4 || segments[1] != "records" || segments[3] != "detail" || u.RawQuery != "" || u.Fragment != "" || u.Host != host {
			t.Fatalf("%q gives %s", id, r.URL)
		}
		back, err := url.PathUnescape(segments[2])
		if err != nil || back != strings.ToValidUTF8(id, "\uFFFD") && strings.ToValidUTF8(id, "") == id {
			t.Fatalf("%q comes back as %q, %v", id, back, err)
		}
		if cleaned := (&url.URL{Path: u.Path}).JoinPath().Path; strings.Contains("/"+back+"/", "/../") || cleaned == "" {
			t.Fatalf("%q climbs in %s", id, r.URL)
		}
		if req, err := http.NewRequest(http.MethodGet, r.URL, nil); err != nil || req.URL.RequestURI() != strings.TrimPrefix(r.URL, "https://"+host) {
			t.Fatalf("%q goes out as %v, %v", id, req.URL.RequestURI(), err)
		}
	})
}

// FuzzBuild: any input gives a refusal or a request whose parts are well formed.
func FuzzBuild(f *testing.F) {
	for _, seed := range []string{`{"id":"1"}`, `{"id":1,"q":[1,"a"],"n":1e3,"j":"{\"a\":1}","t":"x","row":{"a":1}}`, `{"id":"x","j":"[","b":"true"}`, `{`, `null`} {
		f.Add([]byte(seed))
	}
	inputs := []actions.Input{
		pathInput("id"),
		{ID: "q", In: actions.InQuery, List: true},
		{ID: "n", In: actions.InBody, Type: actions.Integer},
		{ID: "j", In: actions.InBody, JSON: true},
		{ID: "t", In: actions.InBody},
		{ID: "b", In: actions.InBody, Type: actions.Boolean},
		{ID: "row", In: actions.InBody, Row: true},
		{ID: "f", In: actions.InBody, Type: actions.Number},
	}
	asJSON := act("POST", "/x/{id}", actions.JSONBody, inputs...)
	form := act("POST", "/x/{id}", actions.FormBody, inputs...)
	f.Fuzz(func(t *testing.T, input []byte) {
		r, err := httpcall.Build(asJSON, input)
		if err == nil {
			if !json.Valid(r.Body) {
				t.Fatalf("%s gives the body %s", input, r.Body)
			}
			again, err := httpcall.Build(asJSON, input)
			if err != nil || again.Digest() != r.Digest() {
				t.Fatalf("%s gives two requests", input)
			}
		}
		if r, err := httpcall.Build(form, input); err == nil {
			if _, err := url.ParseQuery(string(r.Body)); err != nil {
				t.Fatalf("%s gives the form %s", input, r.Body)
			}
			if _, err := url.Parse(r.URL); err != nil {
				t.Fatalf("%s gives the address %s", input, r.URL)
			}
		}
	})
}

// FuzzAnswer: any bytes under any type give an output that is JSON, or a fault.
func FuzzAnswer(f *testing.F) {
	f.Add("application/json", []byte(`{"a":"\ud83d\u0000"}`))
	f.Add("text/plain; charset=utf-16", []byte("\xff\xfea\x00"))
	f.Add("", []byte("\x89PNG"))
	media, content := "", []byte(nil)
	c, _ := serve(f, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(media)}
		w.Write(content)
	})
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		media, content = contentType, body
		x := get("/")
		x.Auth, x.Secret = actions.Auth{Kind: actions.AuthBearer}, key("tok-12345678")
		a, _ := do(t, c, x)
		if out := httpcall.Output(a); !json.Valid(out) || strings.ContainsRune(string(out), 0) {
			t.Fatalf("output %s", out)
		}
	})
}
