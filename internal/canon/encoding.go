package canon

import "strings"

// foreign says what to do about a text that can't be JSON in UTF-8, by how it begins: a byte order mark of another encoding, a
// zero byte beside the first character, which must be ASCII (RFC 4627, section 3), or the mark of a compressed file.
func foreign(src string) string {
	const utf16, utf32 = "the text is UTF-16; save it as UTF-8", "the text is UTF-32; save it as UTF-8"
	for _, e := range []struct{ begins, advice string }{
		{"\xff\xfe\x00\x00", utf32},
		{"\x00\x00\xfe\xff", utf32},
		{"\x00\x00\x00", utf32},
		{"\xff\xfe", utf16},
		{"\xfe\xff", utf16},
		{"\x1f\x8b", "the file is compressed with gzip; unpack it first"},
		{"PK\x03\x04", "the file is a ZIP archive; unpack it first"},
	} {
		if strings.HasPrefix(src, e.begins) {
			return e.advice
		}
	}
	switch {
	case len(src) < 2 || (src[0] == 0) == (src[1] == 0):
		return ""
	case len(src) > 3 && src[1] == 0 && src[2] == 0 && src[3] == 0:
		return utf32
	default:
		return utf16
	}
}
