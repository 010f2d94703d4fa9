package httpcall_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"pawl/actions"
	"pawl/actions/httpcall"
	"pawl/internal/fault"
)

// say answers with a status, a content type and a body.
func say(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if contentType == "" {
			w.Header()["Content-Type"] = nil // net/http would guess
		} else {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// echo sends everything that it got back, in several places.
func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Echo", r.Header.Get("Authorization"))
	w.Header().Set("Content-Type", "application/json")
	body, _ := io.ReadAll(r.Body)
	json.NewEncoder(w).Encode(map[string]any{"headers": r.Header, "url": r.URL.String(), "body": string(body)})
}

// noKey fails if the key stands in what Go prints or encodes of the values.
func noKey(t *testing.T, key string, values ...any) {
	t.Helper()
	for _, v := range values {
		encoded, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if printed := fmt.Sprintf("%+v", v); strings.Contains(printed, key) || bytes.Contains(encoded, []byte(key)) {
			t.Errorf("%T holds the key: %s", v, printed)
		}
	}
}

func body(a *httpcall.Answer) string {
	var out struct{ Body json.RawMessage }
	if err := json.Unmarshal(httpcall.Output(a), &out); err != nil {
		return err.Error()
	}
	return string(out.Body)
}

func TestBodiesAreDecidedByTypeAndParsing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, contentType, body string
		want                    string // the body in the output; "" = invalid_response
	}{
		{name: "markup in JSON", contentType: "application/json", body: `{"say":"<script></script> & </b>"}`, want: `{"say":"<script></script> & </b>"}`},
		{name: "numbers", contentType: "application/json", body: `{ "p_id": 7615917337495251231, "r":0.1,"e":1e400,"neg0":-0 }`, want: `{"p_id":7615917337495251231,"r":0.1,"e":1e400,"neg0":-0}`},
		{name: "NUL", contentType: "application/json", body: `{"a":"x\u0000y"}`, want: `{"a":"x\u0000y"}`},
		{name: "NUL in text", contentType: "text/plain", body: "x\x00y", want: `"x\u0000y"`},
		{name: "lone surrogate", contentType: "application/json", body: `{"a":"x\ud83dy","b":"\udc00\ud83d\ude00"}`, want: "{\"a\":\"x\uFFFDy\",\"b\":\"\uFFFD😀\"}"},
		{name: "bytes that are not UTF-8", contentType: "application/json", body: "{\"a\":\"caf\xe9\"}", want: "{\"a\":\"caf\uFFFD\"}"},
		{name: "JSON in Latin-1", contentType: "application/json; charset=iso-8859-1", body: "{\"a\":\"caf\xe9\"}", want: `{"a":"café"}`},
		{name: "JSON with a byte order mark", contentType: "application/json", body: "\xef\xbb\xbf[1]", want: `[1]`},
		{name: "JSON in UTF-16", contentType: "application/json", body: "\xff\xfe[\x001\x00]\x00", want: `[1]`},
		{name: "vendor type", contentType: "application/vnd.api+json; charset=utf-8", body: `[]`, want: `[]`},
		{name: "scalar", contentType: "application/json", body: ` "x" `, want: `"x"`},
		{name: "HTML announced as JSON", contentType: "application/json", body: `<html></html>`},
		{name: "cut JSON", contentType: "application/json", body: `{"a":1`},
		{name: "two values", contentType: "application/json", body: `{} {}`},
		{name: "too deep", contentType: "application/json", body: strings.Repeat("[", 2000) + strings.Repeat("]", 2000)},
		{name: "JSON without a type", contentType: "", body: `{"a":1}`, want: `{"a":1}`},
		{name: "JSON as HTML", contentType: "text/html", body: `[{"a":"<b>"}]`, want: `[{"a":"<b>"}]`},
		{name: "number as plain text", contentType: "text/plain", body: `42`, want: `"42"`},
		{name: "brace in plain text", contentType: "text/plain", body: `{not json}`, want: `"{not json}"`},
		{name: "text without a type", contentType: "", body: `hello`, want: `"hello"`},
		{name: "Latin-1", contentType: "text/plain; charset=ISO-8859-1", body: "caf\xe9", want: `"café"`},
		{name: "Shift_JIS", contentType: "text/csv; charset=Shift_JIS", body: "\x93\xfa\x96\x7b", want: `"日本"`},
		{name: "unknown charset", contentType: "text/plain; charset=klingon", body: "abc", want: `"abc"`},
		{name: "XML", contentType: "application/atom+xml", body: "<a/>", want: `"<a/>"`},
		{name: "empty", contentType: "application/json", body: "", want: `null`},
		{name: "white space", contentType: "application/json", body: " \n", want: `null`},
		{name: "malformed type", contentType: "application/json; charset", body: `{"a":1}`, want: `{"a":1}`},
		{name: "member names", contentType: "application/json", body: `{"__proto__":{"x":1},"":2,"a..b":3}`, want: `{"__proto__":{"x":1},"":2,"a..b":3}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, say(200, tt.contentType, tt.body))
			a, f := do(t, c, get("/"))
			if tt.want == "" {
				check(t, a, f, fault.InvalidResponse, "json", true)
				if f.Status != 200 || a.Status != 200 {
					t.Errorf("status %d, %d", f.Status, a.Status)
				}
				return
			}
			check(t, a, f, "", "", true)
			if got := body(a); got != tt.want {
				t.Errorf("body %s, want %s", got, tt.want)
			}
		})
	}
}

// bodyOf gives the body in the output of a read that was answered with JSON.
func bodyOf(t *testing.T, text string) string {
	t.Helper()
	c, _ := serve(t, say(200, "application/json", text))
	a, f := do(t, c, get("/"))
	check(t, a, f, "", "", true)
	return body(a)
}

func TestC003MarkupInJSONArrives(t *testing.T) {
	t.Parallel()
	const text = `{"say":"<script></script> & </b>"}`
	if got := bodyOf(t, text); got != text {
		t.Errorf("body %s", got)
	}
}

func TestC073AnswersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	const text = `{"p_id":7615917337495251231,"r":0.1,"e":1e400,"neg0":-0}`
	if got := bodyOf(t, text); got != text {
		t.Errorf("body %s", got)
	}
}

func TestC075NULAndHalfSurrogatesCanBeStored(t *testing.T) {
	t.Parallel()
	if got, want := bodyOf(t, `{"a":"x\u0000y","b":"\ud83d"}`), "{\"a\":\"x\\u0000y\",\"b\":\"\uFFFD\"}"; got != want {
		t.Errorf("body %s, want %s", got, want)
	}
}

func TestC075ErrorTextWithNULIsKept(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, say(500, "text/plain", "boom\x00tail"))
	a, f := do(t, c, get("/"))
	check(t, a, f, fault.ProviderError, "", true)
	if f.Details["body"] != "boom\u2400tail" || bytes.ContainsRune(f.JSON(), 0) || bytes.Contains(f.JSON(), []byte(`\u0000`)) {
		t.Errorf("stored as %s", f.JSON())
	}
}

func TestC077BinaryIsBytes(t *testing.T) {
	t.Parallel()
	png, _ := hex.DecodeString("89504e470d0a1a0a00fffe")
	sum := sha256.Sum256(png)
	tests := []struct{ name, contentType, want string }{
		{name: "image", contentType: "image/png", want: "image/png"},
		{name: "no type", contentType: "", want: "application/octet-stream"},
		{name: "text that is none", contentType: "text/plain", want: "text/plain"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, say(200, tt.contentType, string(png)))
			a, f := do(t, c, get("/"))
			check(t, a, f, "", "", true)
			if a.Body.Form != httpcall.Binary || !bytes.Equal(a.Body.Bytes, png) || a.Body.SHA256 != sum || a.Body.Size != 11 {
				t.Errorf("got %+v", a.Body)
			}
			want := fmt.Sprintf(`{"$blob":{"sha256":"%x","size":11,"media_type":%q}}`, sum, tt.want)
			if got := body(a); got != want {
				t.Errorf("output %s, want %s", got, want)
			}
		})
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["Date"], h["Content-Type"] = nil, nil
		h.Set("X-Total", "7")
		h.Add("Link", "<a>")
		h.Add("Link", "<b>")
		h.Set("Set-Cookie", "sid=secret")
		h.Set("Www-Authenticate", "Basic")
		h.Set("Proxy-Authenticate", "Basic")
		h.Set("X-Latin", "caf\xe9")
		w.WriteHeader(http.StatusNoContent)
	})
	a, f := do(t, c, get("/"))
	check(t, a, f, "", "", true)
	want := "{\"status\":204,\"headers\":{\"link\":\"<a>, <b>\",\"www-authenticate\":\"Basic\",\"x-latin\":\"caf\uFFFD\",\"x-total\":\"7\"},\"body\":null,\"notes\":[{\"note\":\"undecodable\",\"count\":1,\"at\":[\"/headers/x-latin\"]}]}"
	if got := string(httpcall.Output(a)); got != want {
		t.Errorf("output\n%s, want\n%s", got, want)
	}
}

func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for i := range 200 {
			w.Header().Set(fmt.Sprintf("X-H-%03d", i), strings.Repeat("é", 100))
		}
		w.Header().Set("A-Long", strings.Repeat("x", 5000))
	})
	a, f := do(t, c, get("/"))
	check(t, a, f, "", "", true)
	if len(a.Header) != 64 || len(a.Header["a-long"]) > 2048+3 {
		t.Errorf("%d fields, a-long has %d bytes", len(a.Header), len(a.Header["a-long"]))
	}
}

func compress(t *testing.T, coding, text string) string {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&out)
	case "br":
		w = brotli.NewWriter(&out)
	case "zstd":
		var err error
		if w, err = zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1)); err != nil {
			t.Fatal(err)
		}
	default:
		return text
	}
	io.WriteString(w, text)
	w.Close()
	return out.String()
}

// noise is n bytes that don't compress.
func noise(n int) string {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{}).Read(b)
	return string(b)
}

func TestContentCodings(t *testing.T) {
	t.Parallel()
	const text = `{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}`
	tests := []struct {
		name, coding string
		body         func(t *testing.T) string
		kind         fault.Kind
		reason       string
	}{
		{name: "gzip", coding: "gzip", body: func(t *testing.T) string { return compress(t, "gzip", text) }},
		{name: "x-gzip", coding: "x-gzip", body: func(t *testing.T) string { return compress(t, "gzip", text) }},
		{name: "br", coding: "br", body: func(t *testing.T) string { return compress(t, "br", text) }},
		{name: "zstd", coding: "zstd", body: func(t *testing.T) string { return compress(t, "zstd", text) }},
		{name: "identity", coding: "identity", body: func(t *testing.T) string { return text }},
		{name: "two", coding: "gzip, br", body: func(t *testing.T) string { return compress(t, "br", compress(t, "gzip", text)) }},
		{name: "three", coding: "gzip, br, gzip", body: func(t *testing.T) string { return "x" }, kind: fault.InvalidResponse, reason: "content_encoding"},
		{name: "unknown", coding: "compress", body: func(t *testing.T) string { return "x" }, kind: fault.InvalidResponse, reason: "content_encoding"},
		{name: "not compressed", coding: "gzip", body: func(t *testing.T) string { return text }, kind: fault.InvalidResponse, reason: "content_encoding"},
		{name: "cut gzip", coding: "gzip", body: func(t *testing.T) string { return compress(t, "gzip", text)[:20] }, kind: fault.InvalidResponse, reason: "content_encoding"},
		{name: "cut br", coding: "br", body: func(t *testing.T) string { return compress(t, "br", text)[:10] }, kind: fault.InvalidResponse, reason: "content_encoding"},
		{name: "cut zstd", coding: "zstd", body: func(t *testing.T) string { return compress(t, "zstd", text)[:10] }, kind: fault.InvalidResponse, reason: "content_encoding"},
		{name: "gzip bomb", coding: "gzip", body: func(t *testing.T) string { return compress(t, "gzip", strings.Repeat(" ", 16<<20)) }, kind: fault.TooLarge, reason: "answer"},
		{name: "br bomb", coding: "br", body: func(t *testing.T) string { return compress(t, "br", strings.Repeat(" ", 16<<20)) }, kind: fault.TooLarge, reason: "answer"},
		{name: "zstd bomb", coding: "zstd", body: func(t *testing.T) string { return compress(t, "zstd", strings.Repeat(" ", 16<<20)) }, kind: fault.TooLarge, reason: "answer"},
		{name: "too large as received", coding: "gzip", body: func(t *testing.T) string { return compress(t, "gzip", noise(9<<20)) }, kind: fault.TooLarge, reason: "answer"},
		{name: "bomb in a bomb", coding: "gzip, gzip", body: func(t *testing.T) string {
			return compress(t, "gzip", compress(t, "gzip", strings.Repeat(" ", 16<<20)))
		}, kind: fault.TooLarge, reason: "answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			packed := tt.body(t)
			c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Encoding", tt.coding)
				io.WriteString(w, packed)
			})
			for range 2 { // the second one gets a decoder that was used
				a, f := do(t, c, get("/"))
				check(t, a, f, tt.kind, tt.reason, true)
				if got := body(a); tt.kind == "" && got != text {
					t.Errorf("body %s", got)
				}
			}
		})
	}
}

func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	const limit = 8 << 20
	for _, announced := range []bool{true, false} {
		for size, kind := range map[int]fault.Kind{limit: "", limit + 1: fault.TooLarge} {
			t.Run(fmt.Sprintf("%d announced=%t", size, announced), func(t *testing.T) {
				t.Parallel()
				c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/plain")
					if announced {
						w.Header().Set("Content-Length", fmt.Sprint(size))
					}
					w.WriteHeader(http.StatusCreated)
					io.CopyN(w, zeros{}, int64(size))
				})
				x := get("/")
				x.Effect = actions.Unsafe
				x.Request.Method = "POST"
				a, f := do(t, c, x)
				reason := ""
				if kind != "" {
					reason = "answer"
				}
				check(t, a, f, kind, reason, true)
				if a.Status != 201 || kind == "" && len(a.Body.Text) != size {
					t.Errorf("status %d, %d bytes", a.Status, len(a.Body.Text))
				}
			})
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}
