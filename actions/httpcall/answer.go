package httpcall

import (
	"encoding/hex"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Answer is what is known after an attempt. It holds no credential: the account's own key, in any form in which
// it was sent, is replaced by "[redacted]".
type Answer struct {
	// Sent says whether an application byte was handed to the TLS connection. False is a proof that nothing was
	// sent and nothing will be.
	Sent bool
	// Status is the HTTP status; 0 = no answer arrived. It stands also where the body could not be read.
	Status int
	// Header holds up to 64 fields with lower-case names; several of one name are joined by ", ". Cookies,
	// credentials and what belongs to the connection are left out. Values are cut at 2,048 bytes.
	Header map[string]string
	// Body is the decoded body; of an error answer at most what was read of it.
	Body Body
	// RetryAfter is what the answer says about when to try again.
	RetryAfter RetryAfter
	// Notes say what could not be kept as it came. They are part of the output.
	Notes []Note
	// Received holds the bytes of a JSON body of which a part became U+FFFD, as they came; nil = nothing did, or the
	// account's own key stood in them.
	Received *Body
}

// Blobs gives the bodies whose bytes the output only names. The caller stores them under their digests.
func (a *Answer) Blobs() []Body {
	var all []Body
	if a.Body.Form == Binary {
		all = append(all, a.Body)
	}
	if a.Received != nil {
		all = append(all, *a.Received)
	}
	return all
}

// Form is how a body is held. A closed set.
type Form string

// The forms.
const (
	Empty  Form = ""       // nothing, or white space only where JSON was announced
	JSON   Form = "json"   // compact JSON text, its numbers as the server wrote them
	Text   Form = "text"   // characters, decoded to UTF-8
	Binary Form = "binary" // bytes, to be stored by the caller under their digest
)

// Body is a decoded body.
type Body struct {
	Form Form
	// JSON is valid UTF-8 JSON text without NUL bytes (they are \u0000) and without lone surrogates. A member that was
	// given twice stands there twice.
	JSON []byte
	// Text may hold NUL characters; as JSON it is \u0000.
	Text string
	// Bytes are the bytes of a binary body, after content decoding.
	Bytes []byte
	// MediaType is the media type of the answer, lower case, without parameters; of a binary body without one,
	// application/octet-stream.
	MediaType string
	// SHA256 and Size describe Bytes.
	SHA256 [32]byte
	Size   int64
}

// Output gives the step's output as compact JSON: {"status":…,"headers":{…},"body":…}. The body is null when
// empty, the JSON value, a text, or {"$blob":{"sha256":…,"size":…,"media_type":…}} for bytes that the caller
// stores. Headers come in the order of their names. Where there are notes, "notes":[{"note":…,"count":…,"at":[…]}]
// follows, and "received", the bytes of the body as they came, where characters of it are lost.
func Output(a *Answer) []byte {
	out := make([]byte, 0, 256+len(a.Body.JSON)+len(a.Body.Text))
	out = append(out, `{"status":`...)
	out = strconv.AppendInt(out, int64(a.Status), 10)
	out = append(out, `,"headers":{`...)
	names := make([]string, 0, len(a.Header))
	for name := range a.Header {
		names = append(names, name)
	}
	sort.Strings(names)
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendQuoted(out, name), ':')
		out = appendQuoted(out, a.Header[name])
	}
	out = append(out, `},"body":`...)
	out = appendBody(out, &a.Body)
	if len(a.Notes) > 0 {
		out = appendNotes(append(out, `,"notes":`...), a.Notes)
	}
	if a.Received != nil {
		out = appendBody(append(out, `,"received":`...), a.Received)
	}
	return append(out, '}')
}

func appendBody(out []byte, b *Body) []byte {
	switch b.Form {
	case JSON:
		return append(out, b.JSON...)
	case Text:
		return appendQuoted(out, b.Text)
	case Binary:
		out = append(out, `{"$blob":{"sha256":"`...)
		out = hex.AppendEncode(out, b.SHA256[:])
		out = append(out, `","size":`...)
		out = strconv.AppendInt(out, b.Size, 10)
		out = append(out, `,"media_type":`...)
		out = appendQuoted(out, b.MediaType)
		return append(out, "}}"...)
	default:
		return append(out, "null"...)
	}
}

// kept keeps the fields that a builder may use. Which of too many are kept is decided by name, so that equal
// answers give equal outputs.
func (k *call) kept(h http.Header) map[string]string {
	names := make([]string, 0, len(h))
	for name := range h {
		if !hidden(name) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	if more := len(names) - maxHeaders; more > 0 {
		names = names[:maxHeaders]
		k.notes.add(Cut, more, func() string { return "/headers" })
	}
	fields := make(map[string]string, len(names))
	for _, name := range names {
		value := h[name][0]
		if len(h[name]) > 1 {
			value = strings.Join(h[name], ", ")
		}
		name = strings.ToLower(name)
		fields[name] = k.field(name, k.redact.string(value))
	}
	return fields
}

// field is a value as it is kept.
func (k *call) field(name, value string) string {
	at := func() string { return "/headers" + pointerPart(name) }
	if !utf8.ValidString(value) {
		value = strings.ToValidUTF8(value, "\uFFFD")
		k.notes.add(Undecodable, 1, at)
	}
	if len(value) > maxHeaderValue {
		value = clip(value, maxHeaderValue)
		k.notes.add(Cut, 1, at)
	}
	return value
}

// hidden says which fields never leave this package: credentials, what belongs to the connection or describes
// the encoded form, and what only browsers read.
func hidden(name string) bool {
	switch name {
	case "Set-Cookie", "Set-Cookie2", "Cookie", "Authorization", "Proxy-Authorization", "Proxy-Authenticate",
		"Authentication-Info", "Proxy-Authentication-Info",
		"Connection", "Keep-Alive", "Transfer-Encoding", "Te", "Trailer", "Upgrade", "Content-Encoding", "Content-Length",
		"Content-Security-Policy", "Content-Security-Policy-Report-Only", "Strict-Transport-Security",
		"Permissions-Policy", "Alt-Svc", "Nel", "Report-To", "Reporting-Endpoints":
		return true
	}
	return false
}
