package api

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"pawl/internal/fault"
)

// routeContext is the router's notes on a request. HEAD goes the way of GET (RFC 9110, section 9.3.2); net/http leaves the
// body out.
func routeContext(r *http.Request) *chi.Context {
	c := chi.NewRouteContext()
	c.RouteMethod = routeMethod(r)
	return c
}

func routeMethod(r *http.Request) string {
	if r.Method == http.MethodHead {
		return http.MethodGet
	}
	return r.Method
}

// unrouted answers requests that no route takes: 404 where there is nothing at the path, else 405, each with the methods
// that are possible. OPTIONS asks for just these.
func (s *server) unrouted(router chi.Routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		allowed := s.methods(router, r)
		if len(allowed) == 0 {
			writeProblem(w, r, fault.New(fault.NotFound, "route", "There is nothing at %s.", path.Clean("/"+r.URL.Path)))
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		writeProblem(w, r, fault.New(fault.InvalidInput, reasonMethod, "%.20s is not possible here: use %s.", r.Method, strings.Join(allowed, ", ")).With("allow", allowed))
	}
}

// methods are those that are possible at the path of a request, in alphabetical order; none where nothing is there.
func (s *server) methods(router chi.Routes, r *http.Request) []string {
	at := r.URL.RawPath
	if at == "" {
		at = r.URL.Path
	}
	var list []string
	for _, m := range []string{get, pst, put, del} {
		if router.Match(chi.NewRouteContext(), m, at) || (m == get && s.pages.has(r.URL)) {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return nil
	}
	if list[0] == get {
		list = append(list, http.MethodHead)
	}
	list = append(list, http.MethodOptions)
	slices.Sort(list)
	return list
}
