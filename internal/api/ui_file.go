package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	br "github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
)

// file is a file of the UI. Its forms are made when they are first asked for, and kept: the files are few, and never change.
type file struct {
	media string
	cache string // Cache-Control
	forms map[coding]func() (form, error)
}

// form is a file in one coding.
type form struct {
	coding coding
	etag   string
	body   []byte
}

func newFile(files fs.FS, name string) *file {
	f := &file{media: mime.TypeByExtension(path.Ext(name)), cache: "no-cache", forms: make(map[coding]func() (form, error))}
	if f.media == "" {
		f.media = "application/octet-stream"
	}
	if strings.HasPrefix(name, "assets/") { // their names hold a hash of their content
		f.cache = "public, max-age=31536000, immutable"
	}
	f.forms[plain] = sync.OnceValues(func() (form, error) {
		b, err := fs.ReadFile(files, name)
		sum := sha256.Sum256(b)
		return form{plain, hex.EncodeToString(sum[:16]), b}, err
	})
	if compressible(f.media) {
		f.forms[brotli] = f.smaller(brotli, func(w io.Writer) io.WriteCloser { return br.NewWriterLevel(w, brotliLevel) })
		f.forms[zipped] = f.smaller(zipped, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	}
	return f
}

// smaller makes the form in a coding once; the plain one where the coding gains nothing.
func (f *file) smaller(c coding, writer func(io.Writer) io.WriteCloser) func() (form, error) {
	return sync.OnceValues(func() (form, error) {
		p, err := f.forms[plain]()
		if err != nil {
			return p, err
		}
		var b bytes.Buffer
		w := writer(&b)
		if _, err := w.Write(p.body); err != nil {
			return p, fmt.Errorf("compress: %w", err)
		}
		if err := w.Close(); err != nil || b.Len() >= len(p.body) {
			return p, err
		}
		return form{c, p.etag + "-" + string(c), b.Bytes()}, nil
	})
}

// ServeHTTP answers with the form that the client wants most, or with 304 where it has that form.
func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := plain
	if len(f.forms) > 1 {
		w.Header().Add("Vary", "Accept-Encoding")
		c = codingFor(r, brotli, zipped)
	}
	form, err := f.forms[c]()
	if err != nil {
		writeProblem(w, r, fmt.Errorf("read a file of the UI: %w", err))
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.media)
	h.Set("Cache-Control", f.cache)
	h.Set("ETag", `"`+form.etag+`"`)
	if form.coding != plain {
		h.Set("Content-Encoding", string(form.coding))
		h.Set("Content-Length", strconv.Itoa(len(form.body))) // ServeContent leaves it out then
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(form.body))
}
