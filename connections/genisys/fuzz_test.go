package genisys_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pawl/connections/genisys"
)

// FuzzDecode holds the decoder to what it promises for any bytes: a plugin or problems, each with a kind and a
// sentence; and a plugin survives export with the same digest.
func FuzzDecode(f *testing.F) {
	for _, file := range []string{shopFile, legacyFile, connectionFile} {
		data := read(f, file)
		f.Add(data)
		f.Add(data[:len(data)/3])
		f.Add(bytes.ReplaceAll(data, []byte(`"`), []byte(`'`)))
	}
	f.Add([]byte(`{"format":"genisys-plugin@1","manifest":{"id":"ab","name":"n","version":"0.0.0"},"code":"x"}`))
	f.Add([]byte(`{"format":"genisys-plugin@1","manifest":{"id":"ab","name":"n","version":"0.0.0","app":{"baseUrl":"https://a.b","auth":"bearer","actions":[{"id":"ab","name":"n","method":"PUT","path":"/{$a}/{b}.x","inputs":[{"id":"$a","label":"l","in":"path","required":true}]}]}},"code":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, problems := genisys.Decode(data)
		if (p == nil) == (len(problems) == 0) {
			t.Fatalf("Decode = %v, %v", p, problems)
		}
		for _, e := range problems {
			if e.Kind == "" || e.Reason == "" || e.Message == "" || len(e.Message) > 2_000 {
				t.Fatalf("problem %+v", e)
			}
		}
		if p == nil {
			return
		}
		out, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, problems := genisys.Decode(out)
		if len(problems) > 0 || again.Digest() != p.Digest() {
			t.Fatalf("the export of %q is refused or another: %v", data, problems)
		}
	})
}

// minimal gives a small plugin with a base URL and a path, each any text.
func minimal(baseURL, template string) []byte {
	field := regexp.MustCompile(`\{([^{}]*)\}`)
	var inputs []map[string]any
	seen := make(map[string]bool)
	for _, m := range field.FindAllStringSubmatch(template, -1) {
		if !seen[m[1]] {
			inputs = append(inputs, map[string]any{"id": m[1], "label": "x", "in": "path", "required": true})
		}
		seen[m[1]] = true
	}
	data, _ := json.Marshal(map[string]any{"format": genisys.Format, "code": "x", "manifest": map[string]any{
		"id": "shop", "name": "Shop", "version": "1.0.0", "app": map[string]any{"baseUrl": baseURL, "auth": "bearer", "actions": []any{
			map[string]any{"id": "act", "name": "Act", "method": "GET", "path": template, "inputs": inputs},
		}},
	}})
	return data
}

// FuzzPath holds that an accepted template stays below its origin, whatever a URL parser makes of it.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"/items/{id}", "/a/../b", "/%2e%2e/", "/a?b", "//x", `/\x`, "/..;/a", "/a%252fb", "/{a}.{b}", "/x#y", "/@x:80", "/;", "/a/", "/{a}{b}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, template string) {
		if !utf8.ValidString(template) {
			return
		}
		p, _ := genisys.Decode(minimal("https://api.example.com", template))
		if p == nil {
			return
		}
		filled := regexp.MustCompile(`\{[^{}]*\}`).ReplaceAllString(p.Manifest.App.Actions[0].Path, "x")
		u, err := url.Parse(p.Manifest.App.Origin + filled)
		if err != nil || u.Host != "api.example.com" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.EscapedPath() != filled {
			t.Fatalf("%q is read as %#v, %v", filled, u, err)
		}
		if clean := path.Clean(u.Path); clean != u.Path && clean+"/" != u.Path {
			t.Fatalf("%q leads to %q", filled, clean)
		}
	})
}

// FuzzBaseURL holds that an accepted base URL is an origin of a name, whatever a URL parser makes of it.
func FuzzBaseURL(f *testing.F) {
	for _, s := range []string{"https://api.example.com", "https://bücher.example/", "https://127.1", "https://a.b:443", "https://[::1]", "https://①.example", "https://a@b.c", "https://a。b", "https://xn--a.b", "https://a.0x1", "https://ß.de"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, baseURL string) {
		if !utf8.ValidString(baseURL) {
			return
		}
		p, _ := genisys.Decode(minimal(baseURL, "/x"))
		if p == nil {
			return
		}
		origin := p.Manifest.App.Origin
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "https" || u.Host != u.Hostname() || u.User != nil || "https://"+u.Host != origin {
			t.Fatalf("%q is read as %#v, %v", origin, u, err)
		}
		if _, err := netip.ParseAddr(u.Host); err == nil || !strings.Contains(u.Host, ".") || strings.ToLower(u.Host) != u.Host {
			t.Fatalf("%q gives the host %q", baseURL, u.Host)
		}
		if again, problems := genisys.Decode(minimal(origin, "/x")); again == nil || again.Manifest.App.Origin != origin {
			t.Fatalf("the origin %q of %q is refused or another: %v", origin, baseURL, problems)
		}
	})
}

// FuzzLogo holds that an accepted logo is one image of the promised size, which any decoder reads to its last byte.
func FuzzLogo(f *testing.F) {
	for _, b := range [][]byte{pngOf(f, 4, 4), noisy(f, 8, 8), grown(f, 400)} {
		f.Add(b)
	}
	for _, list := range [][]bad{headersThatLie(f), chunksOutOfOrder(f), damagedChunks(f), twoFilesInOne(f)} {
		for _, b := range list {
			f.Add(b.data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, _ := genisys.Decode(withLogo(t, data))
		if p == nil {
			return
		}
		rest := bytes.NewReader(p.Manifest.App.LogoPNG())
		picture, err := png.Decode(rest)
		if err != nil || rest.Len() > 0 || picture.Bounds().Dx() > genisys.MaxLogoSide || picture.Bounds().Dy() > genisys.MaxLogoSide {
			t.Fatalf("%q is accepted and decodes to %v, %v, with %d bytes left", data, picture, err, rest.Len())
		}
	})
}
