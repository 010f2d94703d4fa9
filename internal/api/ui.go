package api

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"

	"pawl/actions/jsbox/harness"
	"pawl/internal/fault"
)

// noncePlaceholder in index.html becomes a fresh nonce with every answer, for the style elements that the UI's
// component library adds.
const noncePlaceholder = "__CSP_NONCE__"

// pages serves the single-page app: its files, and index.html for every other address that is not the API's.
type pages struct {
	files map[string]*file // by name; nil where there is no UI
	index []byte
}

func newPages(files fs.FS) (*pages, error) {
	if files == nil {
		return &pages{}, nil
	}
	index, err := fs.ReadFile(files, "index.html")
	if err != nil {
		return nil, fmt.Errorf("read the first page of the UI: %w", err)
	}
	p := &pages{make(map[string]*file), index}
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			p.files[name] = newFile(files, name)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the files of the UI: %w", err)
	}
	return p, nil
}

// takes says whether a request is for a page.
func (p *pages) takes(r *http.Request) bool { return routeMethod(r) == http.MethodGet && p.has(r.URL) }

// has says whether there is a page at an address. What looks like the API in any spelling never is one: it ends at the
// API's own router, which wants credentials.
func (p *pages) has(u *url.URL) bool {
	if p == nil || p.files == nil {
		return false
	}
	spelled := strings.ToLower(u.Path)
	if strings.ContainsAny(spelled, "\\;%\x00") || spelled != cleaned(spelled) {
		return false
	}
	for _, reserved := range []string{"/api", "/hooks", "/mcp", "/healthz", "/readyz", "/metrics", "/public"} {
		if strings.HasPrefix(spelled, reserved) {
			return false
		}
	}
	return true
}

// cleaned is the path without dots, doubled and trailing slashes.
func cleaned(p string) string { return path.Clean("/" + p) }

// ServeHTTP answers with the file, or else with the first page.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" || name == "index.html" {
		p.first(w)
		return
	}
	switch f := p.files[name]; {
	case name == "harness":
		harnessPage(w)
	case f != nil:
		f.ServeHTTP(w, r)
	case strings.HasPrefix(name, "assets/"):
		writeProblem(w, r, fault.New(fault.NotFound, "file", "There is no such file."))
	default:
		p.first(w)
	}
}

func (p *pages) first(w http.ResponseWriter) {
	nonce := rand.Text()
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"+nonce+"'; img-src 'self' data:; font-src 'self'; "+
		"connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(bytes.ReplaceAll(p.index, []byte(noncePlaceholder), []byte(nonce)))
}

// harnessPage answers with the document of the console's sandboxed iframe, in which the module of a draft runs
// (docs/sandbox.md). Only our own pages may hold it.
func harnessPage(w http.ResponseWriter) {
	w.Header().Set("Content-Security-Policy", harness.Policy()+"; frame-ancestors 'self'")
	w.Header().Set("X-Frame-Options", "SAMEORIGIN")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, harness.Page())
}
