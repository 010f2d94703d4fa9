package api

import (
	"net/http"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// compressor compresses the answers of the API for clients that ask for it: those that are texts, long enough to gain by
// it and without an ETag, which names one form of an answer (RFC 9110, section 8.8.3) and would have to differ.
//
// An answer that is compressed gives its length away, which can tell a secret to somebody who makes another's browser
// ask for answers that hold both (BREACH). The session cookie is SameSite=Lax, so no other site can.
type compressor struct{ writers sync.Pool }

func newCompressor() *compressor {
	return &compressor{sync.Pool{New: func() any {
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one of the package's
		return w
	}}}
}

// wrap compresses what a handler answers.
func (c *compressor) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		z := &compressing{ResponseWriter: w, c: c, wanted: codingFor(r, zipped)}
		next.ServeHTTP(z, r)
		z.end()
	})
}

// compressing is an answer that may become a compressed one. Its head waits for the first bytes, which tell how long it is:
// the handlers of the API write an answer in one piece.
type compressing struct {
	http.ResponseWriter
	c      *compressor
	wanted coding
	status int // of a head that waits, 0 for none
	sent   bool
	zip    *gzip.Writer
}

// WriteHeader sends the head, or keeps it until there are bytes.
func (z *compressing) WriteHeader(status int) {
	switch {
	case z.status != 0: // the head is made already, and waits
	case z.sent || status < http.StatusOK:
		z.ResponseWriter.WriteHeader(status)
	case z.candidate():
		z.Header().Add("Vary", "Accept-Encoding")
		z.status = status
	default:
		z.sent = true
		z.ResponseWriter.WriteHeader(status)
	}
}

func (z *compressing) candidate() bool {
	h := z.Header()
	return compressible(h.Get("Content-Type")) && h.Get("ETag") == "" && h.Get("Content-Encoding") == ""
}

// Write sends bytes, compressed where the first ones were many enough.
func (z *compressing) Write(b []byte) (int, error) {
	if !z.sent && z.status == 0 {
		z.WriteHeader(http.StatusOK)
	}
	if z.status != 0 && z.wanted == zipped && len(b) >= leastCompressed {
		z.begin()
	}
	z.release()
	if z.zip != nil {
		return z.zip.Write(b)
	}
	return z.ResponseWriter.Write(b)
}

func (z *compressing) begin() {
	z.Header().Set("Content-Encoding", string(zipped))
	z.Header().Del("Content-Length")
	z.zip, _ = z.c.writers.Get().(*gzip.Writer)
	z.zip.Reset(z.ResponseWriter)
}

// release sends a head that waits.
func (z *compressing) release() {
	if z.status != 0 {
		status := z.status
		z.sent, z.status = true, 0
		z.ResponseWriter.WriteHeader(status)
	}
}

// end sends what is left. It is not called when a handler panics: the answer breaks off then.
func (z *compressing) end() {
	z.release()
	if z.zip != nil {
		_ = z.zip.Close() // the client is gone when this fails
		z.c.writers.Put(z.zip)
	}
}

// Unwrap lets http.ResponseController find the connection.
func (z *compressing) Unwrap() http.ResponseWriter { return z.ResponseWriter }
