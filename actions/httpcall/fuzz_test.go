package httpcall_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pawl/actions"
	"pawl/actions/httpcall"
	"pawl/internal/canon"
	"pawl/internal/fault"
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
	for _, odd := range oddAnswers() {
		f.Add(odd.contentType, []byte(odd.body))
	}
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

// FuzzJSONAnswer: what the strict reader takes comes out with the same meaning and without a note; what it refuses
// because characters or members would be lost is noted, with its bytes kept; anything else is a fault with all that came.
func FuzzJSONAnswer(f *testing.F) {
	for _, odd := range oddAnswers() {
		f.Add([]byte(odd.body))
	}
	content := []byte(nil)
	c, _ := serve(f, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{"application/json"}
		w.Write(content)
	})
	f.Fuzz(func(t *testing.T, raw []byte) {
		content = raw
		a, problem := do(t, c, get("/"))
		text := bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
		want, problems := canon.Parse(text, canon.Limits{Depth: 512})
		switch {
		case problem != nil:
			kept(t, a, raw)
			if len(problems) == 0 {
				t.Fatalf("%q is JSON and gives %v", raw, problem)
			}
			return
		case len(bytes.TrimSpace(text)) == 0 || bounded(problems) || encoded(text):
		case len(problems) == 0:
			got, problems := canon.Parse([]byte(body(a)), canon.Limits{Depth: 512})
			if problems != nil || !bytes.Equal(got.Canonical(), want.Canonical()) || len(a.Notes) > 0 {
				t.Fatalf("%q gives %s, %v, notes %v", raw, body(a), problems, a.Notes)
			}
		case len(a.Notes) == 0:
			t.Fatalf("%q gives %s without a note: %v", raw, body(a), problems)
		}
		for _, b := range a.Blobs() {
			if !bytes.Equal(b.Bytes, raw) {
				t.Fatalf("%q is kept as %q", raw, b.Bytes)
			}
		}
	})
}

// bounded says whether the strict reader stopped at a bound of its own.
func bounded(problems fault.List) bool {
	for _, p := range problems {
		if p.Kind == fault.Limit {
			return true
		}
	}
	return false
}

// kept fails unless an answer that is no JSON is there as it came.
func kept(t *testing.T, a *httpcall.Answer, raw []byte) {
	t.Helper()
	if string(a.Body.Bytes) == string(raw) || a.Body.Text == string(raw) || encoded(raw) {
		return
	}
	t.Fatalf("%q is kept as %+v", raw, a.Body)
}

// encoded says whether a byte order mark says that the bytes are another text.
func encoded(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("\xff\xfe")) || bytes.HasPrefix(raw, []byte("\xfe\xff")) || bytes.HasPrefix(raw, []byte("\xef\xbb\xbf"))
}
