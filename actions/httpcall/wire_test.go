package httpcall_test

import (
	"net"
	"strings"
	"testing"

	"pawl/actions"
	"pawl/actions/httpcall"
	"pawl/internal/fault"
)

func ok(net.Conn, int, int) string { return okAnswer }

// sent builds, sends and gives the request's bytes as the server read them.
func sent(t *testing.T, a *actions.Action, input string, secret httpcall.Secret, idem string) string {
	t.Helper()
	c, w := serveWire(t, ok)
	answer, f := do(t, c, &httpcall.Exchange{
		Request: build(t, a, input), Auth: a.Auth, Secret: secret, Effect: a.Effect, IdempotencyKey: idem,
	})
	check(t, answer, f, "", "", true)
	return w.seen()[0]
}

// The exact bytes of one request of each kind.
func TestBytesOnTheWire(t *testing.T) {
	t.Parallel()
	read := act("GET", "/items/{id}", "", pathInput("id"), queryInput("q"))
	read.Effect = actions.Read
	read.Auth = actions.Auth{Kind: actions.AuthBearer}
	create := act("POST", "/items", actions.JSONBody, bodyInput("name"), actions.Input{ID: "n", In: actions.InBody, Type: actions.Integer})
	create.Auth = actions.Auth{Kind: actions.AuthHeader, Name: "X-API-KEY"}
	form := act("PATCH", "/items/{id}", actions.FormBody, pathInput("id"), bodyInput("extra"))
	form.Auth = actions.Auth{Kind: actions.AuthQuery, Name: "key"}
	remove := act("DELETE", "/items/{id}", "", pathInput("id"))
	remove.Effect = actions.Safe
	remove.Auth = actions.Auth{Kind: actions.AuthBasic}
	bare := act("POST", "/ping", "")
	tests := []struct {
		name   string
		action *actions.Action
		input  string
		secret string
		want   string
	}{
		{name: "read", action: read, input: `{"id":"a/b","q":"x y&z"}`, secret: "tok-12345678", want: "GET /items/a%2Fb?q=x%20y%26z HTTP/1.1\n" +
			"Host: shop.test\nUser-Agent: Pawl/1.2.3\nAccept: application/json, */*;q=0.5\nAccept-Encoding: gzip, br, zstd\nAuthorization: Bearer tok-12345678\n\n"},
		{name: "create", action: create, input: `{"name":"<é&>","n":1e3}`, secret: "tok-12345678", want: "POST /items HTTP/1.1\n" +
			"Host: shop.test\nUser-Agent: Pawl/1.2.3\nContent-Length: 25\nAccept: application/json, */*;q=0.5\nAccept-Encoding: gzip, br, zstd\n" +
			"Content-Type: application/json\nIdempotency-Key: run-1/step\nX-API-KEY: tok-12345678\n\n" + `{"name":"<é&>","n":1000}`},
		{name: "form", action: form, input: `{"id":"1","extra":"v"}`, secret: "k/+ 12345678", want: "PATCH /items/1?key=k%2F%2B%2012345678 HTTP/1.1\n" +
			"Host: shop.test\nUser-Agent: Pawl/1.2.3\nContent-Length: 7\nAccept: application/json, */*;q=0.5\nAccept-Encoding: gzip, br, zstd\n" +
			"Content-Type: application/x-www-form-urlencoded\nIdempotency-Key: run-1/step\n\nextra=v"},
		{name: "remove", action: remove, input: `{"id":"1"}`, secret: "ops:żółć:9", want: "DELETE /items/1 HTTP/1.1\n" +
			"Host: shop.test\nUser-Agent: Pawl/1.2.3\nAccept: application/json, */*;q=0.5\nAccept-Encoding: gzip, br, zstd\n" +
			"Authorization: Basic b3BzOsW8w7PFgsSHOjk=\nConnection: close\n\n"},
		{name: "bare", action: bare, input: `{}`, want: "POST /ping HTTP/1.1\n" +
			"Host: shop.test\nUser-Agent: Pawl/1.2.3\nContent-Length: 0\nAccept: application/json, */*;q=0.5\nAccept-Encoding: gzip, br, zstd\nIdempotency-Key: run-1/step\nConnection: close\n\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var secret httpcall.Secret
			if tt.secret != "" {
				secret = key(tt.secret)
			}
			got := strings.ReplaceAll(sent(t, tt.action, tt.input, secret, "run-1/step"), "\r\n", "\n")
			if got != tt.want {
				t.Errorf("the server read\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestC010CredentialLeavesTheFormAlone(t *testing.T) {
	t.Parallel()
	a := act("POST", "/f", actions.FormBody, bodyInput("extra"), queryInput("page"))
	a.Auth = actions.Auth{Kind: actions.AuthQuery, Name: "key"}
	got := sent(t, a, `{"extra":"v","page":"2"}`, key("tok-12345678"), "")
	if !strings.HasPrefix(got, "POST /f?page=2&key=tok-12345678 HTTP/1.1\r\n") || !strings.HasSuffix(got, "\r\n\r\nextra=v") ||
		!strings.Contains(got, "Content-Type: application/x-www-form-urlencoded\r\n") {
		t.Errorf("got %s", got)
	}
}

func TestC024BasicIsUTF8(t *testing.T) {
	t.Parallel()
	text, err := httpcall.BasicSecret("ops", "żółć:9")
	if err != nil {
		t.Fatal(err)
	}
	a := act("GET", "/", "")
	a.Auth = actions.Auth{Kind: actions.AuthBasic}
	if got := sent(t, a, `{}`, key(text), ""); !strings.Contains(got, "\r\nAuthorization: Basic b3BzOsW8w7PFgsSHOjk=\r\n") {
		t.Errorf("got %s", got)
	}
	for _, user := range []string{"o:ps", "", "o\nps"} {
		if _, err := httpcall.BasicSecret(user, "x"); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("user %q: got %v, want a refusal", user, err)
		}
	}
}

func TestC026DeclaredHeaderGoesOutOnceAsSpelt(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"X-API-KEY", "x-api-key", "X-Api-Key", "APIKey"} {
		a := act("GET", "/", "")
		a.Auth = actions.Auth{Kind: actions.AuthHeader, Name: name}
		got := sent(t, a, `{}`, key("tok-12345678"), "")
		if strings.Count(got, "\r\n"+name+": tok-12345678\r\n") != 1 || strings.Count(got, "tok-12345678") != 1 || strings.Contains(got, "Authorization") {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func TestKeysThatCannotBeSent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		auth actions.Auth
		key  string
		want fault.Kind
	}{
		{name: "line break", auth: actions.Auth{Kind: actions.AuthBearer}, key: "abc\r\nX-Evil: 1", want: fault.InvalidInput},
		{name: "line break in a header", auth: actions.Auth{Kind: actions.AuthHeader, Name: "X-Key"}, key: "abc\n", want: fault.InvalidInput},
		{name: "space at the end", auth: actions.Auth{Kind: actions.AuthBearer}, key: "abc ", want: fault.InvalidInput},
		{name: "letters outside ASCII", auth: actions.Auth{Kind: actions.AuthBearer}, key: "schlüssel", want: fault.InvalidInput},
		{name: "empty", auth: actions.Auth{Kind: actions.AuthBearer}, key: "", want: fault.InvalidInput},
		{name: "no colon", auth: actions.Auth{Kind: actions.AuthBasic}, key: "abc", want: fault.InvalidInput},
		{name: "reserved header", auth: actions.Auth{Kind: actions.AuthHeader, Name: "content-length"}, key: "12", want: fault.InvalidInput},
		{name: "taken parameter", auth: actions.Auth{Kind: actions.AuthQuery, Name: "q"}, key: "abc", want: fault.InvalidInput},
		{name: "unknown kind", auth: actions.Auth{Kind: "magic"}, key: "abc", want: fault.Internal},
	}
	c, w := serveWire(t, ok)
	for _, tt := range tests {
		x := get("/?q=1")
		x.Auth, x.Secret = tt.auth, key(tt.key)
		a, f := do(t, c, x)
		if f == nil || f.Kind != tt.want || a.Sent {
			t.Errorf("%s: got %v, sent %t", tt.name, f, a.Sent)
		}
		if tt.key != "" && f != nil && strings.Contains(f.Error(), tt.key) {
			t.Errorf("%s: %v quotes the key", tt.name, f)
		}
	}
	x := get("/")
	x.Auth = actions.Auth{Kind: actions.AuthBearer}
	if a, f := do(t, c, x); f == nil || f.Kind != fault.Internal || a.Sent {
		t.Errorf("no secret: got %v", f)
	}
	if len(w.seen()) != 0 {
		t.Errorf("the server saw %d requests", len(w.seen()))
	}
}

func TestC071NothingPublicHoldsTheKey(t *testing.T) {
	t.Parallel()
	a := act("POST", "/x", actions.JSONBody, bodyInput("v"))
	a.Auth = actions.Auth{Kind: actions.AuthBearer}
	r := build(t, a, `{"v":"1"}`)
	for _, f := range r.Header {
		if strings.EqualFold(f.Name, "authorization") {
			t.Errorf("the request holds %s", f.Name)
		}
	}
	c, _ := serve(t, echo)
	answer, f := do(t, c, &httpcall.Exchange{Request: r, Auth: a.Auth, Secret: key("tok-12345678"), Effect: a.Effect})
	check(t, answer, f, "", "", true)
	noKey(t, "tok-12345678", r, r.Summary(), answer, string(httpcall.Output(answer)))
}
