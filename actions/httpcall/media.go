package httpcall

import (
	"bytes"
	"crypto/sha256"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// decodeBody decides what a body is by its Content-Type and by parsing, never by looking for marks in it. The
// error is for an announced JSON that is none.
func (k *call) decodeBody(contentType string, raw []byte) (Body, error) {
	media, charset := mediaType(contentType)
	switch {
	case len(raw) == 0:
		return Body{MediaType: media}, nil
	case isJSONType(media):
		return k.jsonBody(media, charset, raw)
	case media == "" || media == "text/plain" || media == "text/html":
		// Wrong and missing types are common on JSON. Only an object or a list is taken for it, so that a text
		// such as "true" or "42" stays a text.
		if first := bytes.TrimLeft(raw, " \t\r\n\xef\xbb\xbf"); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
			if body, err := k.jsonBody(media, charset, raw); err == nil {
				return body, nil
			}
		}
	}
	if media == "" || isTextType(media) {
		if text, ok := decodeText(raw, charset); ok {
			return Body{Form: Text, Text: k.redact.string(text), MediaType: media}, nil
		}
	}
	if media == "" {
		media = "application/octet-stream"
	}
	raw = k.redact.binary(raw)
	return Body{Form: Binary, Bytes: raw, MediaType: media, Size: int64(len(raw)), SHA256: sha256.Sum256(raw)}, nil
}

// mediaType gives the type in lower case and the charset parameter. A field that can't be parsed counts up to
// its first semicolon.
func mediaType(contentType string) (media, charset string) {
	if contentType == "application/json" || contentType == "" {
		return contentType, ""
	}
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		media, _, _ = strings.Cut(contentType, ";")
		media = clip(strings.ToLower(strings.TrimSpace(strings.ToValidUTF8(media, ""))), 100)
	}
	return media, strings.ToLower(params["charset"])
}

func isJSONType(media string) bool {
	return media == "application/json" || media == "text/json" || media == "application/x-json" ||
		strings.HasSuffix(media, "+json")
}

func isTextType(media string) bool {
	switch media {
	case "application/xml", "application/javascript", "application/x-javascript", "application/x-www-form-urlencoded",
		"application/x-ndjson", "application/yaml", "application/x-yaml", "application/graphql", "application/toml",
		"application/sql", "application/rtf", "application/jsonl":
		return true
	}
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+xml") || strings.HasSuffix(media, "+yaml")
}

// jsonBody parses JSON. Half surrogate pairs and bytes that are not UTF-8 become U+FFFD and are noted; NUL stays.
func (k *call) jsonBody(media, charset string, raw []byte) (Body, error) {
	if (charset != "" && charset != "utf-8") || raw[0] >= 0xef { // another encoding, or a byte order mark
		if text, ok := decodeText(raw, charset); ok {
			raw = []byte(text)
		}
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return Body{MediaType: media}, nil
	}
	replaced := false
	rules := jsonRules{malformed: func(int) error { replaced = true; return nil }}
	if !k.redact.idle() {
		rules.text = k.redact.text
	}
	text, err := compactJSON(make([]byte, 0, len(raw)), raw, rules)
	if err != nil {
		return Body{}, err
	}
	if replaced {
		k.answer.Notes = append(k.answer.Notes, "lone_surrogate")
	}
	return Body{Form: JSON, JSON: text, MediaType: media}, nil
}

// decodeText gives the characters. A byte order mark wins over the declared charset, as the WHATWG encoding
// standard has it. Without either only UTF-8 is taken for text: guessing would spoil other bytes.
func decodeText(raw []byte, charset string) (string, bool) {
	switch {
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		raw, charset = raw[3:], "utf-8"
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		charset = "utf-16le"
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		charset = "utf-16be"
	}
	if charset == "" {
		return string(raw), utf8.Valid(raw)
	}
	encoding, err := htmlindex.Get(charset)
	if err != nil {
		return string(raw), utf8.Valid(raw)
	}
	text, err := encoding.NewDecoder().Bytes(raw)
	if err != nil {
		return "", false
	}
	return strings.ToValidUTF8(strings.TrimPrefix(string(text), "\ufeff"), "\uFFFD"), true
}
