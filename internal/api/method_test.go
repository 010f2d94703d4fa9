package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"pawl/internal/api"
)

// allowed gives the methods of each path of the table, as the header Allow names them.
func allowed() map[string]string {
	named := map[string]string{}
	for _, of := range api.Routes() {
		list := []string{http.MethodOptions}
		for _, r := range api.Routes() {
			if !covers(r.Path, filled(of.Path)) {
				continue
			}
			list = append(list, r.Method)
			if r.Method == http.MethodGet {
				list = append(list, http.MethodHead)
			}
		}
		slices.Sort(list)
		named[filled(of.Path)] = strings.Join(slices.Compact(list), ", ")
	}
	return named
}

// covers says whether a path is one of a route: …/automations/validate is that of an automation of this name, too.
func covers(route, path string) bool {
	a, b := strings.Split(route, "/"), strings.Split(path, "/")
	return slices.EqualFunc(a, b, func(x, y string) bool { return x == y || strings.HasPrefix(x, "{") })
}

// TestEveryRouteNamesItsMethods walks all paths with all methods that they don't have.
func TestEveryRouteNamesItsMethods(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	paths := allowed()
	paths["/runs/x"], paths["/"], paths["/assets/app-1.js"] = "GET, HEAD, OPTIONS", "GET, HEAD, OPTIONS", "GET, HEAD, OPTIONS" // pages
	for path, want := range paths {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "X"} {
			if slices.Contains(strings.Split(want, ", "), method) {
				continue
			}
			a := s.call(s.admin, method, path, "")
			if a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") != want || a.header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s %s: %d, Allow %q, want 405 and %q", method, path, a.status, a.header.Get("Allow"), want)
			}
			if method != "HEAD" && !strings.Contains(a.json(t, "detail"), want) {
				t.Errorf("%s %s says %s", method, path, a.body)
			}
		}
		if a := s.call(s.admin, "OPTIONS", path, ""); a.status != http.StatusNoContent || a.header.Get("Allow") != want {
			t.Errorf("OPTIONS %s: %d, Allow %q, want 204 and %q", path, a.status, a.header.Get("Allow"), want)
		}
	}
	for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "X"} {
		if a := s.call(s.admin, method, root+"/nothing", ""); a.status != http.StatusNotFound || a.header.Get("Allow") != "" {
			t.Errorf("%s where nothing is: %d, Allow %q", method, a.status, a.header.Get("Allow"))
		}
	}
}

// TestHEADIsGETWithoutBody walks all routes that are read.
func TestHEADIsGETWithoutBody(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", setStep)
	run := s.started("orders", "").String() // it does not end, nor does its stream
	for _, r := range api.Routes() {
		if r.Method != http.MethodGet {
			continue
		}
		path := filled(r.Path)
		if r.ID != "run-blob" {
			path = strings.NewReplacer("0198b6a0-0000-7000-8000-000000000000", run, "/automations/x", "/automations/orders").Replace(path)
		}
		head := s.call(s.admin, "HEAD", path, "")
		if head.body != "" {
			t.Errorf("HEAD %s has a body", path)
		}
		if r.ID == "run-events" {
			if head.status != 200 || head.header.Get("Content-Type") != "text/event-stream" {
				t.Errorf("HEAD %s: %d %v", path, head.status, head.header)
			}
			continue
		}
		got := s.call(s.admin, "GET", path, "")
		if head.status != got.status || head.header.Get("Content-Type") != got.header.Get("Content-Type") || head.header.Get("ETag") != got.header.Get("ETag") {
			t.Errorf("HEAD %s: %d %v, GET: %d %v", path, head.status, head.header, got.status, got.header)
		}
	}
	for _, public := range []string{"/healthz", "/readyz", root + "/openapi.json"} {
		if a := s.call("", "HEAD", public, ""); a.status != 200 {
			t.Errorf("HEAD %s without credentials: %d", public, a.status)
		}
	}
}

// TestEveryRouteBoundsItsBody walks all routes with more than they take.
func TestEveryRouteBoundsItsBody(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, r := range api.Routes() {
		if r.Method == http.MethodGet {
			continue
		}
		body, want := strings.Repeat(" ", int(r.Body))+"{}", http.StatusRequestEntityTooLarge
		if r.Body == 0 {
			body, want = `{"a":1}`, http.StatusUnprocessableEntity
		}
		a := s.call(s.admin, r.Method, filled(r.Path), body)
		if a.status != want || a.json(t, "reason") != "body" {
			t.Errorf("%s %s with %d bytes: %d %s, want %d", r.Method, r.Path, len(body), a.status, a.body, want)
		}
	}
	if a := s.must(200, "GET", root+"/me", ""); a.json(t, "key.prefix") == "" {
		t.Errorf("somebody was changed: %s", a.body)
	}
}
