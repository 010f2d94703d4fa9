package httpcall_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actions"
	"pawl/actions/httpcall"
)

// update says that golden files are written.
var update = flag.Bool("update", false, "write golden files")

// oddAnswer is an answer to a POST that was carried out.
type oddAnswer struct{ name, contentType, body string }

func oddAnswers() []oddAnswer {
	const asJSON = "application/json"
	return []oddAnswer{
		{"sound", asJSON, "{\"a\" : [1, \"caf\u00e9 \\ud83d\\ude00\"]}"},
		{"NUL", asJSON, `{"a":"x\u0000y","b\u0000":1}`},
		{"U+FFFD that was sent", asJSON, `{"a":"\ufffd"}`},
		{"half a pair in a value", asJSON, `{"a":[{"b/c":"x\ud83dy"}]}`},
		{"half a pair in a name", asJSON, `{"x\udc00":1}`},
		{"halves in the wrong order", asJSON, `["\ude00\ud83d"]`},
		{"half a pair before another escape", asJSON, `["\ud83d\u0041", "\ud83d\n"]`},
		{"two names become one", asJSON, `{"\ud800":1,"\ud801":2}`},
		{"bytes that are not UTF-8", asJSON, "{\"a\":\"caf\xe9\",\"\xff\":\"\xc0\xaf\"}"},
		{"a surrogate in UTF-8", asJSON, "\"\xed\xa0\xbd\""},
		{"more places than are named", asJSON, `["\ud800","\ud800","\ud800","\ud800","\ud800","\ud800\ud800"]`},
		{"double members", asJSON, `{"id":1,"name":"a","id":2,"nested":{"x":1,"y":[{"k":1,"k":1}]},"id":3}`},
		{"the same name in different objects", asJSON, `{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}`},
		{"double members under two spellings", asJSON, `{"é":1,"\u00e9":2}`},
		{"double members of a large object", asJSON, "{" + manyNames(40) + `,"n7":0,"n39":0}`},
		{"numbers", asJSON, `[1e400,-0,1E5,0.10,1e-400,-1.0E+0,` + strings.Repeat("7", 100) + `,0.` + strings.Repeat("3", 100) + `]`},
		{"not a number", asJSON, `{"a":NaN}`},
		{"infinity", asJSON, `[Infinity]`},
		{"minus infinity", asJSON, `-Infinity`},
		{"leading zero", asJSON, `[007]`},
		{"hexadecimal", asJSON, `[0x1f]`},
		{"a bare point", asJSON, `[1.]`},
		{"a plus", asJSON, `[+1]`},
		{"as deep as it may be", asJSON, strings.Repeat("[", 512) + strings.Repeat("]", 512)},
		{"one level deeper", asJSON, strings.Repeat("[", 513) + strings.Repeat("]", 513)},
		{"byte order mark", asJSON, "\xef\xbb\xbf{\"a\":1}"},
		{"two byte order marks", asJSON, "\xef\xbb\xbf\xef\xbb\xbf{\"a\":1}"},
		{"a byte order mark alone", asJSON, "\xef\xbb\xbf"},
		{"something behind it", asJSON, `{"id":"o-17"} <!-- 3 ms -->`},
		{"two documents", asJSON, "{\"id\":1}\n{\"id\":2}\n"},
		{"cut", asJSON, `{"id":"o-17","name":"Blue m`},
		{"a single quote", asJSON, `{'id':1}`},
		{"a comment", asJSON, `{"id":1/* new */}`},
		{"a comma too much", asJSON, `[1,]`},
		{"a raw line break in a text", asJSON, "[\"a\nb\"]"},
		{"a raw NUL", asJSON, "[\"a\x00b\"]"},
		{"HTML", asJSON, "<html>\u00e9</html>"},
		{"no text at all", asJSON, "\x89PNG\r\n\x1a\n\x00\xff"},
		{"empty", asJSON, ""},
		{"white space", asJSON, " \r\n\t"},
		{"only a text", asJSON, `"x"`},
		{"only a number", asJSON, `-0`},
		{"only true", asJSON, `true`},
		{"only null", asJSON, `null`},
		{"UTF-16 with half a pair", asJSON, "\xff\xfe[\x00\"\x00\x3d\xd8\"\x00]\x00"},
		{"Shift_JIS with a byte that is none", asJSON + "; charset=shift_jis", "[\"\x93\xfa\xff\"]"},
		{"an unknown charset", asJSON + "; charset=klingon", "[\"\xff\"]"},
		{"double members without a type", "", `{"a":1,"a":2}`},
		{"braces that are no JSON", "text/plain", `{"a":"\ud800",}`},
		{"text with a byte that is none", "text/plain; charset=utf-8", "caf\xe9"},
		{"text in UTF-16 with half a pair", "text/plain; charset=utf-16le", "\x3d\xd8"},
		{"text with NUL", "text/plain", "a\x00b"},
	}
}

func manyNames(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(`"n%d":%d`, i, i)
	}
	return strings.Join(names, ",")
}

// Whatever a provider answers, nothing of it is lost in silence: what can't be kept is noted with its place, and the
// bytes are kept beside it; JSON that is none fails with everything that came; no answer makes the effect unknown.
func TestC075OddAnswersLoseNothingInSilence(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	for _, odd := range oddAnswers() {
		c, _ := serve(t, say(201, odd.contentType, odd.body))
		x := get("/")
		x.Request.Method, x.Effect = "POST", actions.Unsafe
		a, f := do(t, c, x)
		fmt.Fprintf(&got, "%s\n  received  %s %s\n", odd.name, odd.contentType, shown(odd.body))
		if f != nil {
			fmt.Fprintf(&got, "  fault     %s %s: %s\n", f.Kind, f.Reason, f.Message)
		}
		delete(a.Header, "date")
		delete(a.Header, "content-type")
		fmt.Fprintf(&got, "  output    %s\n", shown(string(httpcall.Output(a))))
		for _, b := range a.Blobs() {
			if string(b.Bytes) != odd.body {
				t.Errorf("%s: the bytes that are kept are %q", odd.name, b.Bytes)
			}
		}
		if !a.Sent || a.Status != 201 {
			t.Errorf("%s: sent %t, status %d", odd.name, a.Sent, a.Status)
		}
	}
	golden(t, "answers.golden", got.Bytes())
}

// shown is a text on one line, its middle left out where it is long.
func shown(s string) string {
	if len(s) > 700 {
		s = s[:80] + "…" + s[len(s)-80:]
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r == '\uFFFD' || !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// The bytes beside a damaged body would hold the key where an answer sends it back: then they are not kept.
func TestReceivedBytesNeverHoldTheKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, key, body string
		kept            bool
		want            string
	}{
		{name: "no key in it", key: "tok-12345678", body: `{"a":"\ud800"}`, kept: true, want: "{\"a\":\"\uFFFD\"}"},
		{name: "the key in a text", key: "tok-12345678", body: `{"a":"\ud800","k":"x tok-12345678"}`, want: "{\"a\":\"\uFFFD\",\"k\":\"x [redacted]\"}"},
		{name: "escaped", key: "tok-12345678", body: `["\ud800","\u0074ok-12345678"]`, want: "[\"\uFFFD\",\"[redacted]\"]"},
		{name: "a short key", key: "demo", body: `["\ud800","demo"]`, want: "[\"\uFFFD\",\"[redacted]\"]"},
		{name: "a key of digits", key: "12345678", body: `["\ud800",12345678]`, want: "[\"\uFFFD\",\"[redacted]\"]"},
		{name: "the key across two texts", key: `a","bcdef`, body: `["\ud800","a","bcdef"]`, want: "[\"\uFFFD\",\"a\",\"bcdef\"]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, say(200, "application/json", tt.body))
			x := get("/")
			x.Auth, x.Secret = actions.Auth{Kind: actions.AuthBearer}, key(tt.key)
			a, f := do(t, c, x)
			check(t, a, f, "", "", true)
			if got := body(a); got != tt.want || (a.Received != nil) != tt.kept {
				t.Errorf("body %s, want %s; received %v", got, tt.want, a.Received)
			}
		})
	}
}

// What is cut or replaced in header fields and bodies is noted as well.
func TestWhatIsCutIsNoted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   []httpcall.Note
	}{
		{name: "a long field", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 3000))
		}, want: []httpcall.Note{{Name: httpcall.Cut, Count: 1, At: []string{"/headers/x-long"}}}},
		{name: "a field that is not UTF-8", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Latin", "caf\xe9")
		}, want: []httpcall.Note{{Name: httpcall.Undecodable, Count: 1, At: []string{"/headers/x-latin"}}}},
		{name: "too many fields", answer: func(w http.ResponseWriter, _ *http.Request) {
			for i := range 100 {
				w.Header().Set(fmt.Sprintf("A-%d", i), "x")
			}
			w.Header()["Date"] = nil
		}, want: []httpcall.Note{{Name: httpcall.Cut, Count: 36, At: []string{"/headers"}}}},
		{name: "a long error", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `"`+strings.Repeat("x", 100_000)+`"`)
		}, want: []httpcall.Note{{Name: httpcall.Cut, Count: 1, At: []string{"/body"}}}},
		{name: "an answer that is too large", answer: func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, strings.Repeat("x", 9<<20))
		}, want: []httpcall.Note{{Name: httpcall.Cut, Count: 1, At: []string{"/body"}}}},
		{name: "an answer that breaks off", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "abc")
		}, want: []httpcall.Note{{Name: httpcall.Cut, Count: 1, At: []string{"/body"}}}},
		{name: "nothing", answer: func(http.ResponseWriter, *http.Request) {}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, tt.answer)
			x := get("/")
			x.Request.Method, x.Effect = "POST", actions.Unsafe
			a, _ := do(t, c, x)
			if diff := cmp.Diff(tt.want, a.Notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}
