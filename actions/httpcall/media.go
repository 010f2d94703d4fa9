package httpcall

import (
	"bytes"
	"crypto/sha256"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// decodeBody decides what a body is by its Content-Type and by parsing, never by looking for marks in it. The
// error is for an announced JSON that is none; the body is its text or its bytes then.
func (k *call) decodeBody(contentType string, raw []byte) (Body, error) {
	media, charset := mediaType(contentType)
	switch {
	case k.x.As == Text:
		text, exact := decodeText(raw, charset)
		if !exact {
			k.notes.add(Undecodable, 1, nil)
		}
		return Body{Form: Text, Text: k.redact.string(text), MediaType: media}, nil
	case len(raw) == 0:
		return Body{MediaType: media}, nil
	case isJSONType(media):
		body, err := k.jsonBody(media, charset, raw)
		if err != nil {
			body = k.plainBody(media, charset, raw)
		}
		return body, err
	case media == "" || media == "text/plain" || media == "text/html":
		// Wrong and missing types are common on JSON. Only an object or a list is taken for it, so that a text
		// such as "true" or "42" stays a text.
		if first := bytes.TrimLeft(raw, " \t\r\n\xef\xbb\xbf"); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
			if body, err := k.jsonBody(media, charset, raw); err == nil {
				return body, nil
			}
		}
	}
	return k.plainBody(media, charset, raw), nil
}

// plainBody is a text where every byte of it can be read as one, else bytes.
func (k *call) plainBody(media, charset string, raw []byte) Body {
	if media == "" || isTextType(media) || isJSONType(media) {
		if text, exact := decodeText(raw, charset); exact {
			return Body{Form: Text, Text: k.redact.string(text), MediaType: media}
		}
	}
	if media == "" {
		media = "application/octet-stream"
	}
	return binaryBody(media, k.redact.binary(raw))
}

func binaryBody(media string, raw []byte) Body {
	return Body{Form: Binary, Bytes: raw, MediaType: media, Size: int64(len(raw)), SHA256: sha256.Sum256(raw)}
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

// jsonBody parses JSON. What can't be kept as a character becomes U+FFFD and is noted with its place, and then the
// bytes are kept beside it; a member that is given twice stays twice, and is noted. NUL stays.
func (k *call) jsonBody(media, charset string, raw []byte) (Body, error) {
	var found notes
	text, exact := jsonText(raw, charset)
	if !exact {
		found.add(Undecodable, bytes.Count(text, []byte("\uFFFD")), nil)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return Body{MediaType: media}, nil
	}
	redacted := k.redact.count
	rules := jsonRules{trace: newTrace(found.add)}
	if !k.redact.idle() {
		rules.text = k.redact.text
	}
	compact, err := compactJSON(make([]byte, 0, len(text)), text, rules)
	if err != nil {
		k.redact.count = redacted // it is read again, as a text
		return Body{}, err
	}
	k.notes.merge(found)
	if k.redact.count == redacted && (found.has(LoneSurrogate) || found.has(Undecodable)) {
		k.keepReceived(media, raw)
	}
	return Body{Form: JSON, JSON: compact, MediaType: media}, nil
}

// keepReceived keeps the bytes as they came, unless the account's own key stands in them.
func (k *call) keepReceived(media string, raw []byte) {
	count := k.redact.count
	if body := binaryBody(media, k.redact.binary(raw)); k.redact.count == count {
		k.answer.Received = &body
	}
}

// jsonText gives JSON as UTF-8, without a byte order mark. Bytes of UTF-8 that are no characters stay, for the
// parser to say where; exact is false where another encoding had some.
func jsonText(raw []byte, charset string) (text []byte, exact bool) {
	rest, other := encodingOf(raw, charset)
	if other == nil {
		return rest, true
	}
	decoded, exact := decode(rest, other)
	return []byte(decoded), exact
}

// decodeText gives the characters. exact is false where bytes are none; U+FFFD stands in their place.
func decodeText(raw []byte, charset string) (text string, exact bool) {
	rest, other := encodingOf(raw, charset)
	if other == nil {
		return strings.ToValidUTF8(string(rest), "\uFFFD"), utf8.Valid(rest)
	}
	return decode(rest, other)
}

// encodingOf gives what follows the byte order mark, and the encoding; nil is UTF-8. A mark wins over the declared
// charset, as the WHATWG encoding standard has it. Without either, and for a charset that nobody knows, only UTF-8
// is taken for text: guessing would spoil other bytes.
func encodingOf(raw []byte, charset string) (rest []byte, other encoding.Encoding) {
	for _, mark := range []struct{ bytes, charset string }{{"\xef\xbb\xbf", ""}, {"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"}} {
		if after, marked := bytes.CutPrefix(raw, []byte(mark.bytes)); marked {
			raw, charset = after, mark.charset
			break
		}
	}
	if charset == "" || charset == "utf-8" {
		return raw, nil
	}
	other, err := htmlindex.Get(charset)
	if err != nil || other == unicode.UTF8 {
		return raw, nil
	}
	return raw, other
}

// decode gives the characters of an encoding that is not UTF-8; hardly any of those has U+FFFD itself.
func decode(raw []byte, from encoding.Encoding) (text string, exact bool) {
	decoded, err := from.NewDecoder().Bytes(raw)
	text = strings.ToValidUTF8(string(decoded), "\uFFFD")
	return text, err == nil && !strings.Contains(text, "\uFFFD")
}
