package genisys

import (
	"bytes"
	"encoding/base64"
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

// logo reads an inline PNG (RFC 2397, RFC 4648 section 4 without line breaks) and proves that it is one: its
// header is measured first, so that nothing large is ever unpacked, and then every pixel is decoded.
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
	picture(p, data)
	return text
}

func picture(p canon.Place, data []byte) {
	if len(data) > MaxLogoBytes {
		logoTooLarge(p, len(data))
		return
	}
	size, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		p.Refuse("png", "The logo is not a PNG image.")
		return
	}
	if size.Width > MaxLogoSide || size.Height > MaxLogoSide {
		p.RefuseAs(fault.TooLarge, "pixels", "The logo has %d x %d pixels; at most %d x %d are allowed.",
			size.Width, size.Height, MaxLogoSide, MaxLogoSide)
		return
	}
	rest := bytes.NewReader(data)
	if _, err := png.Decode(rest); err != nil {
		p.Refuse("png", "The logo is a damaged PNG image; export it again.")
	} else if rest.Len() > 0 {
		p.Refuse("png", "%d bytes follow the end of the PNG image; export it again.", rest.Len())
	}
}

func logoTooLarge(p canon.Place, bytes int) {
	p.RefuseAs(fault.TooLarge, "bytes", "The logo has about %d bytes of PNG; at most %d are allowed.", bytes, MaxLogoBytes)
}
