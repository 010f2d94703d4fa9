package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// badInputs are inputs of runs.
func badInputs(t *testing.T, c *clumsy) {
	const good = `{"count":4,"day":"monday"}`
	tests := []badFile{
		{name: "no JSON", text: "count=4", want: "line 1 column 1"},
		{name: "truncated", text: good[:12], want: "invalid_input truncated line 1"},
		{name: "something behind it", text: good + "]", want: "line 1"},
		{name: "a member twice", text: `{"count":4,"count":5,"day":"x"}`, want: "invalid_input duplicate_member line 1"},
		{name: "invalid UTF-8", text: "{\"count\":4,\"day\":\"\xff\"}", want: "line 1"},
		{name: "a list", text: `[1]`, want: "invalid_input"},
		{name: "a text", text: `"{}"`, want: "invalid_input"},
		{name: "nothing of it", text: `{}`, want: "invalid_input"},
		{name: "a member missing", text: `{"count":4}`, want: "invalid_input"},
		{name: "wrong type", text: `{"count":"4","day":"monday"}`, want: "/count"},
		{name: "fraction", text: `{"count":4.5,"day":"monday"}`, want: "/count"},
		{name: "too small", text: `{"count":-1,"day":"monday"}`, want: "/count"},
		{name: "null", text: `{"count":null,"day":"monday"}`, want: "/count"},
		{name: "unknown member", text: `{"count":4,"day":"monday","a/b":1}`, want: "invalid_input"},
		{name: "deep", text: `{"count":4,"day":` + nested(100_000) + `}`, want: "limit depth line 1"},
		{name: "10 MB", text: `{"count":4,"day":"` + strings.Repeat("x", 10<<20) + `"}`, want: "too_large"},
		{name: "a huge number", text: `{"count":1e999999999,"day":"monday"}`, want: "limit number line 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := c.ask(t, http.MethodPost, "/projects/default/automations/orders/runs", `{"input":`+tt.text+`}`)
			c.says(t, "POST runs", a.refused(t, "the start"), tt.want)
			c.says(t, "run start", c.failed(t, "run", "start", "orders", "--input", "@"+writeFile(t, "input.json", tt.text)), tt.want)
		})
	}
}

// badBodies sends bodies that are no good to every route that takes one.
func badBodies(t *testing.T, c *clumsy) {
	routes := []string{
		"PUT /plugins/shop/draft", "PUT /plugins/shop/settings", "POST /plugins/shop/promote", "POST /plugins/shop/rollback",
		"PUT /projects/default/accounts", "POST /projects/default/grants", "POST /projects/default/automations/validate",
		"POST /projects/default/automations/apply", "PUT /projects/default/automations/orders/draft", "POST /projects/default/automations/orders/revert",
		"POST /projects/default/automations/orders/publish", "POST /projects/default/automations/orders/runs",
		"POST /projects/default/runs/01890000-0000-7000-8000-000000000000/steps/a.0.b/settle", "POST /projects/default/runs/01890000-0000-7000-8000-000000000000/cancel",
		"POST /me/keys", "PUT /me/password", "POST /projects",
	}
	bodies := []badFile{
		{name: "text", text: "hello"},
		{name: "cut off", text: `{"a":`},
		{name: "list", text: `[]`},
		{name: "text in JSON", text: `"x"`},
		{name: "number", text: "1e999999"},
		{name: "unknown member", text: `{"__proto__":{"admin":true}}`},
		{name: "twice", text: `{"to":"x","to":"y"}`},
		{name: "deep", text: nested(100_000)},
		{name: "invalid UTF-8", text: "{\"name\":\"\xc3\x28\"}"},
		{name: "NUL", text: "{\"name\":\"a\\u0000b\"}"},
		{name: "wrong types", text: `{"to":1,"name":{},"input":7,"identity":[],"secret":null,"items":{},"version":"x","as":3,"action":true,"message":[]}`},
		{name: "large", text: `{"name":"` + strings.Repeat("x", 20<<20) + `"}`},
	}
	for _, route := range routes {
		t.Run(strings.ReplaceAll(route[1:], "/", "_"), func(t *testing.T) {
			t.Parallel()
			method, path, _ := strings.Cut(route, " ")
			for _, b := range bodies {
				a := c.ask(t, method, path, b.text)
				if path == "/projects/default/automations/validate" && a.status == http.StatusOK && len(a.problem.Problems) > 0 {
					continue
				}
				a.refused(t, b.name)
			}
		})
	}
}

// badAddresses are paths and parameters.
func badAddresses(t *testing.T, c *clumsy) {
	for _, route := range []string{
		"GET /nothing", "GET /plugins/%00", "GET /plugins/..%2f..%2fme", "GET /plugins/" + strings.Repeat("x", 5000), "GET /plugins/shop/export?version=9", "GET /plugins/shop/impact?move=explode",
		"GET /plugins?limit=0", "GET /plugins?limit=100000", "GET /plugins?limit=many", "GET /plugins?cursor=%F0%9F",
		"GET /catalog?project=nowhere", "GET /projects/nowhere/runs", "GET /projects/%ff/runs", "GET /projects/default/runs?state=lost",
		"GET /projects/default/runs/42", "GET /projects/default/runs/00000000-0000-0000-0000-000000000000", "GET /projects/default/runs?cursor=00000000-0000-0000-0000-00000000000g",
		"GET /projects/default/automations/orders/versions/0", "GET /projects/default/automations/orders/versions/99999999999999999999", "GET /projects/default/automations/orders/diff?from=7",
		"GET /projects/default/automations/Orders", "GET /projects/default/automations/%2e%2e", "DELETE /projects/default/accounts/nobody", "DELETE /projects/default/grants",
		"DELETE /projects/default/grants?action=developer.shop.v1-0-0.nothing", "DELETE /plugins/nothing", "POST /plugins/nothing/enable", "PATCH /plugins/shop", "DELETE /me/keys/1",
		"GET /projects/default/runs/00000000-0000-0000-0000-000000000000/events", "POST /projects/default/runs/00000000-0000-0000-0000-000000000000/replay", "GET /audit?cursor=-1",
	} {
		t.Run(strings.ReplaceAll(route[:min(len(route), 60)], "/", "_"), func(t *testing.T) {
			t.Parallel()
			method, path, _ := strings.Cut(route, " ")
			a := c.ask(t, method, path, "")
			a.refused(t, route)
		})
	}
}

// badValues are well-formed calls that name what is not there or can't be.
func badValues(t *testing.T, c *clumsy) {
	tests := []struct{ route, body, want string }{
		{"POST /plugins/shop/promote", `{"to":"nowhere"}`, "/to"},
		{"POST /plugins/shop/promote", `{"to":"preview","projects":["nowhere"]}`, "project"},
		{"POST /plugins/shop/rollback", `{"to":"0.9.0"}`, "not_found"},
		{"POST /plugins/shop/rollback", `{"to":"latest"}`, "invalid_input"},
		{"PUT /plugins/other/draft", readTestdata(t, "shop.genisys-plugin.json"), "/manifest/id"},
		{"PUT /plugins/shop/settings", `{"format":"pawl-release@1","verify":{"action":"nothing"}}`, "/verify/action"},
		{"PUT /plugins/shop/settings", `{"format":"pawl-release@1","actions":{"list_items":{"safe":false}}}`, "/actions/list_items/safe"},
		{"PUT /projects/default/accounts", `{"name":"a","identity":"developer.shop.v9-9-9","secret":"x"}`, "developer.shop.v9-9-9"},
		{"PUT /projects/default/accounts", `{"name":"a","identity":"shop","secret":"x"}`, "identity"},
		{"PUT /projects/default/accounts", `{"name":"","identity":"developer.shop.v1-0-0","secret":"x"}`, "name"},
		{"PUT /projects/default/accounts", `{"name":"a","identity":"developer.shop.v1-0-0","secret":""}`, "secret"},
		{"PUT /projects/default/accounts", `{"name":"a","identity":"developer.shop.v1-0-0","secret":"two\nlines"}`, "secret"},
		{"PUT /projects/nowhere/accounts", `{"name":"a","identity":"developer.shop.v1-0-0","secret":"x"}`, "not_found project"},
		{"POST /projects/default/grants", `{"action":"developer.shop.v1-0-0.nothing"}`, "nothing"},
		{"POST /projects/default/grants", `{"action":"developer.shop.v1-0-0.create_order","agents":"plugin:shop"}`, "invalid_input"},
		{"POST /projects/default/grants", `{"plugin":"shop"}`, "invalid_input"},
		{"POST /projects/default/automations/orders/runs", `{"version":7}`, "not_found"},
		{"POST /projects/default/automations/orders/runs", `{"version":1,"draft":true}`, "/version"},
		{"POST /projects/default/automations/orders/revert", `{"version":7}`, "not_found"},
		{"POST /projects/default/automations/nothing/publish", `{}`, "not_found automation"},
		{"PUT /projects/default/automations/Bad%20Name/draft", `{"format":"pawl-automation@1","name":"x","steps":[]}`, "invalid_input"},
		{"POST /projects/nowhere/automations/orders/runs", `{}`, "not_found project"},
		{"POST /projects/default/runs/01890000-0000-7000-8000-000000000000/cancel", `{}`, "not_found run"},
		{"POST /projects/default/runs/01890000-0000-7000-8000-000000000000/steps/a/settle", `{"as":"failed"}`, "not_found run"},
		{"PUT /me/password", `{"password":"x"}`, "invalid_input"},
		{"POST /projects", `{"name":"Default Project"}`, "invalid_input"},
		{"POST /projects", `{"name":"default"}`, "conflict"},
	}
	for _, tt := range tests {
		t.Run(strings.ReplaceAll(tt.route+" "+tt.want, "/", "_"), func(t *testing.T) {
			t.Parallel()
			method, path, _ := strings.Cut(tt.route, " ")
			a := c.ask(t, method, path, tt.body)
			got := a.refused(t, tt.route)
			c.says(t, tt.route, append(got, a.problem.Detail), tt.want)
		})
	}
}

// badDrafts can be read and saved, so that people can work on them, and not published.
func badDrafts(t *testing.T, c *clumsy) {
	good := readTestdata(t, "orders.json")
	change := changes(t, good)
	must(t, c.api.Do(context.Background(), http.MethodPost, "/projects", map[string]string{"name": "elsewhere"}, nil))
	tests := []struct {
		badFile
		project string
	}{
		{badFile: change("unknown action", "v1-0-0.list_items", "v1-0-0.list_item", "unavailable unknown_action /steps/0/action")},
		{badFile: change("unknown version", "v1-0-0.list_items", "v1-0-1.list_items", "unavailable unknown_action /steps/0/action")},
		{badFile: change("unknown plugin", "developer.shop.v1-0-0.list_items", "developer.ship.v1-0-0.list_items", "unavailable unknown_action /steps/0/action")},
		{badFile: change("missing account", `"account": "main"`, `"account": "mine"`, "not_found missing_account /steps/0/account")},
		{badFile: change("missing input", `"n": "{{ inputs.count }}", `, ``, "invalid_input missing_input /steps/0/input")},
		{badFile: change("unknown input", `"$top": 100`, `"top": 100`, "invalid_input unknown_input /steps/0/input/top")},
		{badFile: change("dangling reference", "{{ steps.picked.output.n > 2 }}", "{{ steps.piked.output.n > 2 }}", "/steps/2/cases/0/when")},
		{badFile: change("reference to itself", `"{{ inputs.day }}/{{ i }}"`, `"{{ steps.label.output }}"`, "/steps/3/steps/0/value")},
		{badFile: change("reference ahead", `"{{ inputs.day }}/{{ i }}"`, `"{{ steps.gone.output }}"`, "/steps/3/steps/0/value")},
		{badFile: change("cycle", `{ "first": "{{ steps.items.output.body.items[0].big }}"`, `{ "first": "{{ steps.form.output }}"`, "/steps/1/value/first")},
		{badFile: change("out of its loop", `"{{ inputs.count < 0 }}"`, `"{{ item.id < 0 }}"`, "/steps/6/if")},
		{badFile: change("expression that ends too early", "{{ inputs.count < 0 }}", "{{ inputs.count < }}", "expression syntax /steps/6/if")},
		{badFile: change("expression without end", "{{ inputs.count < 0 }}", "{{ inputs.count < 0", "/steps/6/if")},
		{badFile: change("unknown function", "size(steps.items", "length(steps.items", "/steps/1/value/n")},
		{badFile: badFile{"wrong project", good, "not_found missing_account /steps/0/account"}, project: "elsewhere"},
		{badFile: badFile{"no grants there", good, "permission_required grant /steps/5/action"}, project: "elsewhere"},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := func(args ...string) []string {
				if tt.project != "" {
					args = append(args, "--project", tt.project)
				}
				return args
			}
			name := fmt.Sprintf("draft-%d", i)
			file := writeFile(t, name+".json", tt.text)
			found := c.failed(t, in("automation", "validate", file)...)
			c.says(t, "automation validate", found, tt.want)
			d := commandLine{t, c.bin, c.env}
			var applied struct{ Items []verdict }
			d.read(&applied, in("automation", "apply", file)...)
			if got := spots(applied.Items[0].Problems); !slices.Equal(got, found) {
				t.Errorf("automation apply says %q, want %q", got, found)
			}
			if got := c.failed(t, in("automation", "publish", name)...); !slices.Equal(got, found) {
				t.Errorf("automation publish says %q, want %q", got, found)
			}
			c.says(t, "run start", c.failed(t, in("run", "start", name, "--input", `{"count":1,"day":"x"}`)...), "not_published")
			c.says(t, "run start --draft", c.failed(t, in("run", "start", name, "--draft", "--input", `{"count":1,"day":"x"}`)...), tt.want)
		})
	}
}
