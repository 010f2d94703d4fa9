package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"pawl/internal/api"
	"pawl/internal/auth"
)

// keyOf makes another key of the administrator, who owns the installation.
func (s *site) keyOf(kind auth.KeyKind) string {
	s.t.Helper()
	return s.must(201, "POST", root+"/me/keys", `{"kind":"`+string(kind)+`","name":"more"}`).json(s.t, "key")
}

// TestTestKeysAreKeptToTheStageTest walks all routes with a test key of the owner.
func TestTestKeysAreKeptToTheStageTest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	key := s.keyOf(auth.TestKey)
	outside := []auth.Permission{auth.Publish, auth.Release, auth.Account, auth.Grant, auth.Audit, auth.Own, auth.Approve}
	for _, r := range api.Routes() {
		if r.Needs == auth.Public || r.Needs == auth.SignedIn {
			continue
		}
		a := s.call(key, r.Method, filled(r.Path), "")
		want := r.Live || slices.Contains(outside, r.Needs)
		if refused := a.status == http.StatusForbidden; refused != want || (refused && a.json(t, "reason") != "test_key") {
			t.Errorf("%s %s (%s): %d %s, want it refused: %t", r.Method, r.Path, r.Needs, a.status, a.body, want)
		}
	}
}

func TestTestKeysStartDrafts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", setStep)
	s.must(200, "PUT", project+"/automations/orders/draft", document(setStep+`,{"id":"more","type":"set","value":1}`), "If-Match", `"1"`)
	key := s.keyOf(auth.TestKey)
	start := func(key, body string, headers ...string) answer {
		t.Helper()
		return s.call(key, "POST", project+"/automations/orders/runs", body, headers...)
	}
	byTest, byLive := start(key, ""), start(s.admin, "")
	if byTest.status != 201 || byTest.json(t, "version") != "" || byTest.json(t, "digest") == byLive.json(t, "digest") {
		t.Errorf("a test key started %d %s", byTest.status, byTest.body)
	}
	if byLive.json(t, "version") != "1" {
		t.Errorf("a live key started %s", byLive.body)
	}
	if a := start(key, `{"version":1}`); a.status != 403 || a.json(t, "reason") != "test_key" || a.json(t, "where.pointer") != "/version" {
		t.Errorf("a version by a test key: %d %s", a.status, a.body)
	}
	one, two := start(s.admin, "", "Idempotency-Key", "k"), start(key, "", "Idempotency-Key", "k")
	if one.json(t, "id") == two.json(t, "id") || two.json(t, "version") != "" {
		t.Errorf("one Idempotency-Key gave the test key a run of the live one: %s %s", one.body, two.body)
	}
	if a := start(s.key(auth.Viewer, auth.TestKey), ""); a.status != 403 || a.json(t, "reason") != "permission" {
		t.Errorf("a viewer's test key starts a draft: %d %s", a.status, a.body)
	}
	if a := start(s.key(auth.Builder, auth.TestKey), ""); a.status != 201 {
		t.Errorf("a builder's test key: %d %s", a.status, a.body)
	}
}

// TestTestKeysSeeRunsOfDraftsAlone tries every route of a run on a run of a version and on one of a draft.
func TestTestKeysSeeRunsOfDraftsAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", setStep)
	live, draft := s.started("orders", ""), s.started("orders", `{"draft":true}`)
	key := s.keyOf(auth.TestKey)
	s.exec(`update run set state = 'succeeded', started_at = created_at, finished_at = clock_timestamp(), output = '1'`) // streams end
	for _, r := range api.Routes() {
		if !strings.Contains(r.Path, "/runs/{id}") {
			continue
		}
		at := func(id uuid.UUID) answer {
			body := ""
			if r.ID == "settle-step" {
				body = `{"as":"failed"}`
			}
			return s.call(key, r.Method, filled(strings.Replace(r.Path, "{id}", id.String(), 1)), body)
		}
		if a := at(live); a.status != 403 || a.json(t, "reason") != "test_key" {
			t.Errorf("%s %s, a run of a version: %d %s", r.Method, r.Path, a.status, a.body)
		}
		if a := at(draft); a.status == 403 || a.status >= 500 {
			t.Errorf("%s %s, a run of a draft: %d %s", r.Method, r.Path, a.status, a.body)
		}
		if a := at(uuid.New()); a.status != 404 {
			t.Errorf("%s %s, no run: %d %s", r.Method, r.Path, a.status, a.body)
		}
	}
	list := s.call(key, "GET", project+"/runs?limit=1", "")
	if list.status != 200 || strings.Contains(list.body, live.String()) || list.json(t, "items.0.version") != "" {
		t.Errorf("the list: %d %s", list.status, list.body)
	}
	if a := s.call(key, "GET", project+"/runs", ""); !strings.Contains(a.body, draft.String()) || strings.Contains(a.body, live.String()) {
		t.Errorf("the whole list: %s", a.body)
	}
	if a := s.must(200, "GET", project+"/runs", ""); !strings.Contains(a.body, draft.String()) || !strings.Contains(a.body, live.String()) {
		t.Errorf("the list of a live key: %s", a.body)
	}
}

// TestRestrictedKeysKeepOffTheSignIn: who holds a test key, a research key or one that is bound to a project can't
// become more by changing how its person signs in.
func TestRestrictedKeysKeepOffTheSignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bound := s.must(201, "POST", root+"/me/keys", `{"kind":"live","name":"bound","project":"default"}`)
	for name, made := range map[string]answer{
		"test":     s.must(201, "POST", root+"/me/keys", `{"kind":"test","name":"t"}`),
		"research": s.must(201, "POST", root+"/me/keys", `{"kind":"research","name":"r"}`),
		"bound":    s.must(201, "POST", root+"/me/keys", `{"kind":"live","name":"b","project":"default"}`),
	} {
		key := made.json(t, "key")
		for _, try := range []struct{ method, path, body string }{
			{"PUT", "/me/password", `{"password":"correct horse battery"}`},
			{"POST", "/me/keys", `{"kind":"live","name":"more"}`},
			{"DELETE", "/me/keys/" + bound.json(t, "id"), ""},
		} {
			if a := s.call(key, try.method, root+try.path, try.body); a.status != 403 || a.json(t, "reason") != "key" {
				t.Errorf("%s key: %s %s: %d %s", name, try.method, try.path, a.status, a.body)
			}
		}
		if a := s.call(key, "DELETE", root+"/me/keys/"+made.json(t, "id"), ""); a.status != 204 {
			t.Errorf("a %s key ends itself: %d %s", name, a.status, a.body)
		}
	}
	if a := s.must(200, "GET", root+"/me", ""); a.json(t, "has_password") != "false" {
		t.Errorf("somebody has set a password: %s", a.body)
	}
}

func TestKeysDoNotBeginExpired(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, at := range []string{"2020-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00"} {
		a := s.must(422, "POST", root+"/me/keys", `{"kind":"live","name":"old","expires_at":"`+at+`"}`)
		if a.json(t, "kind") != "invalid_input" || a.json(t, "reason") != "expires_at" || a.json(t, "where.pointer") != "/expires_at" {
			t.Errorf("%s: %s", at, a.body)
		}
	}
	if a := s.must(200, "GET", root+"/me/keys", ""); strings.Contains(a.body, `"old"`) {
		t.Errorf("the key was made: %s", a.body)
	}
	made := s.must(201, "POST", root+"/me/keys", `{"kind":"live","name":"new","expires_at":"9999-12-31T23:59:59Z"}`)
	if a := s.call(made.json(t, "key"), "GET", root+"/me", ""); a.status != 200 || a.json(t, "key.expires_at") != "9999-12-31T23:59:59Z" {
		t.Errorf("a key with an end that is to come: %d %s", a.status, a.body)
	}
}
