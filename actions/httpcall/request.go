package httpcall

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"strings"
	"unicode/utf8"
)

// Request is one request as it will stand on the wire, without the credential, the Idempotency-Key and what
// belongs to the connection. The same action and input always give the same Request.
type Request struct {
	// Method is an upper-case HTTP method.
	Method string
	// URL is absolute; its path and query are encoded already.
	URL string
	// Header holds the fields that belong to this request: Accept, and Content-Type when there is a body.
	Header []Field
	// Body is what is sent after the head; nil = no body.
	Body []byte
}

// Field is one header field.
type Field struct{ Name, Value string }

// Digest identifies the request: SHA-256 over method, URL, header fields and body, each with its length before
// it. A credential never goes into it, so it stays the same when the account's key is rotated.
func (r *Request) Digest() [32]byte {
	h := sha256.New()
	digestPart(h, r.Method)
	digestPart(h, r.URL)
	for _, f := range r.Header {
		digestPart(h, strings.ToLower(f.Name))
		digestPart(h, f.Value)
	}
	digestPart(h, "") // ends the fields: no field has an empty name
	digestPart(h, string(r.Body))
	return [32]byte(h.Sum(nil))
}

func digestPart(h hash.Hash, s string) {
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(s)))
	h.Write(size[:])
	h.Write([]byte(s))
}

// Summary is what the run page shows of a request. It holds no credential, because Request has none.
type Summary struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	// Body is the body's beginning, at most 2,000 bytes, cut between characters.
	Body string `json:"body,omitempty"`
	// BodyBytes is the size of the whole body.
	BodyBytes int `json:"body_bytes"`
}

// Summary gives the public description of the request.
func (r *Request) Summary() Summary {
	s := Summary{Method: r.Method, URL: r.URL, Headers: make(map[string]string, len(r.Header)), BodyBytes: len(r.Body)}
	for _, f := range r.Header {
		s.Headers[f.Name] = f.Value
	}
	s.Body = excerpt(r.Body)
	return s
}

// excerpt is the beginning of a body as printable text: what is no valid UTF-8 and NUL are marked.
func excerpt(body []byte) string {
	cut := body
	if len(cut) > maxExcerptBytes {
		cut = cut[:maxExcerptBytes]
		for i := len(cut); i > len(cut)-utf8.UTFMax; i-- {
			if utf8.RuneStart(body[i]) {
				cut = cut[:i]
				break
			}
		}
	}
	text := strings.ToValidUTF8(string(cut), "\uFFFD")
	text = strings.ReplaceAll(text, "\x00", "\u2400")
	if len(cut) < len(body) {
		text += "…"
	}
	return text
}
