package genisys_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"
)

const pngMark = "\x89PNG\r\n\x1a\n"

// chunk makes one chunk of a PNG image, with a right length and checksum.
func chunk(kind string, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// header is the data of an IHDR chunk.
func header(width, height uint32, depth, colour, compression, filter, interlace byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, width)
	out = binary.BigEndian.AppendUint32(out, height)
	return append(out, depth, colour, compression, filter, interlace)
}

// packed compresses data with zlib.
func packed(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, zlib.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// grey is the pixels of a grey image of 8 bits, one filter byte before each row.
func grey(width, height int) []byte { return make([]byte, (width+1)*height) }

// pictureOf puts a PNG image together from its chunks.
func pictureOf(chunks ...[]byte) []byte { return append([]byte(pngMark), bytes.Join(chunks, nil)...) }

// pieces are the chunks of a sound grey image of 4 x 4 pixels.
type pieces struct{ head, pixels, end []byte }

func sound(t testing.TB) pieces {
	t.Helper()
	return pieces{chunk("IHDR", header(4, 4, 8, 0, 0, 0, 0)), chunk("IDAT", packed(t, grey(4, 4))), chunk("IEND", nil)}
}

// badPictures makes plugin files whose logos lie.
func badPictures(t testing.TB) []bad {
	t.Helper()
	var all []bad
	for _, list := range [][]bad{headersThatLie(t), chunksOutOfOrder(t), damagedChunks(t), bombs(t), twoFilesInOne(t)} {
		for _, b := range list {
			all = append(all, bad{"png-" + b.name, withLogo(t, b.data)})
		}
	}
	return all
}

func withLogo(t testing.TB, picture []byte) []byte {
	t.Helper()
	return edit(t, read(t, connectionFile), change{"/manifest/app/logo", `"data:image/png;base64,` + base64.StdEncoding.EncodeToString(picture) + `"`})
}

func headersThatLie(t testing.TB) []bad {
	t.Helper()
	s := sound(t)
	claims := func(name string, head []byte) bad { return bad{name, pictureOf(chunk("IHDR", head), s.pixels, s.end)} }
	return []bad{
		claims("claims-512-x-512", header(512, 512, 8, 0, 0, 0, 0)),
		claims("claims-one-row-more", header(4, 5, 8, 0, 0, 0, 0)),
		claims("claims-one-row-less", header(4, 3, 8, 0, 0, 0, 0)),
		claims("claims-one-column-less", header(3, 4, 8, 0, 0, 0, 0)),
		claims("claims-colour", header(4, 4, 8, 6, 0, 0, 0)),
		claims("claims-16-bits", header(4, 4, 16, 0, 0, 0, 0)),
		claims("claims-interlacing", header(8, 8, 8, 0, 0, 0, 1)),
		claims("claims-a-palette", header(4, 4, 8, 3, 0, 0, 0)),
		claims("claims-513-x-1", header(513, 1, 8, 0, 0, 0, 0)),
		claims("claims-2-to-the-31", header(1<<31, 1<<31, 8, 0, 0, 0, 0)),
		claims("claims-2-to-the-32-less-one", header(1<<32-1, 1, 8, 0, 0, 0, 0)),
		claims("no-width", header(0, 4, 8, 0, 0, 0, 0)),
		claims("no-height", header(4, 0, 8, 0, 0, 0, 0)),
		claims("depth-of-3", header(4, 4, 3, 0, 0, 0, 0)),
		claims("colour-type-5", header(4, 4, 8, 5, 0, 0, 0)),
		claims("another-compression", header(4, 4, 8, 0, 1, 0, 0)),
		claims("another-filter", header(4, 4, 8, 0, 0, 1, 0)),
		claims("another-interlacing", header(4, 4, 8, 0, 0, 0, 2)),
		claims("header-of-12-bytes", header(4, 4, 8, 0, 0, 0, 0)[:12]),
		claims("header-of-14-bytes", append(header(4, 4, 8, 0, 0, 0, 0), 0)),
		{"filter-of-9", pictureOf(s.head, chunk("IDAT", packed(t, bytes.Repeat([]byte{9}, 20))), s.end)},
	}
}

func chunksOutOfOrder(t testing.TB) []bad {
	t.Helper()
	s := sound(t)
	text := chunk("tEXt", []byte("Comment\x00hello"))
	palette := chunk("PLTE", []byte{0, 0, 0, 1, 1, 1})
	indexed := chunk("IHDR", header(4, 4, 8, 3, 0, 0, 0))
	half := len(s.pixels)/2 - 6
	inner := s.pixels[8 : len(s.pixels)-4]
	return []bad{
		{"no-header", pictureOf(s.pixels, s.end)},
		{"text-before-the-header", pictureOf(text, s.head, s.pixels, s.end)},
		{"two-headers", pictureOf(s.head, s.head, s.pixels, s.end)},
		{"a-second-header-behind-the-pixels", pictureOf(s.head, s.pixels, chunk("IHDR", header(512, 512, 8, 0, 0, 0, 0)), s.end)},
		{"no-pixels", pictureOf(s.head, s.end)},
		{"no-end", pictureOf(s.head, s.pixels)},
		{"two-ends", pictureOf(s.head, s.pixels, s.end, s.end)},
		{"end-before-the-pixels", pictureOf(s.head, s.end, s.pixels)},
		{"end-with-data", pictureOf(s.head, s.pixels, chunk("IEND", []byte("hello")))},
		{"pixels-apart", pictureOf(s.head, chunk("IDAT", inner[:half]), text, chunk("IDAT", inner[half:]), s.end)},
		{"pixels-twice", pictureOf(s.head, s.pixels, s.pixels, s.end)},
		{"pixels-behind-text", pictureOf(s.head, s.pixels, text, chunk("IDAT", []byte("hidden")), s.end)},
		{"palette-behind-the-pixels", pictureOf(indexed, s.pixels, palette, s.end)},
		{"two-palettes", pictureOf(indexed, palette, palette, s.pixels, s.end)},
		{"palette-of-7-bytes", pictureOf(indexed, chunk("PLTE", make([]byte, 7)), s.pixels, s.end)},
		{"palette-of-257-colours", pictureOf(indexed, chunk("PLTE", make([]byte, 3*257)), s.pixels, s.end)},
		{"transparency-before-the-palette", pictureOf(indexed, chunk("tRNS", []byte{0}), palette, s.pixels, s.end)},
		{"animated", pictureOf(s.head, chunk("acTL", []byte{0, 0, 0, 2, 0, 0, 0, 0}), s.pixels, s.end)},
		{"frames-without-a-count", pictureOf(s.head, s.pixels, chunk("fdAT", append([]byte{0, 0, 0, 1}, packed(t, grey(512, 512))...)), s.end)},
		{"unknown-critical-chunk", pictureOf(s.head, chunk("EVIL", []byte("x")), s.pixels, s.end)},
		{"of-an-xcode-build", pictureOf(chunk("CgBI", []byte{0x50, 0, 0x20, 2}), s.head, s.pixels, s.end)},
	}
}

func damagedChunks(t testing.TB) []bad {
	t.Helper()
	s := sound(t)
	flip := func(c []byte) []byte {
		c = bytes.Clone(c)
		c[len(c)-1] ^= 1
		return c
	}
	long := func(c []byte, length uint32) []byte {
		c = bytes.Clone(c)
		binary.BigEndian.PutUint32(c, length)
		return c
	}
	pixels := packed(t, grey(4, 4))
	sum := bytes.Clone(pixels)
	sum[len(sum)-1] ^= 1
	whole := pictureOf(s.head, s.pixels, s.end)
	return []bad{
		{"checksum-of-the-header", pictureOf(flip(s.head), s.pixels, s.end)},
		{"checksum-of-the-pixels", pictureOf(s.head, flip(s.pixels), s.end)},
		{"checksum-of-the-end", pictureOf(s.head, s.pixels, flip(s.end))},
		{"checksum-of-a-text", pictureOf(s.head, flip(chunk("tEXt", []byte("a\x00b"))), s.pixels, s.end)},
		{"checksum-inside-the-pixels", pictureOf(s.head, chunk("IDAT", sum), s.end)},
		{"length-beyond-the-file", pictureOf(s.head, long(s.pixels, 5_000), s.end)},
		{"length-of-2-to-the-31", pictureOf(s.head, long(s.pixels, 1<<31), s.end)},
		{"length-of-2-to-the-32-less-one", pictureOf(s.head, long(s.pixels, 1<<32-1), s.end)},
		{"length-too-short", pictureOf(s.head, long(s.pixels, 1), s.end)},
		{"chunk-without-a-name", pictureOf(s.head, chunk("\x00\x00\x00\x00", nil), s.pixels, s.end)},
		{"chunk-with-digits", pictureOf(s.head, chunk("tE1t", nil), s.pixels, s.end)},
		{"cut-in-the-pixels", whole[:len(whole)-20]},
		{"cut-in-the-end", whole[:len(whole)-3]},
		{"line-breaks-changed", bytes.Replace(whole, []byte("\r\n"), []byte("\n"), 1)},
		{"first-byte-stripped", append([]byte("\x09"), whole[1:]...)},
		{"pixels-not-compressed", pictureOf(s.head, chunk("IDAT", grey(4, 4)), s.end)},
		{"pixels-cut", pictureOf(s.head, chunk("IDAT", pixels[:len(pixels)-6]), s.end)},
		{"pixels-with-something-behind", pictureOf(s.head, chunk("IDAT", append(bytes.Clone(pixels), "hidden"...)), s.end)},
		{"pixels-with-a-dictionary", pictureOf(s.head, chunk("IDAT", []byte("\x78\xbb\x00\x00\x00\x01\x03\x00\x00\x00\x00\x01")), s.end)},
		{"no-pixel-at-all", pictureOf(s.head, chunk("IDAT", packed(t, nil)), s.end)},
		{"profile-damaged", pictureOf(s.head, chunk("iCCP", []byte("a\x00\x00hello")), s.pixels, s.end)},
		{"profile-without-a-name", pictureOf(s.head, chunk("iCCP", []byte("profile")), s.pixels, s.end)},
		{"text-damaged", pictureOf(s.head, chunk("zTXt", []byte("a\x00\x00hello")), s.pixels, s.end)},
		{"international-text-damaged", pictureOf(s.head, chunk("iTXt", []byte("a\x00\x01\x00en")), s.pixels, s.end)},
	}
}

// bombs unpack to far more than they are.
func bombs(t testing.TB) []bad {
	t.Helper()
	s := sound(t)
	bomb := packed(t, make([]byte, 45<<20))
	with := func(kind, before string, packed []byte) []byte { return chunk(kind, append([]byte(before), packed...)) }
	third := packed(t, make([]byte, 400<<10))
	return []bad{
		{"bomb-in-a-text", pictureOf(s.head, with("zTXt", "Comment\x00\x00", bomb), s.pixels, s.end)},
		{"bomb-in-an-international-text", pictureOf(s.head, with("iTXt", "Comment\x00\x01\x00en\x00Comment\x00", bomb), s.pixels, s.end)},
		{"bomb-in-a-profile", pictureOf(s.head, with("iCCP", "sRGB\x00\x00", bomb), s.pixels, s.end)},
		{"bomb-in-three-texts", pictureOf(s.head, with("zTXt", "a\x00\x00", third), with("zTXt", "b\x00\x00", third), with("zTXt", "c\x00\x00", third), s.pixels, s.end)},
		{"bomb-behind-the-pixels", pictureOf(s.head, s.pixels, with("zTXt", "a\x00\x00", bomb), s.end)},
		{"bomb-in-the-pixels", pictureOf(s.head, chunk("IDAT", bomb), s.end)},
		{"bomb-of-512-x-512", pictureOf(chunk("IHDR", header(512, 512, 8, 0, 0, 0, 0)), chunk("IDAT", bomb), s.end)},
		{"65-537-bytes", grown(t, 65_537)},
		{"noise", noisy(t, 200, 200)},
		{"2-mb", make([]byte, 2<<20)},
	}
}

// twoFilesInOne are images that are something else as well, and other things that call themselves images.
func twoFilesInOne(t testing.TB) []bad {
	t.Helper()
	s := sound(t)
	whole := pictureOf(s.head, s.pixels, s.end)
	html := "<!doctype html><script>alert(1)</script>"
	return []bad{
		{"and-zip", append(bytes.Clone(whole), zipped(t, "x")...)},
		{"and-html", append(bytes.Clone(whole), html...)},
		{"and-javascript", append(bytes.Clone(whole), "/*\n*/alert(1)//"...)},
		{"and-php", append(bytes.Clone(whole), "<?php system($_GET[0]);"...)},
		{"and-pdf", append([]byte("%PDF-1.7\n"), whole...)},
		{"behind-html", append([]byte(html), whole...)},
		{"and-png", append(bytes.Clone(whole), whole...)},
		{"and-one-byte", append(bytes.Clone(whole), 0)},
		{"is-gif", gifOf(t)},
		{"is-jpeg", []byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00")},
		{"is-webp", []byte("RIFF\x1a\x00\x00\x00WEBPVP8 ")},
		{"is-bmp", []byte("BM" + strings.Repeat("\x00", 60))},
		{"is-icon", []byte("\x00\x00\x01\x00\x01\x00")},
		{"is-mng", append([]byte("\x8aMNG\r\n\x1a\n"), whole[8:]...)},
		{"is-jng", append([]byte("\x8bJNG\r\n\x1a\n"), whole[8:]...)},
		{"is-svg-in-gzip", gzipped(t, `<svg xmlns="http://www.w3.org/2000/svg"/>`)},
	}
}
