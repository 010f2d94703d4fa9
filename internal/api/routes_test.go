package api_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"pawl/internal/api"
	"pawl/internal/auth"
)

var parameter = regexp.MustCompile(`\{[a-z]+\}`)

// filled gives the path of a route with something in the place of its parameters.
func filled(path string) string {
	path = strings.Replace(path, "{project}", "default", 1)
	path = strings.Replace(path, "/runs/{id}", "/runs/0198b6a0-0000-7000-8000-000000000000", 1)
	path = strings.Replace(path, "/keys/{id}", "/keys/0198b6a0-0000-7000-8000-000000000000", 1)
	path = strings.Replace(path, "{digest}", strings.Repeat("a", 64), 1)
	path = strings.Replace(path, "{version}", "1", 1)
	return parameter.ReplaceAllString(path, "x")
}

func public() []string {
	var list []string
	for _, r := range api.Routes() {
		if r.Needs == auth.Public {
			list = append(list, r.Path)
		}
	}
	return list
}

// TestC151NothingWithoutCredentials walks the router: whatever is spelled around a route, without credentials it
// gives 401 or 404 unless it is exactly one of the public ones.
func TestC151NothingWithoutCredentials(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	open := map[string]bool{}
	for _, r := range api.Routes() {
		if r.Needs == auth.Public {
			open[r.Method+" "+r.Path] = true
			open[strings.Replace(r.Method, http.MethodGet, http.MethodHead, 1)+" "+r.Path] = true
		}
	}
	for _, r := range api.Routes() {
		path := filled(r.Path)
		spellings := []string{path, "/" + path, "/public/.." + path, strings.ToUpper(path), path + ".", path + "/", path + "//", path + "%20", path + ";", "/." + path, path + "/.", "/x/.." + path}
		for _, p := range public() {
			for _, join := range []string{"", "/", ";", "?", "%2f", "%2F", "#", "%00", "/..", "/../.."} {
				spellings = append(spellings, path+join+p)
			}
		}
		for _, p := range spellings {
			for _, method := range []string{r.Method, http.MethodHead, http.MethodOptions} {
				if open[method+" "+pathOnly(p)] {
					continue
				}
				a := s.raw(method, p, "X-HTTP-Method-Override", "GET")
				if a.status != http.StatusUnauthorized && a.status != http.StatusNotFound {
					t.Errorf("%s %s without credentials: %d", method, p, a.status)
				}
			}
		}
	}
}

// pathOnly cuts what a client keeps to itself or sends as a query.
func pathOnly(p string) string {
	p, _, _ = strings.Cut(p, "#")
	p, _, _ = strings.Cut(p, "?")
	return p
}

// raw sends a path as it is spelled.
func (s *site) raw(method, path string, headers ...string) answer {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	path, _, _ = strings.Cut(path, "#")
	opaque, query, _ := strings.Cut(path, "?")
	req.URL = &url.URL{Scheme: "http", Host: req.URL.Host, Opaque: opaque, RawQuery: query}
	if strings.HasPrefix(opaque, "//") {
		req.URL.Opaque = "//" + req.URL.Host + opaque
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return s.do(req)
}

// TestEveryRouteNamesAPermission keeps the table whole.
func TestEveryRouteNamesAPermission(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range api.Routes() {
		if r.Needs == "" || r.ID == "" || r.Summary == "" {
			t.Errorf("%s %s lacks a permission, an id or a summary", r.Method, r.Path)
		}
		if seen[r.ID] {
			t.Errorf("the id %q stands twice", r.ID)
		}
		seen[r.ID] = true
		if r.Needs == auth.Public && strings.Contains(r.Path, "{") {
			t.Errorf("%s is public and has a parameter", r.Path)
		}
	}
}

// TestRolesMayWhatTheTableSays walks all routes with a key of each role.
func TestRolesMayWhatTheTableSays(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, role := range []auth.Role{auth.Viewer, auth.Builder, auth.Operator, auth.Developer, auth.Admin} {
		key := s.key(role, auth.LiveKey)
		for _, r := range api.Routes() {
			if r.Needs == auth.Public || r.Needs == auth.SignedIn || r.ID == "run-events" {
				continue
			}
			a := s.call(key, r.Method, filled(r.Path), "")
			if refused := a.status == http.StatusForbidden; refused == role.May(r.Needs) && r.ID != "list-audit" {
				t.Errorf("%s: %s %s (%s): %d %s", role, r.Method, r.Path, r.Needs, a.status, a.body)
			}
		}
	}
}

func TestViewersWriteNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, key := range []string{s.key(auth.Viewer, auth.LiveKey), s.key(auth.Admin, auth.ResearchKey)} {
		for _, r := range api.Routes() {
			if r.Method == http.MethodGet || r.Needs == auth.Public || r.Needs == auth.SignedIn || r.ID == "mcp" {
				continue // of what agents may do, the tests of /mcp tell
			}
			if a := s.call(key, r.Method, filled(r.Path), "{}"); a.status != http.StatusForbidden {
				t.Errorf("%s %s: %d %s, want 403", r.Method, r.Path, a.status, a.body)
			}
		}
	}
}

// TestC155NoPathReachesAFile tries to read files through every place that takes a name.
func TestC155NoPathReachesAFile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	climbs := []string{"../../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%252e%252e/etc/passwd", "....//etc/passwd", "/etc/passwd", "%00", `..\..\windows\win.ini`, "C:/windows/win.ini", "%2e%2e/%2e%2e/etc/passwd"}
	for _, base := range []string{"/", "/assets/", "/static/", project + "/runs/0198b6a0-0000-7000-8000-000000000000/blobs/", root + "/plugins/"} {
		for _, c := range climbs {
			for _, key := range []string{"", s.admin} {
				headers := []string{}
				if key != "" {
					headers = []string{"Authorization", "Bearer " + key}
				}
				a := s.raw("GET", base+c, headers...)
				if strings.Contains(a.body, "root:") || a.status >= 500 {
					t.Errorf("GET %s%s: %d %.80s", base, c, a.status, a.body)
				}
			}
		}
	}
}
