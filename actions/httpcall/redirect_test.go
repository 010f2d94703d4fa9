package httpcall_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"pawl/actions"
	"pawl/internal/fault"
)

// hits counts requests by host and keeps what came with them.
type hits struct {
	mu   sync.Mutex
	seen []string
}

func (h *hits) note(r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = append(h.seen, fmt.Sprintf("%s %s%s auth=%s body=%s", r.Method, r.Host, r.URL, r.Header.Get("Authorization")+r.Header.Get("X-Key"), body))
}

func (h *hits) all() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.seen, "\n")
}

func TestC033CredentialsStayAtTheirOrigin(t *testing.T) {
	t.Parallel()
	auths := []actions.Auth{{Kind: actions.AuthBearer}, {Kind: actions.AuthHeader, Name: "X-Key"}, {Kind: actions.AuthQuery, Name: "key"}}
	for _, to := range []string{
		"https://" + other + "/f", "http://" + host + "/f", "https://" + host + ":8443/f", "//" + other + "/f",
		"https://u:p@" + host + "/f", "https://" + host + "@" + other + "/f", "javascript:alert(1)", ":bad", "",
	} {
		for _, auth := range auths {
			t.Run(to+" "+string(auth.Kind), func(t *testing.T) {
				t.Parallel()
				var h hits
				c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
					h.note(r)
					w.Header().Set("Location", to)
					w.WriteHeader(http.StatusFound)
				})
				x := get("/f")
				x.Auth, x.Secret = auth, key("tok-12345678")
				a, f := do(t, c, x)
				check(t, a, f, fault.InvalidResponse, "redirect_refused", true)
				if got := h.all(); strings.Count(got, "\n") != 0 || strings.Contains(got, other) {
					t.Errorf("requests:\n%s", got)
				}
				if a.Status != 302 || f.Status != 302 {
					t.Errorf("status %d, %d", a.Status, f.Status)
				}
			})
		}
	}
}

func TestReadsFollowWithinTheirOrigin(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, auth := range []actions.Auth{{Kind: actions.AuthBearer}, {Kind: actions.AuthQuery, Name: "key"}} {
			t.Run(fmt.Sprintf("%d %s", status, auth.Kind), func(t *testing.T) {
				t.Parallel()
				var h hits
				c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
					h.note(r)
					if r.URL.Path == "/end" {
						io.WriteString(w, "end")
						return
					}
					w.Header().Set("Location", "https://SHOP.test:443/end?x=1#part")
					w.WriteHeader(status)
				})
				x := get("/start")
				x.Auth, x.Secret = auth, key("tok-12345678")
				a, f := do(t, c, x)
				check(t, a, f, "", "", true)
				if body(a) != `"end"` || strings.Count(h.all(), "tok-12345678") != 2 || !strings.Contains(h.all(), "/end?x=1") {
					t.Errorf("body %s, requests:\n%s", body(a), h.all())
				}
			})
		}
	}
}

func TestRedirectsAreCounted(t *testing.T) {
	t.Parallel()
	for length, kind := range map[int]fault.Kind{5: "", 6: fault.InvalidResponse} {
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			t.Parallel()
			var h hits
			c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				h.note(r)
				if n := len(r.URL.Path) - 1; n < length {
					http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
				}
			})
			a, f := do(t, c, get("/"))
			reason := ""
			if kind != "" {
				reason = "redirect_refused"
			}
			check(t, a, f, kind, reason, true)
			if got := strings.Count(h.all(), "\n") + 1; got != 6 {
				t.Errorf("the server saw %d requests, want 6", got)
			}
		})
	}
}

func TestC035EffectsAreNeverRedirected(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{"https://" + other + "/y", "/login"} {
			for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "GET"} {
				t.Run(fmt.Sprintf("%s %d %s", method, status, to), func(t *testing.T) {
					t.Parallel()
					var h hits
					c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
						h.note(r)
						w.Header().Set("Location", to)
						w.WriteHeader(status)
					})
					x := post(`{"amount":5}`)
					x.Request.Method = method
					x.Auth, x.Secret = actions.Auth{Kind: actions.AuthBearer}, key("tok-12345678")
					a, f := do(t, c, x)
					check(t, a, f, fault.InvalidResponse, "redirect_refused", true)
					if got := h.all(); strings.Count(got, "amount") != 1 || strings.Contains(got, "\n") {
						t.Errorf("requests:\n%s", got)
					}
					if a.Status != status {
						t.Errorf("status %d", a.Status)
					}
				})
			}
		}
	}
}
