package genisys

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image/png"
	"strings"

	"pawl/internal/canon"
	"pawl/internal/fault"
)

const logoScheme = "data:image/png;base64,"

// LogoPNG gives the bytes of the logo, nil where the app has none.
func (a *App) LogoPNG() []byte {
	text, there := strings.CutPrefix(a.Logo, logoScheme)
	if !there {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil // can't be: Decode has read it
	}
	return data
}

// logo reads an inline PNG (RFC 2397, RFC 4648 section 4 without line breaks). Whether it is one, picture says.
func logo(p canon.Place) string {
	text, ok := p.Text()
	if !ok || text == "" {
		return ""
	}
	encoded, inline := strings.CutPrefix(text, logoScheme)
	if !inline {
		p.Refuse("logo", "The logo must be empty or start with %q; other images and remote addresses are not shown.", logoScheme)
		return ""
	}
	if base64.StdEncoding.DecodedLen(len(encoded)) > MaxLogoBytes+2 { // the length counts up to two padding characters
		logoTooLarge(p, base64.StdEncoding.DecodedLen(len(encoded)))
		return ""
	}
	data, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || strings.ContainsAny(encoded, "\r\n") {
		p.Refuse("base64", "The logo is not strict base64: use the standard alphabet with padding and no line breaks.")
		return ""
	}
	if len(data) > MaxLogoBytes {
		logoTooLarge(p, len(data))
		return ""
	}
	return text
}

// picture proves that data is a PNG image and nothing else: its header is measured and its chunks are walked first,
// so that nothing large is ever unpacked, and then every pixel is decoded.
func picture(p canon.Place, data []byte) {
	width, height, ok := measure(data)
	switch {
	case !ok:
		p.Refuse("png", "The logo is not a PNG image.")
		return
	case width > MaxLogoSide || height > MaxLogoSide:
		p.RefuseAs(fault.TooLarge, "pixels", "The logo has %d x %d pixels; at most %d x %d are allowed.", width, height, MaxLogoSide, MaxLogoSide)
		return
	}
	if e := chunks(data); e != nil {
		p.RefuseAs(e.Kind, e.Reason, "%s", e.Message)
		return
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		p.Refuse("png", "The logo is not the image that its header describes (%s); export it again.", strings.TrimPrefix(err.Error(), "png: "))
	}
}

// measure reads the width and height that a PNG image claims, where its header must stand.
func measure(data []byte) (width, height uint32, ok bool) {
	const header = len(pngSignature) + 8 // where the header's data begins, with the width and the height
	if len(data) < header+8 || string(data[:len(pngSignature)]) != pngSignature || string(data[header-4:header]) != "IHDR" {
		return 0, 0, false
	}
	return binary.BigEndian.Uint32(data[header:]), binary.BigEndian.Uint32(data[header+4:]), true
}

func logoTooLarge(p canon.Place, bytes int) {
	p.RefuseAs(fault.TooLarge, "bytes", "The logo has about %d bytes of PNG; at most %d are allowed.", bytes, MaxLogoBytes)
}
