package api

import (
	"net/http"
	"strings"

	"pawl/internal/auth"
	"pawl/internal/fault"
)

// secure sets the headers that every answer has. Pages get a policy of their own in ui.go.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// authenticate finds out who calls, by an API key or else by the session cookie, and lets nobody else through
// but to the exact list of public routes. It runs before routing, so no spelling of a path gets around it.
func (s *server) authenticate(next http.Handler) http.Handler {
	csrf := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, err := s.caller(r)
		if err == nil && r.Header.Get("Authorization") == "" {
			err = crossOrigin(csrf, r)
		}
		if err == nil && caller == nil && !s.public[routeMethod(r)+" "+r.URL.EscapedPath()] {
			err = fault.New(fault.Unauthenticated, "credentials", "Sign in, or send an API key: Authorization: Bearer <key>.")
		}
		if err != nil {
			writeProblem(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(auth.WithCaller(r.Context(), caller)))
	})
}

func (s *server) caller(r *http.Request) (*auth.Caller, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return s.sessions.Caller(r.Context())
	}
	scheme, key, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") { // RFC 9110, section 11.1: schemes are case-insensitive
		return nil, fault.New(fault.Unauthenticated, "scheme", "Only the scheme Bearer is known: Authorization: Bearer <key>.")
	}
	return s.SignIns.ByKey(r.Context(), strings.TrimSpace(key))
}

// crossOrigin refuses writes that another site's page makes a browser send with our cookie.
func crossOrigin(csrf *http.CrossOriginProtection, r *http.Request) error {
	if err := csrf.Check(r); err != nil {
		return fault.New(fault.Forbidden, "cross_origin", "This request came from a page of another site.").Because(err)
	}
	return nil
}
