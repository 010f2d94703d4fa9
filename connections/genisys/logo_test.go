package genisys_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"math/rand/v2"
	"strconv"
	"testing"

	"pawl/connections/genisys"
)

func pngOf(t testing.TB, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// noisy is a PNG that does not compress: its size grows with its pixels.
func noisy(t testing.TB, width, height int) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		v := random.Uint32()
		picture.Set(i%width, i/width, color.NRGBA{uint8(v), uint8(v >> 8), uint8(v >> 16), 0xff})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// grown is a PNG of exactly size bytes: an ancillary chunk before its end fills it up.
func grown(t testing.TB, size int) []byte {
	t.Helper()
	data := pngOf(t, 8, 8)
	end := len(data) - 12
	chunk := append([]byte("puFf"), make([]byte, size-len(data)-12)...)
	out := binary.BigEndian.AppendUint32(append([]byte(nil), data[:end]...), uint32(len(chunk)-4))
	out = binary.BigEndian.AppendUint32(append(out, chunk...), crc32.ChecksumIEEE(chunk))
	return append(out, data[end:]...)
}

// claiming is a small PNG whose header claims other measures.
func claiming(t testing.TB, width, height uint32) []byte {
	t.Helper()
	data := pngOf(t, 1, 1)
	binary.BigEndian.PutUint32(data[16:], width)
	binary.BigEndian.PutUint32(data[20:], height)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

func gifOf(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gif.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 4, 4)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestLogoRules(t *testing.T) {
	t.Parallel()
	const scheme = "data:image/png;base64,"
	const at = app + "/logo"
	raw := func(name, value string, want ...string) refusal { return one(name, at, strconv.Quote(value), want...) }
	of := func(name string, data []byte, want ...string) refusal {
		return raw(name, scheme+base64.StdEncoding.EncodeToString(data), want...)
	}
	small := pngOf(t, 16, 16)
	text := base64.StdEncoding.EncodeToString(small)
	flipped := append([]byte(nil), small...)
	flipped[len(flipped)-14] ^= 1 // in the checksum of the pixels
	checkRefusals(t, shopFile, []refusal{
		of("small", small),
		of("largest side", pngOf(t, 512, 512)),
		of("too wide", pngOf(t, 513, 1), at+" pixels"),
		of("too high", pngOf(t, 1, 513), at+" pixels"),
		of("65,536 bytes", grown(t, 65_536)),
		of("65,537 bytes", grown(t, 65_537), at+" bytes"),
		of("noise of 200 x 200", noisy(t, 200, 200), at+" bytes"),
		of("claims a billion pixels", claiming(t, 1<<30, 1), at+" pixels"),
		of("claims more pixels than it has", claiming(t, 512, 512), at+" png"),
		of("no width", claiming(t, 0, 1), at+" png"),
		of("GIF", gifOf(t), at+" png"),
		of("SVG in disguise", []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), at+" png"),
		of("cut off", small[:len(small)-20], at+" png"),
		of("without its end", small[:len(small)-12], at+" png"),
		of("damaged", flipped, at+" png"),
		of("something behind it", append(append([]byte(nil), small...), "<script>"...), at+" png"),
		raw("empty", ""),
		raw("nothing in it", scheme, at+" png"),
		raw("remote", "https://cdn.example.com/logo.png", at+" logo"),
		raw("SVG", "data:image/svg+xml;base64,PHN2Zy8+", at+" logo"),
		raw("JPEG", "data:image/jpeg;base64,/9j/", at+" logo"),
		raw("capitals", "DATA:image/png;base64,"+text, at+" logo"),
		raw("a parameter", "data:image/png;charset=utf-8;base64,"+text, at+" logo"),
		raw("not base64", scheme+"!!!!", at+" base64"),
		raw("URL alphabet", scheme+"_-_-", at+" base64"),
		raw("no padding", scheme+"iVBORw", at+" base64"),
		raw("bits in the padding", scheme+"iVBORx==", at+" base64"),
		raw("line break", scheme+text[:8]+"\n"+text[8:], at+" base64"),
		raw("white space at the end", scheme+text+" ", at+" base64"),
		one("a list", at, `[]`, at+" type"),
		one("null", at, `null`, at+" type"),
	})
}

func TestLogoIsTooLargeInKind(t *testing.T) {
	t.Parallel()
	data := edit(t, read(t, shopFile), change{app + "/logo", strconv.Quote("data:image/png;base64," + base64.StdEncoding.EncodeToString(grown(t, 65_537)))})
	if _, problems := genisys.Decode(data); len(problems) != 1 || problems[0].Kind != "too_large" {
		t.Errorf("problems %v; want one too_large", problems)
	}
}
