package httpcall_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actions/httpcall"
	"pawl/internal/fault"
)

func TestFetchGivesAnyAnswerAsText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		status int
		media  string
		body   string
		want   string
	}{
		{name: "JSON stays as it came", status: 200, media: "application/json", body: "{\"a\" : 1.50,\n \"a\":2}", want: "{\"a\" : 1.50,\n \"a\":2}"},
		{name: "announced JSON that is none", status: 200, media: "application/json", body: "no", want: "no"},
		{name: "a status of an error", status: 404, media: "text/plain", body: "gone", want: "gone"},
		{name: "a server's fault", status: 503, media: "text/html", body: "<p>later", want: "<p>later"},
		{name: "another charset", status: 200, media: "text/plain; charset=iso-8859-1", body: "caf\xe9", want: "café"},
		{name: "bytes", status: 200, media: "image/png", body: "\x89PNG\xff", want: "\uFFFDPNG\uFFFD"},
		{name: "nothing", status: 204},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.media)
				w.Header().Set("X-Rate", "7")
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			})
			got, sent, err := c.Fetch(t.Context(), httpcall.Fetch{URL: "https://" + host + "/x?y=1#z", Hosts: []string{host}})
			if err != nil || !sent {
				t.Fatal(sent, err)
			}
			if got.Status != tt.status || got.Text != tt.want || got.Headers["x-rate"] != "7" {
				t.Errorf("got %+v, want %d %q", got, tt.status, tt.want)
			}
		})
	}
}

func TestFetchSendsWhatTheModuleSays(t *testing.T) {
	t.Parallel()
	var got []string
	c, _ := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.URL.String()+" "+r.Header.Get("Content-Type")+" "+r.Header.Get("X-Mine")+" "+r.Header.Get("Authorization")+" "+string(b))
	})
	_, _, err := c.Fetch(t.Context(), httpcall.Fetch{
		URL: "https://" + strings.ToUpper(host) + ":443/a%20b?q=%2F", Method: "post", Body: `{"n":1}`, Hosts: []string{host},
		Headers: map[string]string{"content-type": "application/json", "x-mine": "1", "authorization": "Bearer the-modules-own"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`POST /a%20b?q=%2F application/json 1 Bearer the-modules-own {"n":1}`}, got); diff != "" {
		t.Error(diff)
	}
}

func TestFetchRefuses(t *testing.T) {
	t.Parallel()
	at := "https://" + host + "/"
	tests := []struct {
		name   string
		fetch  httpcall.Fetch
		kind   fault.Kind
		reason string
	}{
		{"no address", httpcall.Fetch{}, fault.InvalidInput, "fetch_url"},
		{"a relative address", httpcall.Fetch{URL: "/x"}, fault.InvalidInput, "fetch_url"},
		{"http", httpcall.Fetch{URL: "http://" + host}, fault.InvalidInput, "fetch_scheme"},
		{"file", httpcall.Fetch{URL: "file://host/etc/passwd"}, fault.InvalidInput, "fetch_scheme"},
		{"data", httpcall.Fetch{URL: "data:text/plain,x"}, fault.InvalidInput, "fetch_url"},
		{"credentials", httpcall.Fetch{URL: "https://u:p@" + host}, fault.InvalidInput, "fetch_credentials"},
		{"a port", httpcall.Fetch{URL: "https://" + host + ":8443"}, fault.InvalidInput, "fetch_port"},
		{"a host that is not named", httpcall.Fetch{URL: "https://" + other}, fault.PermissionRequired, "fetch_host"},
		{"a host below one that is", httpcall.Fetch{URL: "https://x." + host}, fault.PermissionRequired, "fetch_host"},
		{"a host behind an at sign", httpcall.Fetch{URL: "https://" + host + "@" + other}, fault.InvalidInput, "fetch_credentials"},
		{"an address in disguise", httpcall.Fetch{URL: "https://2130706433/"}, fault.InvalidInput, "host"},
		{"an address", httpcall.Fetch{URL: "https://127.0.0.1/"}, fault.PermissionRequired, "fetch_host"},
		{"a method", httpcall.Fetch{URL: at, Method: "CONNECT"}, fault.InvalidInput, "fetch_method"},
		{"a method with a space", httpcall.Fetch{URL: at, Method: "GET /x"}, fault.InvalidInput, "fetch_method"},
		{"a body with GET", httpcall.Fetch{URL: at, Body: "x"}, fault.InvalidInput, "fetch_body"},
		{"Host", httpcall.Fetch{URL: at, Headers: map[string]string{"host": "x"}}, fault.InvalidInput, "fetch_header"},
		{"Cookie", httpcall.Fetch{URL: at, Headers: map[string]string{"COOKIE": "x"}}, fault.InvalidInput, "fetch_header"},
		{"Transfer-Encoding", httpcall.Fetch{URL: at, Headers: map[string]string{"Transfer-Encoding": "chunked"}}, fault.InvalidInput, "fetch_header"},
		{"a header with a line break", httpcall.Fetch{URL: at, Headers: map[string]string{"X-A": "1\r\nX-B: 2"}}, fault.InvalidInput, "fetch_header"},
		{"a name that is none", httpcall.Fetch{URL: at, Headers: map[string]string{"X A": "1"}}, fault.InvalidInput, "fetch_header"},
		{"a long body", httpcall.Fetch{URL: at, Method: "POST", Body: strings.Repeat("x", 9<<20)}, fault.TooLarge, "fetch_request"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a refused request was sent") })
			tt.fetch.Hosts = []string{host}
			_, sent, err := c.Fetch(t.Context(), tt.fetch)
			f := fault.From(err)
			if err == nil || sent || f.Kind != tt.kind || f.Reason != tt.reason {
				t.Errorf("sent %v, %v; want %s %s", sent, err, tt.kind, tt.reason)
			}
		})
	}
}

func TestFetchFollowsNoRedirectToAnotherHost(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Host == other {
			t.Error("the other host was reached")
		}
		http.Redirect(w, r, "https://"+other+"/", http.StatusFound)
	})
	_, _, err := c.Fetch(t.Context(), httpcall.Fetch{URL: "https://" + host, Hosts: []string{host, other}})
	if f := fault.From(err); err == nil || f.Reason != "redirect_refused" {
		t.Errorf("%v", err)
	}
}
