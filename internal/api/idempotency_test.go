package api_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestIdempotencyKeyHasAForm(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.published("orders", setStep)
	start := func(body string, keys ...string) answer {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+project+"/automations/orders/runs", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.admin)
		req.Header["Idempotency-Key"] = keys
		return s.do(req)
	}
	tests := []struct {
		name string
		keys []string
		want string // the run that it finds, or what the refusal says
	}{
		{name: "plain", keys: []string{"order-7"}, want: "order-7"},
		{name: "quoted, as the draft standard has it", keys: []string{`"order-7"`}, want: "order-7"},
		{name: "a space within quotes", keys: []string{`"order 8"`}, want: "order 8"},
		{name: "escapes", keys: []string{`"a\"b\\c"`}, want: `a\"b\\c`},
		{name: "longest", keys: []string{`"` + strings.Repeat("k", 255) + `"`}, want: strings.Repeat("k", 255)},
		{name: "empty", keys: []string{""}, want: "! empty"},
		{name: "blank", keys: []string{"  "}, want: "! empty"},
		{name: "empty within quotes", keys: []string{`""`}, want: "! empty"},
		{name: "too long", keys: []string{strings.Repeat("k", 256)}, want: "! 256 characters; 255"},
		{name: "twice", keys: []string{"a", "b"}, want: "! 2 times"},
		{name: "a list", keys: []string{"a, b"}, want: "! place 3"},
		{name: "no ASCII", keys: []string{"bestellung-ä"}, want: "! place 12"},
		{name: "open quote", keys: []string{`"a`}, want: "! close it"},
		{name: "quote within quotes", keys: []string{`"a"b"`}, want: "! close it"},
		{name: "unknown escape", keys: []string{`"a\n"`}, want: "! close it"},
		{name: "parameter", keys: []string{`"a";b=1`}, want: "! close it"},
	}
	for _, tt := range tests {
		a := start(`{}`, tt.keys...)
		if says, refused := strings.CutPrefix(tt.want, "! "); refused {
			if a.status != 422 || a.json(t, "kind")+" "+a.json(t, "reason") != "invalid_input idempotency_key" || !strings.Contains(a.json(t, "detail"), says) {
				t.Errorf("%s: %d %s, want a refusal with %q", tt.name, a.status, a.body, says)
			}
			continue
		}
		if a.status != 201 && a.status != 200 {
			t.Errorf("%s: %d %s", tt.name, a.status, a.body)
			continue
		}
		other := start(`{"local_only":true}`, tt.keys...)
		if detail := other.json(t, "detail"); other.status != 409 || !strings.Contains(detail, `The Idempotency-Key "`+tt.want+`" was used before, for run `+a.json(t, "id")) || strings.Contains(detail, "key:") {
			t.Errorf("%s, with another body: %d %s", tt.name, other.status, other.body)
		}
	}
	if plain, quoted := start("", "order-7"), start("{}", `"order-7"`); plain.json(t, "id") != quoted.json(t, "id") || quoted.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("quotes make another key: %s %s", plain.body, quoted.body)
	}
}
