package genisys

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"

	"pawl/internal/fault"
)

// pngSignature begins every PNG image (PNG, third edition, section 5.2).
const pngSignature = "\x89PNG\r\n\x1a\n"

// chunkFrame is the length of what surrounds a chunk's data: its length, its type and its checksum.
const chunkFrame = 12

// chunks walks a PNG image from its first byte to its last. It refuses what decoders pass over and what could hide
// something: chunks out of their order or with a wrong checksum, parts that only an animation has, critical chunks that
// no standard knows, compressed metadata and pixels that unpack to far more than they should, bytes behind the end.
func chunks(data []byte) *fault.Error {
	w := chunkWalk{left: maxLogoUnpacked}
	rest := data[len(pngSignature):]
	for len(rest) > 0 {
		if w.before == "IEND" {
			return broken("%d bytes follow the end of the PNG image", len(rest))
		}
		size, kind, e := frame(rest)
		if e != nil {
			return e
		}
		if e := w.chunk(kind, rest[8:8+size]); e != nil {
			return e
		}
		rest, w.before = rest[chunkFrame+size:], kind
	}
	if w.before != "IEND" {
		return broken("the PNG image has no end")
	}
	return w.unpackPixels()
}

// frame reads the frame of the chunk at the start of rest.
func frame(rest []byte) (size int, kind string, e *fault.Error) {
	if len(rest) < chunkFrame {
		return 0, "", broken("the PNG image is cut off")
	}
	length, kind := binary.BigEndian.Uint32(rest), string(rest[4:8])
	for _, c := range []byte(kind) {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return 0, "", broken("the PNG image has a chunk without a name")
		}
	}
	if int64(length) > int64(len(rest)-chunkFrame) {
		return 0, "", broken("the chunk %s of the PNG image claims %d bytes and is cut off", kind, length)
	}
	size = int(length)
	if crc32.ChecksumIEEE(rest[4:8+size]) != binary.BigEndian.Uint32(rest[8+size:]) {
		return 0, "", broken("the checksum of the PNG image's chunk %s is wrong", kind)
	}
	return size, kind, nil
}

// chunkWalk is what has been seen so far.
type chunkWalk struct {
	before string // the type of the chunk before, empty at the start
	pixels []byte // the compressed pixels
	ended  bool   // whether a chunk came behind the pixels
	left   int64  // how much metadata may still unpack to, in bytes
}

func (w *chunkWalk) chunk(kind string, data []byte) *fault.Error {
	if (kind == "IHDR") != (w.before == "") {
		return broken("the PNG image does not begin with its one header")
	}
	w.ended = w.ended || len(w.pixels) > 0 && kind != "IDAT"
	switch kind {
	case "IHDR", "PLTE":
	case "IDAT":
		if w.ended {
			return broken("the pixels of the PNG image do not stand together")
		}
		w.pixels = append(w.pixels, data...)
	case "IEND":
		if len(data) > 0 {
			return broken("the end of the PNG image holds data")
		}
	case "acTL", "fcTL", "fdAT":
		return fault.New(fault.InvalidInput, "animated", "The logo is animated; export a still image.")
	case "iCCP", "zTXt", "iTXt":
		return w.unpackMetadata(kind, data)
	default:
		if kind[0]&0x20 == 0 {
			return broken("the PNG image needs a chunk %s, which no standard knows", kind)
		}
	}
	return nil
}

// unpackMetadata unpacks what is compressed in a colour profile or a text, and throws it away.
func (w *chunkWalk) unpackMetadata(kind string, data []byte) *fault.Error {
	_, packed, ok := bytes.Cut(data, []byte{0})
	switch {
	case kind == "iTXt" && ok && len(packed) >= 2 && packed[0] == 0:
		return nil // not compressed
	case kind == "iTXt" && ok && len(packed) >= 2:
		_, packed, _ = bytes.Cut(packed[2:], []byte{0})
		_, packed, ok = bytes.Cut(packed, []byte{0})
	case ok && len(packed) > 0:
		packed = packed[1:]
	}
	if !ok {
		return broken("the chunk %s of the PNG image is damaged", kind)
	}
	n, _, err := unpack(packed, w.left)
	if w.left -= n; w.left < 0 {
		return fault.New(fault.TooLarge, "unpacked", "The metadata of the logo unpacks to more than %d bytes; export it without metadata.", maxLogoUnpacked)
	}
	if err != nil {
		return broken("the chunk %s of the PNG image is damaged", kind)
	}
	return nil
}

// unpackPixels proves that the pixels are one stream, all of it, that does not unpack to more than the largest logo has.
func (w *chunkWalk) unpackPixels() *fault.Error {
	n, behind, err := unpack(w.pixels, maxLogoPixels)
	switch {
	case n > maxLogoPixels:
		return fault.New(fault.TooLarge, "unpacked", "The pixels of the logo unpack to more than %d bytes; export it again.", maxLogoPixels)
	case err != nil:
		return broken("the pixels of the PNG image are damaged")
	case behind > 0:
		return broken("%d bytes follow the pixels of the PNG image", behind)
	}
	return nil
}

// unpack counts what a zlib stream unpacks to, up to one byte more than most, and how many bytes stand behind it.
func unpack(packed []byte, most int64) (n int64, behind int, err error) {
	from := bytes.NewReader(packed)
	z, err := zlib.NewReader(from)
	if err != nil {
		return 0, 0, err
	}
	n, err = io.Copy(io.Discard, io.LimitReader(z, most+1))
	return n, from.Len(), err
}

func broken(format string, args ...any) *fault.Error {
	return fault.New(fault.InvalidInput, "png", "The logo is damaged: "+format+"; export it again.", args...)
}
