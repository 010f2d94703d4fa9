package httpcall_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actions"
	"pawl/actions/httpcall"
	"pawl/internal/fault"
)

// act makes an action of the test service.
func act(method actions.Method, path string, body actions.BodyKind, inputs ...actions.Input) *actions.Action {
	return &actions.Action{
		Identity: "developer.shop.v1-0-0.test", ID: "test", Method: method, Origin: "https://" + host, Path: path,
		Body: body, Inputs: inputs, Effect: actions.Unsafe,
	}
}

func build(t *testing.T, a *actions.Action, input string) *httpcall.Request {
	t.Helper()
	r, err := httpcall.Build(a, []byte(input))
	if err != nil {
		t.Fatalf("Build(%s): %v", input, err)
	}
	return r
}

// problems gives "pointer reason" of each problem.
func problems(t *testing.T, a *actions.Action, input string) []string {
	t.Helper()
	r, err := httpcall.Build(a, []byte(input))
	var list fault.List
	if !errors.As(err, &list) || r != nil {
		t.Fatalf("Build(%s) = %v, %v, want a fault.List", input, r, err)
	}
	var got []string
	for _, f := range list {
		got = append(got, f.Where.Pointer+" "+f.Reason)
	}
	return got
}

func pathInput(id string) actions.Input {
	return actions.Input{ID: id, In: actions.InPath, Required: true}
}
func queryInput(id string) actions.Input { return actions.Input{ID: id, In: actions.InQuery} }
func bodyInput(id string) actions.Input  { return actions.Input{ID: id, In: actions.InBody} }

func TestC001GetNeverCarriesABody(t *testing.T) {
	t.Parallel()
	_, err := httpcall.Build(act("GET", "/tickets/{id}", "", pathInput("id"), bodyInput("note")), []byte(`{"id":"T-9"}`))
	if !fault.Is(err, fault.InvalidInput) || !strings.Contains(err.Error(), "note") || !strings.Contains(err.Error(), "developer.shop.v1-0-0.test") {
		t.Errorf("manifest A: got %v, want a refusal that names the action and note", err)
	}
	b := act("GET", "/tickets/{id}", "", pathInput("id"))
	if diff := cmp.Diff([]string{"/note unknown_input"}, problems(t, b, `{"id":"T-9","note":{}}`)); diff != "" {
		t.Error(diff)
	}
	if r := build(t, b, `{"id":"T-9"}`); r.Body != nil || r.URL != "https://shop.test/tickets/T-9" {
		t.Errorf("got %+v", r)
	}
}

func TestC006FormBodies(t *testing.T) {
	t.Parallel()
	a := act("POST", "/hooks", actions.FormBody,
		actions.Input{ID: "events", In: actions.InBody, List: true},
		actions.Input{ID: "meta", In: actions.InBody, JSON: true},
		bodyInput("label"), bodyInput("url"), bodyInput("none"))
	r := build(t, a, `{"url":"https://example.org/h?x=1&y=2","events":["a.created","a.deleted"],"meta":{"team":"7"},"none":null}`)
	want := "events=a.created&events=a.deleted&meta=%7B%22team%22%3A%227%22%7D&url=https%3A%2F%2Fexample.org%2Fh%3Fx%3D1%26y%3D2"
	if string(r.Body) != want {
		t.Errorf("body\n%s, want\n%s", r.Body, want)
	}
	if got := header(r, "Content-Type"); got != "application/x-www-form-urlencoded" {
		t.Errorf("Content-Type %q", got)
	}
}

func header(r *httpcall.Request, name string) string {
	for _, f := range r.Header {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

func TestC008JSONInputIsPlacedOnce(t *testing.T) {
	t.Parallel()
	a := act("POST", "/p", actions.JSONBody, actions.Input{ID: "payload", In: actions.InBody, JSON: true})
	tests := []struct{ name, input, want string }{
		{name: "text", input: `{"payload":"{\"a\":{\"b\":[1,2]}}"}`, want: `{"payload":{"a":{"b":[1,2]}}}`},
		{name: "value", input: `{"payload": {"a" : {"b": [1, 2]}}}`, want: `{"payload":{"a":{"b":[1,2]}}}`},
		{name: "a text inside stays one", input: `{"payload":["{\"a\":1}"]}`, want: `{"payload":["{\"a\":1}"]}`},
		{name: "quoted text", input: `{"payload":"\"hello\""}`, want: `{"payload":"hello"}`},
		{name: "null as text is sent", input: `{"payload":"null"}`, want: `{"payload":null}`},
		{name: "null is left out", input: `{"payload":null}`, want: `{}`},
	}
	for _, tt := range tests {
		if r := build(t, a, tt.input); string(r.Body) != tt.want {
			t.Errorf("%s: body %s, want %s", tt.name, r.Body, tt.want)
		}
	}
	_, err := httpcall.Build(a, []byte(`{"payload":"{a:1}"}`))
	if err == nil || !strings.Contains(err.Error(), "payload") || !strings.Contains(err.Error(), "at byte 2") {
		t.Errorf("got %v, want a refusal that names payload and the position", err)
	}
}

func TestC012JSONBodiesKeepMarkup(t *testing.T) {
	t.Parallel()
	r := build(t, act("POST", "/m", actions.JSONBody, bodyInput("send")), `{"send":"GET /t?x=1\u0026y=2 \u003cok>"}`)
	if want := `{"send":"GET /t?x=1&y=2 <ok>"}`; string(r.Body) != want {
		t.Errorf("body %s, want %s", r.Body, want)
	}
}

func TestC013PathInputFillsOneSegment(t *testing.T) {
	t.Parallel()
	a := act("GET", "/records/{id}/detail", "", pathInput("id"))
	tests := []struct{ name, input, want string }{ // a want without "/" at its front is a problem
		{name: "climbing", input: `{"id":"../../admin/config"}`, want: "path_dots"},
		{name: "climbing by backslash", input: `{"id":"..\\..\\admin"}`, want: "path_dots"},
		{name: "query and fragment", input: `{"id":"a?x=1#f"}`, want: "/records/a%3Fx%3D1%23f/detail"},
		{name: "empty", input: `{"id":""}`, want: "path_empty"},
		{name: "unset", input: `{}`, want: "required"},
		{name: "null", input: `{"id":null}`, want: "required"},
		{name: "percent", input: `{"id":"%2e%2e%2f"}`, want: "/records/%252e%252e%252f/detail"},
		{name: "line break", input: `{"id":"a\r\nHost: x"}`, want: "path_control"},
		{name: "NUL", input: `{"id":"a\u0000b"}`, want: "path_control"},
		{name: "C1 control", input: `{"id":"a\u0085b"}`, want: "path_control"},
		{name: "delete", input: `{"id":"a\u007fb"}`, want: "path_control"},
		{name: "matrix parameter", input: `{"id":"a;b=1"}`, want: "/records/a%3Bb%3D1/detail"},
		{name: "dots inside", input: `{"id":"v1..2"}`, want: "/records/v1..2/detail"},
		{name: "other scripts", input: `{"id":"café 日"}`, want: "/records/caf%C3%A9%20%E6%97%A5/detail"},
		{name: "object", input: `{"id":{"a":1}}`, want: "type"},
		{name: "list", input: `{"id":["a"]}`, want: "type"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if strings.HasPrefix(tt.want, "/") {
				if r := build(t, a, tt.input); r.URL != "https://shop.test"+tt.want {
					t.Errorf("URL %s, want %s", r.URL, tt.want)
				}
				return
			}
			if diff := cmp.Diff([]string{"/id " + tt.want}, problems(t, a, tt.input)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStructuredInputsInAPath(t *testing.T) {
	t.Parallel()
	a := act("GET", "/x/{id}", "", actions.Input{ID: "id", In: actions.InPath, JSON: true})
	if got := build(t, a, `{"id":12}`).URL; got != "https://shop.test/x/12" {
		t.Errorf("URL %s", got)
	}
	for _, value := range []string{`{"a":1}`, `[1]`} {
		if got := problems(t, a, `{"id":`+value+`}`); got[0] != "/id type" {
			t.Errorf("%s: got %v", value, got)
		}
	}
	missing := act("GET", "/x/{other}", "", pathInput("id"))
	if got := problems(t, missing, `{"id":"1"}`); got[0] != "/other path_template" {
		t.Errorf("got %v", got)
	}
}

func TestC015PathEscapingIsNotQueryEscaping(t *testing.T) {
	t.Parallel()
	r := build(t, act("DELETE", "/filters/{name}", "", pathInput("name")), `{"name":"reports/2026/Q3 final+1"}`)
	if want := "https://shop.test/filters/reports%2F2026%2FQ3%20final%2B1"; r.URL != want {
		t.Errorf("URL %s, want %s", r.URL, want)
	}
}

func TestC017DotSegmentsAreRefused(t *testing.T) {
	t.Parallel()
	a := act("DELETE", "/stores/{id}", "", pathInput("id"))
	for _, id := range []string{"..", "."} {
		if got := problems(t, a, `{"id":"`+id+`"}`); got[0] != "/id path_dots" {
			t.Errorf("%s: got %v", id, got)
		}
	}
	if r := build(t, a, `{"id":"..."}`); r.URL != "https://shop.test/stores/..." {
		t.Errorf("URL %s", r.URL)
	}
	// Two inputs, or an input and a literal, may make such a segment together.
	for path, input := range map[string]string{
		"/x/{a}{b}": `{"a":"..","b":"."}`, "/x/.{a}/{b}": `{"a":".","b":"z"}`, "/x/%2E{a}/{b}": `{"a":".","b":"z"}`,
	} {
		two := act("GET", path, "", pathInput("a"), pathInput("b"))
		if got := problems(t, two, input); !strings.Contains(strings.Join(got, ","), "path_dots") {
			t.Errorf("%s: got %v", path, got)
		}
	}
}

func TestC018QueryIsEncodedOnce(t *testing.T) {
	t.Parallel()
	r := build(t, act("GET", "/feed", "", queryInput("$filter")), `{"$filter":"Name eq 'A/B' and Total gt 10"}`)
	if want := "https://shop.test/feed?%24filter=Name%20eq%20%27A%2FB%27%20and%20Total%20gt%2010"; r.URL != want || strings.Contains(r.URL, "%25") {
		t.Errorf("URL %s, want %s", r.URL, want)
	}
}

func TestC020UnsetAndEmpty(t *testing.T) {
	t.Parallel()
	query := act("GET", "/items", "", queryInput("q"))
	form := act("POST", "/items", actions.FormBody, bodyInput("q"))
	asJSON := act("POST", "/items", actions.JSONBody, bodyInput("q"))
	tests := []struct{ name, input, query, form, json string }{
		{name: "set", input: `{"q":"a&b=c"}`, query: "?q=a%26b%3Dc", form: "q=a%26b%3Dc", json: `{"q":"a&b=c"}`},
		{name: "unset", input: `{}`, query: "", form: "", json: `{}`},
		{name: "null", input: `{"q":null}`, query: "", form: "", json: `{}`},
		{name: "empty", input: `{"q":""}`, query: "?q=", form: "q=", json: `{"q":""}`},
		{name: "spaces", input: `{"q":" a b"}`, query: "?q=%20a%20b", form: "q=+a+b", json: `{"q":" a b"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := build(t, query, tt.input).URL; got != "https://shop.test/items"+tt.query {
				t.Errorf("query: %s", got)
			}
			if got := string(build(t, form, tt.input).Body); got != tt.form {
				t.Errorf("form: %s", got)
			}
			if got := string(build(t, asJSON, tt.input).Body); got != tt.json {
				t.Errorf("json: %s", got)
			}
		})
	}
}

func TestBodyMembersKeepTheOrderOfTheDeclaration(t *testing.T) {
	t.Parallel()
	a := act("PUT", "/x", actions.JSONBody, bodyInput("z"), actions.Input{ID: "a", In: actions.InBody, Name: "A-Name \"1\""}, bodyInput("m"))
	if got, want := string(build(t, a, `{"m":"3","a":"2","z":"1"}`).Body), `{"z":"1","A-Name \"1\"":"2","m":"3"}`; got != want {
		t.Errorf("body %s, want %s", got, want)
	}
	if r := build(t, act("POST", "/x", ""), `{}`); r.Body != nil || header(r, "Content-Type") != "" {
		t.Errorf("an action without body inputs has a body: %+v", r)
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	a := act("POST", "/x/{id}", actions.JSONBody, pathInput("id"), actions.Input{ID: "count", In: actions.InBody, Type: actions.Integer},
		actions.Input{ID: "title", In: actions.InBody, Required: true}, bodyInput("a/b~c"))
	got := problems(t, a, `{"id":"..","count":"many","titel":"x","a/b~c":{}}`)
	want := []string{"/titel unknown_input", "/id path_dots", "/count type", "/title required", "/a~1b~0c type"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, err := httpcall.Build(a, []byte(`{"titel":"x"}`))
	if !strings.Contains(err.Error(), "did you mean title?") {
		t.Errorf("%v does not name the nearest input", err)
	}
}

func TestInputsThatAreNoObject(t *testing.T) {
	t.Parallel()
	a := act("POST", "/x", actions.JSONBody, bodyInput("v"))
	for _, input := range []string{
		``, `[]`, `null`, `{"v":}`, `{"v":1,}`, `{"v":01}`, `{"v":"\ud83d"}`, "{\"v\":\"\xff\"}", "{\"v\":\"a\nb\"}",
		`{"v":"\x"}`, `{} {}`, `{"v":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`,
	} {
		if _, err := httpcall.Build(a, []byte(input)); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("Build(%.40q) = %v, want invalid_input", input, err)
		}
	}
	if got := problems(t, a, `{"v":"1","v":"2"}`); got[0] != "/v duplicate" {
		t.Errorf("got %v", got)
	}
	if got := string(build(t, a, `{"v":"\ud83d\ude00\u0000\u2028/"}`).Body); got != "{\"v\":\"😀\\u0000\u2028/\"}" {
		t.Errorf("body %s", got)
	}
}

func TestOriginsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, origin := range []string{"http://shop.test", "https://", "https://u:p@shop.test", "https://shop.test/x", "https://shop.test?x", "https://127.1", "shop.test"} {
		a := act("GET", "/", "")
		a.Origin = origin
		if _, err := httpcall.Build(a, []byte(`{}`)); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%s: got %v", origin, err)
		}
	}
	a := act("GET", "/", "")
	a.Origin = "https://BÜCHER.test"
	if got := build(t, a, `{}`).URL; got != "https://xn--bcher-kva.test/" {
		t.Errorf("URL %s", got)
	}
}

func TestSizesOfRequestsAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 9000)
	_, err := httpcall.Build(act("GET", "/", "", queryInput("q")), []byte(`{"q":"`+long+`"}`))
	var list fault.List
	if !errors.As(err, &list) || list[0].Kind != fault.TooLarge || list[0].Reason != "url" {
		t.Errorf("got %v", err)
	}
	big := strings.Repeat("x", 9<<20)
	_, err = httpcall.Build(act("POST", "/", actions.JSONBody, bodyInput("q")), []byte(`{"q":"`+big+`"}`))
	if !errors.As(err, &list) || list[0].Kind != fault.TooLarge || list[0].Reason != "request_body" {
		t.Errorf("got %v", err)
	}
}

func TestDigestNamesTheRequest(t *testing.T) {
	t.Parallel()
	a := act("POST", "/x", actions.JSONBody, bodyInput("v"))
	base := build(t, a, `{"v":"1"}`).Digest()
	if build(t, a, ` { "v" : "\u0031" } `).Digest() != base {
		t.Error("the same values give another digest")
	}
	others := map[string]*httpcall.Request{
		"body":   build(t, a, `{"v":"2"}`),
		"method": build(t, act("PUT", "/x", actions.JSONBody, bodyInput("v")), `{"v":"1"}`),
		"url":    build(t, act("POST", "/y", actions.JSONBody, bodyInput("v")), `{"v":"1"}`),
		"type":   {Method: "POST", URL: "https://shop.test/x", Body: []byte(`{"v":"1"}`)},
	}
	for name, r := range others {
		if r.Digest() == base {
			t.Errorf("another %s gives the same digest", name)
		}
	}
}

func TestSummaryIsBounded(t *testing.T) {
	t.Parallel()
	r := build(t, act("POST", "/x", actions.JSONBody, bodyInput("v")), `{"v":"`+strings.Repeat("é", 5000)+`"}`)
	s := r.Summary()
	if s.BodyBytes != len(r.Body) || len(s.Body) > 2010 || !strings.HasSuffix(s.Body, "é…") {
		t.Errorf("summary of %d bytes ends %q", s.BodyBytes, s.Body[len(s.Body)-8:])
	}
	if diff := cmp.Diff(map[string]string{"Accept": "application/json, */*;q=0.5", "Content-Type": "application/json"}, s.Headers); diff != "" {
		t.Error(diff)
	}
}
