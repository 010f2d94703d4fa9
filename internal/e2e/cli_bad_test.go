package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/e2e/process"
)

// clumsy is somebody whose files and calls are wrong, and an installation in which nothing may change by them.
type clumsy struct {
	commandLine
	api process.API
}

// answer is what the API says to one request.
type answer struct {
	status int
	media  string
	text   string
	// problem has the members of a refusal.
	problem struct {
		trouble
		Status        int
		Type, Detail  string
		Errors        []trouble
		Problems      []trouble // of a verdict
		Title, Advice string
	}
}

func (c *clumsy) ask(t *testing.T, method, path, body string) (a answer) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, c.api.URL+"/api/v1"+path, strings.NewReader(body))
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+c.api.Key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("If-Match", `"1"`)
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	a.status, a.media, a.text = resp.StatusCode, resp.Header.Get("Content-Type"), string(text)
	if len(text) > 0 {
		if err := json.Unmarshal(text, &a.problem); err != nil {
			t.Errorf("%s %s answers %d with %.300s", method, path, a.status, text)
		}
	}
	return a
}

// refused checks that an answer is a refusal for which the caller is to blame, and gives what is wrong and where.
func (a *answer) refused(t *testing.T, what string) []string {
	t.Helper()
	if a.status < 400 || a.status > 499 || a.media != "application/problem+json" || a.problem.Status != a.status || a.problem.Kind == "" || a.problem.Detail == "" || a.problem.Type == "" {
		t.Errorf("%s is answered with %d %s: %.500s", what, a.status, a.media, a.text)
	}
	if len(a.problem.Errors) > 0 {
		return spots(a.problem.Errors)
	}
	return spots([]trouble{a.problem.trouble})
}

// spots says of each problem its kind, its reason and its place.
func spots(list []trouble) []string {
	var all []string
	for _, p := range list {
		text := p.Kind + " " + p.Reason + " " + p.Where.Pointer
		if p.Where.Line > 0 {
			text += fmt.Sprintf(" line %d column %d", p.Where.Line, p.Where.Column)
		}
		all = append(all, strings.Join(strings.Fields(text), " "))
	}
	return all
}

// failed runs a command that must be refused, and gives what it says is wrong and where.
func (c *clumsy) failed(t *testing.T, args ...string) []string {
	t.Helper()
	d := commandLine{t, c.bin, c.env}
	s := d.say("", append(args, "--json")...)
	if s.code != 1 {
		t.Errorf("pawl %s: exit code %d, want 1\n%.500s%.500s", strings.Join(args, " "), s.code, s.out, s.err)
	}
	text := s.err
	if strings.TrimSpace(text) == "" {
		text = s.out
	}
	if strings.HasPrefix(text, "[") { // the verdicts of plugin validate
		var verdicts []verdict
		d.parse(text, &verdicts)
		return spots(verdicts[0].Problems)
	}
	var said struct {
		trouble
		Errors, Problems []trouble
	}
	d.parse(text, &said)
	switch {
	case len(said.Errors) > 0:
		return spots(said.Errors)
	case len(said.Problems) > 0:
		return spots(said.Problems)
	}
	return spots([]trouble{said.trouble})
}

// state is everything that a refused call must leave as it is.
func (c *clumsy) state(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	for _, path := range []string{
		"/plugins", "/projects/default/accounts", "/projects/default/grants", "/projects/default/automations", "/projects/default/runs", "/audit?limit=200",
		"/plugins/shop", "/projects/default/automations/orders", "/projects/default/automations/orders/versions",
	} {
		a := c.ask(t, http.MethodGet, path, "")
		if a.status != http.StatusOK {
			t.Fatalf("GET %s answers %d", path, a.status)
		}
		fmt.Fprintln(&b, path)
		must(t, json.Indent(&b, []byte(a.text), "", " "))
	}
	return b.String()
}

// TestBadInput: a clear error with its place, through API and command line alike, never a 500, never half an effect.
func TestBadInput(t *testing.T) {
	t.Parallel()
	in := newInstallation(t)
	c := &clumsy{in.commandLine(t), in.api}
	c.do("plugin", "push", "testdata/shop.genisys-plugin.json")
	c.do("plugin", "promote", "shop", "--to", "preview")
	c.do("plugin", "promote", "shop", "--to", "production")
	if s := c.say("key", "account", "set", "main", "--identity", "developer.shop.v1-0-0"); s.code != 0 {
		t.Fatal(s.err)
	}
	for _, a := range []string{"create_order", "form_order", "patch_order", "delete_order"} {
		c.do("grant", "add", "--action", "developer.shop.v1-0-0."+a)
	}
	c.do("automation", "apply", "testdata/orders.json")
	c.do("automation", "publish", "orders")
	for _, part := range []struct {
		name string
		test func(t *testing.T, c *clumsy)
	}{
		{"plugin files", badPlugins},
		{"automation files", badAutomations},
		{"inputs", badInputs},
		{"bodies everywhere", badBodies},
		{"addresses", badAddresses},
		{"values", badValues},
	} {
		before := c.state(t)
		t.Run(part.name, func(t *testing.T) { part.test(t, c) })
		if diff := cmp.Diff(before, c.state(t)); diff != "" {
			t.Errorf("bad %s changed something (-before +after):\n%s", part.name, diff)
		}
	}
	t.Run("drafts that can't be published", func(t *testing.T) { badDrafts(t, c) })
	if s := in.program.Out.String(); strings.Contains(s, "panic") || strings.Contains(s, "level=ERROR") {
		t.Errorf("the server's log has errors")
	}
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

// texts are texts that are no good as any JSON document. want holds for the command line and the API.
func texts(document string) []badFile {
	return []badFile{
		{name: "empty", text: "", want: "invalid_input"},
		{name: "no JSON", text: "format: genisys", want: "line 1 column 1"},
		{name: "truncated", text: document[:len(document)/2], want: "line "},
		{name: "truncated in a text", text: document[:strings.Index(document, "@1")], want: "line "},
		{name: "something behind it", text: document + "}", want: "line "},
		{name: "byte order mark", text: "\ufeff" + document, want: "line 1 column 1"},
		{name: "invalid UTF-8", text: strings.Replace(document, `"name": "`, "\"name\": \"\xff\xfe", 1), want: "line "},
		{name: "half a surrogate pair", text: strings.Replace(document, `"name": "`, `"name": "\ud83d`, 1), want: "line "},
		{name: "a member twice", text: strings.Replace(document, `{`, `{"format":"x",`, 1), want: "invalid_input"},
		{name: "a list", text: "[]", want: "invalid_input"},
		{name: "null", text: "null", want: "invalid_input"},
		{name: "a number", text: "1e400", want: "invalid_input"},
		{name: "no format", text: "{}", want: "/format"},
		{name: "another format", text: strings.Replace(document, "@1", "@2", 1), want: "/format"},
		{name: "unknown member", text: strings.Replace(document, `"format"`, `"a/b~": 1, "format"`, 1), want: "/a~1b~0"},
		{name: "10 MB of space", text: strings.Repeat(" ", 10<<20) + document, want: "too_large"},
		{name: "10 MB of lists", text: `{"format":[` + strings.Repeat("[],", 3<<20) + `1]}`, want: "too_large"},
		{name: "deep lists", text: `{"format":` + nested(100_000) + "}", want: "limit depth line "},
		{name: "deep objects", text: strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000), want: "limit depth line "},
	}
}

type badFile struct {
	name, text string
	want       string // in one of the problems: kind, reason and place
}

// says checks that one of the problems has every word that is wanted.
func (c *clumsy) says(t *testing.T, way string, spots []string, want string) {
	t.Helper()
	has := func(spot string) bool {
		return !slices.ContainsFunc(strings.Fields(want), func(word string) bool { return !strings.Contains(spot, word) })
	}
	if !slices.ContainsFunc(spots, has) {
		t.Errorf("%s says %.1000q, want %q", way, spots, want)
	}
}

func badPlugins(t *testing.T, c *clumsy) {
	good := readTestdata(t, "shop.genisys-plugin.json")
	change := changes(t, good)
	tests := append(texts(good),
		change("wrong type", `"version": "1.0.0"`, `"version": 1`, "/manifest/version"),
		change("id", `"id": "shop"`, `"id": "Shop!"`, "/manifest/id"),
		change("private address", "https://example.com", "https://127.0.0.1", "/manifest/app/baseUrl"),
		change("plain HTTP", "https://example.com", "http://example.com", "/manifest/app/baseUrl"),
		change("reserved header", "header:X-Api-Key", "header:Cookie", "/manifest/app/auth"),
		change("traversal", `"/item/{id}"`, `"/../item/{id}"`, "/manifest/app/actions/1/path"),
		change("dangling field", `"/item/{id}"`, `"/item/{id}/{more}"`, "/manifest/app/actions/1/path"),
		change("body on a GET", `"label": "Filter", "in": "query"`, `"label": "Filter", "in": "body"`, "/manifest/app/actions/0/inputs/1/in"),
		change("two actions of one id", `"id": "get_item"`, `"id": "list_items"`, "/manifest/app/actions/1/id"),
		change("two inputs of one id", `"id": "filter"`, `"id": "n"`, "/manifest/app/actions/0/inputs/1/id"),
		change("secrets in it", `"auth": "header:X-Api-Key"`, `"auth": "header:X-Api-Key", "key": "abc"`, "/manifest/app/key"),
		change("logo", `"logo": ""`, `"logo": "https://example.com/logo.png"`, "/manifest/app/logo"),
		change("no code", `"code": "export default {};"`, `"code": ""`, "/code"),
	)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := writeFile(t, "bad.genisys-plugin.json", tt.text)
			a := c.ask(t, http.MethodPut, "/plugins/shop/draft", tt.text)
			got := map[string][]string{
				"plugin validate": c.failed(t, "plugin", "validate", file),
				"plugin push":     c.failed(t, "plugin", "push", file),
				"PUT draft":       a.refused(t, "the draft"),
			}
			for way, spots := range got {
				c.says(t, way, spots, tt.want)
			}
			if !slices.Equal(got["plugin validate"], got["plugin push"]) || (a.status != http.StatusRequestEntityTooLarge && tt.text != "" && !slices.Equal(got["plugin push"], got["PUT draft"])) {
				t.Errorf("the ways differ: %q", got)
			}
		})
	}
}

func badAutomations(t *testing.T, c *clumsy) {
	good := readTestdata(t, "orders.json")
	change := changes(t, good)
	tests := append(texts(good),
		change("wrong type of a member", `"concurrency": 3`, `"concurrency": "3"`, "/steps/3/concurrency"),
		change("no steps", `"steps": [`, `"step": [`, "/steps"),
		change("unknown type of step", `"type": "branch"`, `"type": "if"`, "/steps/2/type"),
		change("member of another type", `"type": "set"`, `"type": "check"`, "/steps/1/value"),
		change("unknown member of a step", `"name": "Read the items"`, `"title": "Read the items"`, "/steps/0/title"),
		change("duplicate id", `"id": "label"`, `"id": "items"`, "/steps/3/steps/0/id"),
		change("id of another form", `"id": "form"`, `"id": "The form"`, "/steps/5/id"),
		change("reserved word", `"as": "item"`, `"as": "in"`, "/steps/3/as"),
		change("no identity", "developer.shop.v1-0-0.list_items", "shop.list_items", "/steps/0/action"),
		change("identity with a range", "developer.shop.v1-0-0.list_items", "developer.shop.v1-x.list_items", "/steps/0/action"),
		change("policy", `"max_attempts": 4`, `"max_attempts": 0`, "/steps/4/policy/max_attempts"),
		change("duration", `"initial": "10ms"`, `"initial": "10 minutes"`, "/steps/4/policy/initial"),
		change("schema of inputs", `"type": "integer", "minimum": 0`, `"type": "whole"`, "/inputs"),
		anyStep("steps in steps in steps", strings.Repeat(`{"id":"a","type":"each","items":[1],"as":"x","steps":[`, 30)+strings.Repeat("]}", 30), "limit depth"),
		anyStep("too many steps", sets(2001), "limit steps"),
	)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := writeFile(t, "orders.json", tt.text)
			draft := c.ask(t, http.MethodPut, "/projects/default/automations/orders/draft", tt.text)
			got := map[string][]string{
				"automation validate": c.failed(t, "automation", "validate", file),
				"automation apply":    c.failed(t, "automation", "apply", file),
				"PUT draft":           draft.refused(t, "the draft"),
			}
			validate := c.ask(t, http.MethodPost, "/projects/default/automations/validate", tt.text)
			if validate.status == http.StatusOK {
				got["POST validate"] = spots(validate.problem.Problems)
			} else {
				got["POST validate"] = validate.refused(t, "validation")
			}
			if json.Valid([]byte(tt.text)) && len(tt.text) < 1<<20 {
				apply := c.ask(t, http.MethodPost, "/projects/default/automations/apply", `{"items":[{"name":"first","document":`+good+`},{"name":"orders","document":`+tt.text+`}]}`)
				got["POST apply"] = apply.refused(t, "apply")
			}
			for way, spots := range got {
				c.says(t, way, spots, tt.want)
			}
		})
	}
}

// sets are some steps.
func sets(n int) string {
	steps := make([]string, n)
	for i := range steps {
		steps[i] = fmt.Sprintf(`{"id":"s%d","type":"set","value":1}`, i)
	}
	return strings.Join(steps, ",")
}

// changes makes files that are a good one with one change.
func changes(t *testing.T, good string) func(name, from, to, want string) badFile {
	return func(name, from, to, want string) badFile {
		if !strings.Contains(good, from) {
			t.Fatalf("%s: the file has no %s", name, from)
		}
		return badFile{name, strings.Replace(good, from, to, 1), want}
	}
}

// anyStep is a document of one step.
func anyStep(name, step, want string) badFile {
	return badFile{name, `{"format":"pawl-automation@1","name":"Bad","steps":[` + step + `]}`, want}
}
