package api_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"

	"pawl/internal/auth"
)

// text undoes the coding of an answer.
func (a answer) text(t *testing.T) string {
	t.Helper()
	var r io.Reader = strings.NewReader(a.body)
	switch a.header.Get("Content-Encoding") {
	case "gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		r = z
	case "br":
		r = brotli.NewReader(r)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestFilesComeCompressed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const immutable = "public, max-age=31536000, immutable"
	tests := []struct {
		name, path, accept string
		want               string // Content-Encoding, Vary, Cache-Control
	}{
		{name: "no wish", path: "/assets/app-2.js", want: "|Accept-Encoding|" + immutable},
		{name: "a browser", path: "/assets/app-2.js", accept: "gzip, deflate, br, zstd", want: "br|Accept-Encoding|" + immutable},
		{name: "gzip alone", path: "/assets/app-2.js", accept: "gzip", want: "gzip|Accept-Encoding|" + immutable},
		{name: "gzip rather", path: "/assets/app-2.js", accept: "br;q=0.5, GZIP;Q=0.8", want: "gzip|Accept-Encoding|" + immutable},
		{name: "anything", path: "/assets/app-2.js", accept: "*", want: "br|Accept-Encoding|" + immutable},
		{name: "anything but", path: "/assets/app-2.js", accept: "br;q=0, *", want: "gzip|Accept-Encoding|" + immutable},
		{name: "nothing", path: "/assets/app-2.js", accept: "gzip;q=0, br;q=0", want: "|Accept-Encoding|" + immutable},
		{name: "rather plain", path: "/assets/app-2.js", accept: "gzip;q=0.5, identity", want: "|Accept-Encoding|" + immutable},
		{name: "no weight", path: "/assets/app-2.js", accept: "gzip;q=much", want: "|Accept-Encoding|" + immutable},
		{name: "too short to gain", path: "/assets/app-1.js", accept: "br", want: "|Accept-Encoding|" + immutable},
		{name: "compressed already", path: "/assets/font.woff2", accept: "br", want: "||" + immutable},
		{name: "without a hash in its name", path: "/pawl.svg", accept: "gzip", want: "gzip|Accept-Encoding|no-cache"},
	}
	tags := map[string]string{} // the form of each ETag
	for _, tt := range tests {
		a := s.call("", "GET", tt.path, "", "Accept-Encoding", tt.accept)
		got := strings.Join([]string{a.header.Get("Content-Encoding"), a.header.Get("Vary"), a.header.Get("Cache-Control")}, "|")
		if a.status != 200 || got != tt.want || a.header.Get("Content-Length") != strconv.Itoa(len(a.body)) {
			t.Errorf("%s: %d %q, %s bytes, want %q and %d", tt.name, a.status, got, a.header.Get("Content-Length"), tt.want, len(a.body))
		}
		if want := string(uiFiles()[strings.TrimPrefix(tt.path, "/")].Data); a.text(t) != want {
			t.Errorf("%s: another text", tt.name)
		}
		tag := a.header.Get("ETag")
		if form := tt.path + a.header.Get("Content-Encoding"); len(tag) < 10 || (tags[tag] != "" && tags[tag] != form && tt.path != "/assets/font.woff2") {
			t.Errorf("%s: the ETag %s is that of %s too", tt.name, tag, tags[tag])
		} else {
			tags[tag] = form
		}
		again := s.call("", "GET", tt.path, "", "Accept-Encoding", tt.accept, "If-None-Match", tag)
		if again.status != 304 || again.body != "" || again.header.Get("ETag") != tag || again.header.Get("Vary") != a.header.Get("Vary") || again.header.Get("Cache-Control") != a.header.Get("Cache-Control") {
			t.Errorf("%s, again: %d %v", tt.name, again.status, again.header)
		}
		head := s.call("", "HEAD", tt.path, "", "Accept-Encoding", tt.accept)
		for _, h := range []http.Header{a.header, head.header} {
			h.Del("Date")
			h.Del("X-Request-Id")
		}
		if diff := cmp.Diff(a.header, head.header); diff != "" || head.status != 200 || head.body != "" {
			t.Errorf("%s: HEAD %d differs from GET: %s", tt.name, head.status, diff)
		}
	}
}

func TestAnswersComeCompressed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", `{"id":"a","type":"set","value":"`+strings.Repeat("order ", 1000)+`"}`)
	for range 10 {
		s.started("orders", "")
	}
	ended := s.started("orders", "")
	s.exec(`update run set state = 'succeeded', started_at = created_at, finished_at = clock_timestamp(), output = '{}' where id = $1`, ended)
	tests := []struct {
		name, method, path, body string
		accept                   string
		status                   int
		want                     string // Content-Encoding
	}{
		{name: "list", method: "GET", path: project + "/runs", accept: "gzip", status: 200, want: "gzip"},
		{name: "list for a browser", method: "GET", path: project + "/runs", accept: "gzip, deflate, br, zstd", status: 200, want: "gzip"},
		{name: "list, plain", method: "GET", path: project + "/runs", accept: "br", status: 200},
		{name: "description of the API", method: "GET", path: root + "/openapi.json", accept: "gzip", status: 200, want: "gzip"},
		{name: "metrics", method: "GET", path: "/metrics", accept: "gzip", status: 200, want: "gzip"},
		{name: "problem", method: "POST", path: project + "/automations/apply", body: `{"items":[` + strings.Repeat(`{"name":1},`, 100) + `1]}`, accept: "gzip", status: 422, want: "gzip"},
		{name: "short", method: "GET", path: root + "/me/keys", accept: "gzip", status: 200},
		{name: "document with an ETag", method: "GET", path: project + "/automations/orders", accept: "gzip", status: 200},
		{name: "no body", method: "DELETE", path: root + "/session", accept: "gzip", status: 204},
		{name: "events", method: "GET", path: project + "/runs/" + ended.String() + "/events", accept: "gzip", status: 200},
		{name: "refused", method: "GET", path: root + "/nothing", accept: "gzip", status: 404},
	}
	for _, tt := range tests {
		a := s.call(s.admin, tt.method, tt.path, tt.body, "Accept-Encoding", tt.accept)
		if got := a.header.Get("Content-Encoding"); a.status != tt.status || got != tt.want {
			t.Errorf("%s: %d, coded %q, want %d and %q", tt.name, a.status, got, tt.status, tt.want)
		}
		identity := s.call(s.admin, tt.method, tt.path, tt.body)
		texts := a.text(t)
		if tt.name != "metrics" && tt.status == 200 && texts != identity.text(t) {
			t.Errorf("%s: another text", tt.name)
		}
		compressible := strings.Contains(a.header.Get("Content-Type"), "json") && a.header.Get("ETag") == ""
		if got := slices.Contains(a.header.Values("Vary"), "Accept-Encoding"); compressible && !got || strings.Contains(a.header.Get("Content-Type"), "event-stream") && got {
			t.Errorf("%s: Vary is %q", tt.name, a.header.Values("Vary"))
		}
	}
	if a := s.call(s.key(auth.Viewer, auth.LiveKey), "GET", project+"/runs", "", "Accept-Encoding", "gzip"); !strings.Contains(a.text(t), `"items"`) {
		t.Errorf("%q", a.body)
	}
}
