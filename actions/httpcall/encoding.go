package httpcall

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// tooLargeError says that a body is larger than its bound.
type tooLargeError struct{ limit int64 }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("the body is larger than %d bytes", e.limit)
}

// codingError says that a content coding is unknown or its bytes are broken.
type codingError struct {
	name  string
	cause error
}

func (e *codingError) Error() string { return fmt.Sprintf("content coding %s: %v", e.name, e.cause) }
func (e *codingError) Unwrap() error { return e.cause }

// decoders keeps decompressors, which are large, for the next answer.
type decoders struct{ gzip, brotli, zstd sync.Pool }

func newDecoders() *decoders { return &decoders{} }

// read gives the body without its content codings (RFC 9110, section 8.4), at most limit bytes, both as received
// and as decoded. Beyond it the error is a *tooLargeError; what was read until an error is given as well.
func (d *decoders) read(resp *http.Response, limit int64) ([]byte, error) {
	codings, err := codingsOf(resp.Header["Content-Encoding"])
	if err != nil {
		return nil, err
	}
	if len(codings) == 0 && resp.ContentLength > limit {
		head, _ := readAtMost(resp.Body, maxExcerptBytes, -1)
		return head, &tooLargeError{limit}
	}
	wire := &counted{from: resp.Body, left: limit + 1, limit: limit}
	if len(codings) == 0 {
		return readAtMost(resp.Body, limit, resp.ContentLength)
	}
	var from io.Reader = bufio.NewReader(wire)
	for i := len(codings) - 1; i >= 0; i-- {
		decoder, done, err := d.open(codings[i], from)
		if err != nil {
			return nil, wire.explain(codings[i], err)
		}
		defer done()
		from = decoder
	}
	body, err := readAtMost(from, limit, -1)
	if err == nil {
		_, err = io.Copy(io.Discard, wire) // what follows the compressed bytes, so that the connection can be kept
		return body, err
	}
	return body, wire.explain(strings.Join(codings, ", "), err)
}

// codingsOf gives the codings in the order in which they were applied, identity left out.
func codingsOf(fields []string) ([]string, error) {
	var codings []string
	for _, name := range strings.Split(strings.ToLower(strings.Join(fields, ",")), ",") {
		switch name = strings.TrimSpace(name); name {
		case "", "identity":
		case "gzip", "x-gzip", "br", "zstd":
			codings = append(codings, strings.TrimPrefix(name, "x-"))
		default:
			return nil, &codingError{name, fmt.Errorf("it was not asked for")}
		}
	}
	if len(codings) > maxEncodings {
		return nil, &codingError{strings.Join(codings, ", "), fmt.Errorf("there are too many")}
	}
	return codings, nil
}

// open gives a reader that decodes, and what puts its decoder back.
func (d *decoders) open(coding string, from io.Reader) (io.Reader, func(), error) {
	switch coding {
	case "gzip":
		r, ok := d.gzip.Get().(*gzip.Reader)
		if !ok {
			r = new(gzip.Reader)
		}
		if err := r.Reset(from); err != nil {
			return nil, nil, err
		}
		return r, func() { d.gzip.Put(r) }, nil
	case "br":
		r, ok := d.brotli.Get().(*brotli.Reader)
		if !ok {
			r = brotli.NewReader(nil)
		}
		if err := r.Reset(from); err != nil {
			return nil, nil, err
		}
		return r, func() { d.brotli.Put(r) }, nil
	}
	return d.openZstd(from)
}

func (d *decoders) openZstd(from io.Reader) (io.Reader, func(), error) {
	r, ok := d.zstd.Get().(*zstd.Decoder)
	if !ok {
		var err error
		// With a concurrency of 1 a decoder has no goroutine, so one that the pool drops leaves nothing behind.
		r, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxZstdWindow), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, nil, err
		}
	}
	if err := r.Reset(from); err != nil {
		return nil, nil, err
	}
	return r, func() {
		_ = r.Reset(nil) // lets go of the answer; it can't fail
		d.zstd.Put(r)
	}, nil
}

// counted is the body as received: it ends with an error beyond its bound, and remembers how the connection
// failed, so that a broken connection isn't taken for broken compression.
type counted struct {
	from  io.Reader
	left  int64
	limit int64
	err   error
}

func (c *counted) Read(p []byte) (int, error) {
	if c.left <= 0 {
		c.err = &tooLargeError{c.limit}
		return 0, c.err
	}
	n, err := c.from.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

func (c *counted) explain(coding string, err error) error {
	if c.err != nil {
		return c.err
	}
	var tooLarge *tooLargeError
	if errors.As(err, &tooLarge) {
		return err
	}
	return &codingError{coding, err}
}

// readAtMost reads to the end, or fails with a *tooLargeError after limit bytes. size is what the answer
// announced, -1 = nothing; it only saves copying.
func readAtMost(from io.Reader, limit, size int64) ([]byte, error) {
	var buf bytes.Buffer
	if size >= 0 && size <= limit {
		buf.Grow(int(min(size, 1<<20)) + bytes.MinRead) // an announcement alone takes no more than a megabyte
	}
	_, err := buf.ReadFrom(io.LimitReader(from, limit+1))
	if err == nil && int64(buf.Len()) > limit {
		buf.Truncate(int(limit))
		err = &tooLargeError{limit}
	}
	return buf.Bytes(), err
}
