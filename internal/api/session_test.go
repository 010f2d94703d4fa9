package api_test

import (
	"net/http"
	"strings"
	"testing"

	"pawl/internal/auth"
)

// signIn gives the cookie of a session.
func (s *site) signIn(body string) (*http.Cookie, answer) {
	s.t.Helper()
	a := s.call("", "POST", root+"/session", body)
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if c.Name == "pawl_session" && c.Value != "" {
			return c, a
		}
	}
	return nil, a
}

func TestSignInByLinkOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	cookie, a := s.signIn(`{"link":"` + s.link + `"}`)
	if cookie == nil {
		t.Fatalf("no session: %d %s", a.status, a.body)
	}
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" {
		t.Errorf("the cookie is %q", cookie)
	}
	if got := s.call("", "GET", root+"/me", "", "Cookie", cookie.String()); got.status != 200 || got.json(t, "email") != "ana@example.org" {
		t.Errorf("me: %d %s", got.status, got.body)
	}
	if _, again := s.signIn(`{"link":"` + s.link + `"}`); again.status != 401 || again.json(t, "reason") != "link_used" {
		t.Errorf("a used link: %d %s", again.status, again.body)
	}
	if out := s.call("", "DELETE", root+"/session", "", "Cookie", cookie.String()); out.status != 204 {
		t.Errorf("sign out: %d %s", out.status, out.body)
	}
	if got := s.call("", "GET", root+"/me", "", "Cookie", cookie.String()); got.status != 401 {
		t.Errorf("after signing out: %d", got.status)
	}
}

func TestSignInByPassword(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.must(422, "PUT", root+"/me/password", `{"password":"short"}`)
	s.must(204, "PUT", root+"/me/password", `{"password":"correct horse battery"}`)
	s.must(403, "PUT", root+"/me/password", `{"password":"another long password"}`)
	tests := []struct {
		name string
		body string
		want int
	}{
		{name: "right", body: `{"email":" Ana@example.org","password":"correct horse battery"}`, want: 200},
		{name: "wrong password", body: `{"email":"ana@example.org","password":"wrong horse battery"}`, want: 401},
		{name: "unknown person", body: `{"email":"bea@example.org","password":"correct horse battery"}`, want: 401},
		{name: "nothing", body: `{}`, want: 422},
		{name: "unknown link", body: `{"link":"AAAA"}`, want: 401},
	}
	var refused []string
	for _, tt := range tests {
		_, a := s.signIn(tt.body)
		if a.status != tt.want {
			t.Errorf("%s: %d %s, want %d", tt.name, a.status, a.body, tt.want)
		}
		if strings.HasPrefix(tt.name, "wrong") || strings.HasPrefix(tt.name, "unknown person") {
			refused = append(refused, a.json(t, "detail"))
		}
	}
	if refused[0] != refused[1] {
		t.Errorf("a wrong password and an unknown person read differently: %q, %q", refused[0], refused[1])
	}
}

// TestAnotherSitesPageCanNotWrite is the protection against cross-site request forgery.
func TestAnotherSitesPageCanNotWrite(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	cookie, _ := s.signIn(`{"link":"` + s.link + `"}`)
	write := func(headers ...string) int {
		return s.call("", "POST", root+"/projects", `{"name":"p`+strings.ToLower(headers[1][:2])+`"}`, append(headers, "Cookie", cookie.String())...).status
	}
	for _, h := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}} {
		if got := write(h...); got != 403 {
			t.Errorf("%v: %d, want 403", h, got)
		}
	}
	if got := write("Sec-Fetch-Site", "same-origin"); got != 201 {
		t.Errorf("our own page: %d, want 201", got)
	}
	if got := s.call("", "POST", root+"/session", `{"link":"x"}`, "Origin", "https://evil.example").status; got != 403 {
		t.Errorf("signing in from another site: %d, want 403", got)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	made := s.must(201, "POST", root+"/me/keys", `{"kind":"live","name":"ci","project":"default"}`)
	key := made.json(t, "key")
	if !strings.HasPrefix(key, made.json(t, "prefix")) || strings.Contains(made.json(t, "prefix"), key) {
		t.Errorf("the key %q begins with %q", key, made.json(t, "prefix"))
	}
	if a := s.must(200, "GET", root+"/me/keys", ""); strings.Contains(a.body, key) {
		t.Error("the list shows the key")
	}
	if a := s.call(key, "GET", project+"/runs", ""); a.status != 200 {
		t.Errorf("in its project: %d %s", a.status, a.body)
	}
	s.must(201, "POST", root+"/projects", `{"name":"other"}`)
	if a := s.call(key, "GET", root+"/projects/other/runs", ""); a.status != 404 {
		t.Errorf("in another project: %d %s", a.status, a.body)
	}
	if a := s.call(key, "POST", root+"/me/keys", `{"kind":"live","name":"more"}`); a.status != 403 {
		t.Errorf("a bound key made another: %d %s", a.status, a.body)
	}
	if a := s.call(key, "PUT", root+"/plugins/shop/draft", plugin("1.0.0")); a.status != 403 {
		t.Errorf("a bound key wrote a plugin: %d", a.status)
	}
	s.must(204, "DELETE", root+"/me/keys/"+made.json(t, "id"), "")
	if a := s.call(key, "GET", project+"/runs", ""); a.status != 401 {
		t.Errorf("after revoking: %d", a.status)
	}
	var stored int
	err := s.pool.QueryRow(t.Context(), `select count(*) from api_key where position($1::bytea in hash) > 0 or prefix = $2 or name = $2`, []byte(key), key).Scan(&stored)
	if err != nil || stored != 0 {
		t.Errorf("the key itself is stored (%d, %v)", stored, err)
	}
}

func TestBootstrapTwiceMakesNobody(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	again, err := auth.Bootstrap(t.Context(), s.store, "bea@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if again.Created || again.KeyText != "" || again.LinkToken != "" {
		t.Error("a second start made another administrator")
	}
}

// TestC137PagesAreStrict looks at the headers of pages and answers.
func TestC137PagesAreStrict(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first, second := s.call("", "GET", "/runs/each.3.ticket", ""), s.call("", "GET", "/", "")
	policy := first.header.Get("Content-Security-Policy")
	for _, bad := range []string{"unsafe-inline", "unsafe-eval", "*", "http:"} {
		if strings.Contains(policy, bad) {
			t.Errorf("the policy of pages has %q: %s", bad, policy)
		}
	}
	nonce, _, _ := strings.Cut(strings.SplitAfter(first.body, `content="`)[1], `"`)
	if !strings.Contains(policy, "'nonce-"+nonce+"'") || first.body == second.body {
		t.Errorf("the nonce %q is not the policy's, or stays the same", nonce)
	}
	if a := s.call("", "GET", "/assets/app-1.js", ""); a.body != "1" || !strings.Contains(a.header.Get("Content-Type"), "javascript") {
		t.Errorf("a file: %q %q", a.body, a.header.Get("Content-Type"))
	}
	if a := s.call("", "GET", "/assets/none.js", ""); a.status != 404 {
		t.Errorf("a file that is not there: %d", a.status)
	}
	a := s.must(200, "GET", root+"/me", "")
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "X-Frame-Options": "DENY"} {
		if got := a.header.Get(name); !strings.Contains(got, want) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestC159LinksAreSingleAndExpire tries links that are not worth anything.
func TestC159LinksAreSingleAndExpire(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, err := s.store.PersonByEmail(t.Context(), "ana@example.org")
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.signIns.NewLink(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.exec(`update signin_link set expires_at = clock_timestamp() - interval '1 second'`)
	_, expired := s.signIn(`{"link":"` + token + `"}`)
	_, unknown := s.signIn(`{"link":"` + strings.Repeat("A", len(token)) + `"}`)
	_, byID := s.signIn(`{"link":"` + p.ID.String() + `"}`)
	for _, a := range []answer{expired, unknown, byID} {
		if a.status != 401 || a.json(t, "detail") != unknown.json(t, "detail") {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	s.exec(`update person set disabled_at = clock_timestamp()`)
	if a := s.call(s.admin, "GET", root+"/me", ""); a.status != 401 {
		t.Errorf("a disabled person's key: %d", a.status)
	}
}
