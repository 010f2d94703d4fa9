package api_test

import (
	"strconv"
	"testing"

	"pawl/internal/auth"
)

// tries makes failing tries to sign in until one is throttled, and says how many came through and what the last one was
// told.
func (s *site) tries(most int, body func(i int) string, from string) (int, answer) {
	s.t.Helper()
	for i := range most {
		a := s.call("", "POST", root+"/session", body(i), "X-Forwarded-For", from)
		if a.status != 401 {
			return i, a
		}
	}
	return most, answer{}
}

func (a answer) throttled(t *testing.T, name string) {
	t.Helper()
	after, err := strconv.Atoi(a.header.Get("Retry-After"))
	if a.status != 429 || a.json(t, "kind")+" "+a.json(t, "reason") != "rate_limited sign_in" || a.json(t, "retryable") != "true" || err != nil || after < 1 || after > 30 {
		t.Errorf("%s: %d, Retry-After %q, %s", name, a.status, a.header.Get("Retry-After"), a.body)
	}
}

func TestSignInIsThrottledByAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	links := func(i int) string { return `{"link":"none` + strconv.Itoa(i) + `"}` }
	n, a := s.tries(60, links, "203.0.113.7")
	a.throttled(t, "an address")
	if n < 30 { // one more each two seconds
		t.Errorf("%d tries came through, want 30", n)
	}
	forged := s.call("", "POST", root+"/session", links(0), "X-Forwarded-For", "198.51.100.1, 203.0.113.7, 10.1.1.1")
	forged.throttled(t, "an address with what it says of itself in front, behind two proxies")
	if a := s.call("", "POST", root+"/session", `{"link":"`+s.link+`"}`, "X-Forwarded-For", "203.0.113.8"); a.status != 200 {
		t.Errorf("another address: %d %s", a.status, a.body)
	}
	if a := s.call(s.admin, "GET", root+"/me", "", "X-Forwarded-For", "203.0.113.7"); a.status != 200 {
		t.Errorf("a key from that address: %d %s", a.status, a.body)
	}
}

// TestSignInIsThrottledByName tries passwords from many addresses, for somebody and for nobody.
func TestSignInIsThrottledByName(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.must(204, "PUT", root+"/me/password", `{"password":"correct horse battery"}`)
	for range 12 {
		if cookie, a := s.signIn(`{"email":"ana@example.org","password":"correct horse battery"}`); cookie == nil {
			t.Fatalf("the right password, again and again: %d %s", a.status, a.body)
		}
	}
	for _, email := range []string{"ana@example.org", "nobody@example.org"} {
		came := 0
		var last answer
		for i := 0; i < 30 && last.status != 429; i++ {
			last = s.call("", "POST", root+"/session", `{"email":"`+email+`","password":"wrong horse battery"}`, "X-Forwarded-For", "2001:db8:0:"+strconv.Itoa(i)+"::1")
			if last.status == 401 {
				came++
			}
		}
		last.throttled(t, email)
		if came < 10 { // one more each thirty seconds
			t.Errorf("%s: %d tries came through, want 10", email, came)
		}
	}
	right := s.call("", "POST", root+"/session", `{"email":"ana@example.org","password":"correct horse battery"}`, "X-Forwarded-For", "203.0.113.9")
	right.throttled(t, "the right password among many wrong ones")
	changed := s.call(s.admin, "PUT", root+"/me/password", `{"current":"wrong horse battery","password":"another long password"}`)
	changed.throttled(t, "guessing by changing the password")
	if cookie, a := s.signIn(`{"link":"` + s.link + `"}`); cookie == nil {
		t.Errorf("a link: %d %s", a.status, a.body)
	}
	if a := s.call(s.key(auth.Viewer, auth.LiveKey), "GET", root+"/me", ""); a.status != 200 {
		t.Errorf("somebody else: %d", a.status)
	}
}
