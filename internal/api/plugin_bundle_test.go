package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

const sidecar = `{"format":"pawl-release@1","actions":{"create_order":{"idempotency":{"honours":true}}}}`

// named is the plugin shop under another id.
func named(id, version string) string {
	return strings.Replace(plugin(version), `"id":"shop"`, `"id":"`+id+`"`, 1)
}

func bundle(entries ...string) string {
	return `{"format":"genisys-plugin-bundle@1","plugins":[` + strings.Join(entries, ",") + `]}`
}

// TestBundleTravels exports two frozen plugins from one installation and imports them into another: the digests are the same.
func TestBundleTravels(t *testing.T) {
	t.Parallel()
	from, to := newSite(t), newSite(t)
	import1 := bundle(`{"plugin":`+plugin("1.0.0")+`,"settings":`+sidecar+`}`, `{"plugin":`+named("desk", "2.1.0")+`}`)
	made := from.must(200, "POST", root+"/plugin-bundle", `{"bundle":`+import1+`}`)
	if made.json(t, "items.0.change") != "create" || made.json(t, "items.1.id") != "desk" {
		t.Fatalf("import: %s", made.body)
	}
	for _, id := range []string{"shop", "desk"} {
		from.must(200, "POST", root+"/plugins/"+id+"/promote", `{"to":"preview"}`)
		from.must(200, "POST", root+"/plugins/"+id+"/promote", `{"to":"production"}`)
	}
	file := from.must(200, "GET", root+"/plugin-bundle?id=shop&id=desk", "")
	if got := file.header.Get("Content-Disposition"); !strings.Contains(got, "genisys-plugin-bundle.json") {
		t.Errorf("Content-Disposition: %s", got)
	}
	to.must(200, "POST", root+"/plugin-bundle", `{"bundle":`+file.body+`}`)
	for _, id := range []string{"shop", "desk"} {
		to.must(200, "POST", root+"/plugins/"+id+"/promote", `{"to":"preview"}`)
		want := from.must(200, "GET", root+"/plugins/"+id, "").json(t, "production.digest")
		if got := to.must(200, "GET", root+"/plugins/"+id, "").json(t, "preview.digest"); got != want || want == "" {
			t.Errorf("%s has the digest %s after the import; want %s", id, got, want)
		}
	}
	if s := to.must(200, "GET", root+"/plugins/shop/settings?version=preview", ""); s.json(t, "format") != "pawl-release@1" {
		t.Errorf("settings: %s", s.body)
	}
	to.must(404, "GET", root+"/plugins/desk/settings", "")
}

func TestBundleIsPlannedAndImportedWhole(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.must(201, "PUT", root+"/plugins/shop/draft", plugin("1.0.0"))
	both := bundle(`{"plugin":`+plugin("1.1.0")+`}`, `{"plugin":`+named("desk", "1.0.0")+`}`)
	plan := s.must(200, "POST", root+"/plugin-bundle", `{"plan":true,"bundle":`+both+`}`)
	if plan.json(t, "items.0.change") != "update" || plan.json(t, "items.0.rev") != "1" || plan.json(t, "items.1.change") != "create" || plan.json(t, "items.1.rev") != "0" {
		t.Errorf("plan: %s", plan.body)
	}
	s.must(404, "GET", root+"/plugins/desk", "")
	for _, revs := range []string{`{}`, `{"shop":2}`} {
		if a := s.call(s.admin, "POST", root+"/plugin-bundle", `{"revs":`+revs+`,"bundle":`+both+`}`); a.json(t, "reason") != "stale_draft" {
			t.Errorf("with %s: %d %s", revs, a.status, a.body)
		}
		s.must(404, "GET", root+"/plugins/desk", "") // nothing of a refused import is there
	}
	done := s.must(200, "POST", root+"/plugin-bundle", `{"revs":{"shop":1},"bundle":`+both+`}`)
	if done.json(t, "items.0.rev") != "2" || done.json(t, "items.1.rev") != "1" {
		t.Errorf("import: %s", done.body)
	}
	again := s.must(200, "POST", root+"/plugin-bundle", `{"revs":{"shop":2,"desk":1},"bundle":`+both+`}`)
	if again.json(t, "items.0.change") != "unchanged" || again.json(t, "items.1.change") != "unchanged" {
		t.Errorf("again: %s", again.body)
	}
}

func TestBadBundlesNameTheirPlace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, tt := range []struct{ name, give, want string }{
		{"no bundle", `{"bundle":{}}`, "/bundle/format"},
		{"a bad plugin", `{"bundle":` + bundle(`{"plugin":`+plugin("1")+`}`) + `}`, "/bundle/plugins/0/plugin/manifest/version"},
		{"bad settings", `{"bundle":` + bundle(`{"plugin":`+plugin("1.0.0")+`,"settings":{"format":"pawl-release@1","actions":{"x":{}}}}`) + `}`, "/bundle/plugins/0/settings/actions/x"},
		{"twice", `{"bundle":` + bundle(`{"plugin":`+plugin("1.0.0")+`}`, `{"plugin":`+plugin("1.0.1")+`}`) + `}`, "/bundle/plugins/1/plugin/manifest/id"},
	} {
		if a := s.call(s.admin, "POST", root+"/plugin-bundle", tt.give); a.status != 422 || !strings.Contains(a.body, `"`+tt.want+`"`) {
			t.Errorf("%s: %d %s; want %s", tt.name, a.status, a.body, tt.want)
		}
	}
	s.must(404, "GET", root+"/plugin-bundle?id=none", "")
	s.must(422, "GET", root+"/plugin-bundle", "")
	s.must(422, "GET", root+"/plugin-bundle?"+strings.Repeat("id=a&", 201), "")
	s.must(422, "GET", root+"/plugin-bundle?id=shop&version="+url.QueryEscape(strings.Repeat("1", 41)), "")
}

func TestSettingsAreTakenAway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	tag := s.must(201, "PUT", root+"/plugins/shop/draft", plugin("1.0.0")).header.Get("ETag")
	tag = s.must(200, "PUT", root+"/plugins/shop/settings", sidecar, "If-Match", tag).header.Get("ETag")
	if a := s.must(200, "GET", root+"/plugins/shop/settings?version=draft", ""); a.json(t, "actions.create_order.idempotency.honours") != "true" {
		t.Errorf("settings: %s", a.body)
	}
	s.must(428, "DELETE", root+"/plugins/shop/settings", "")
	s.must(200, "DELETE", root+"/plugins/shop/settings", "", "If-Match", tag)
	s.must(404, "GET", root+"/plugins/shop/settings?version=draft", "")
	s.must(404, "GET", root+"/plugins/none/settings", "")
}

// TestToolSchemasAreCheckedAtThePush: a schema that can't be used is refused when the plugin is pushed, with its place.
func TestToolSchemasAreCheckedAtThePush(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	tool := `"tools":[{"name":"count_it","description":"Counts.","risk":"read","input":%s}]`
	for _, tt := range []struct{ name, schema, want string }{
		{"unknown dialect", `{"$schema":"http://json-schema.org/draft-04/schema#"}`, "/manifest/tools/0/input/$schema"},
		{"remote", `{"properties":{"a":{"$ref":"https://evil.example/s.json"}}}`, "/manifest/tools/0/input/properties/a/$ref"},
		{"no object", `{"type":"string"}`, "/manifest/tools/0/input/type"},
		{"typing error", `{"type":"object","propertys":{}}`, "/manifest/tools/0/input/propertys"},
	} {
		file := strings.Replace(plugin("1.0.0"), `"tools":[]`, fmt.Sprintf(tool, tt.schema), 1)
		if a := s.call(s.admin, "PUT", root+"/plugins/shop/draft", file); a.status != 422 || !strings.Contains(a.body, `"`+tt.want+`"`) {
			t.Errorf("%s: %d %s; want %s", tt.name, a.status, a.body, tt.want)
		}
	}
	s.must(404, "GET", root+"/plugins/shop", "")
}

// TestAPushTellsWhatNoLongerFits: settings stay when the file changes, and what they say of things that are gone is told.
func TestAPushTellsWhatNoLongerFits(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	tag := s.must(201, "PUT", root+"/plugins/shop/draft", plugin("1.0.0")).header.Get("ETag")
	tag = s.must(200, "PUT", root+"/plugins/shop/settings", sidecar, "If-Match", tag).header.Get("ETag")
	other := strings.Replace(plugin("1.0.0"), "create_order", "open_order", 1)
	pushed := s.must(200, "PUT", root+"/plugins/shop/draft", other, "If-Match", tag)
	if pushed.json(t, "warnings.0.where.pointer") != "/actions/create_order" {
		t.Errorf("push: %s", pushed.body)
	}
	if a := s.must(422, "POST", root+"/plugins/shop/promote", `{"to":"preview"}`); !strings.Contains(a.body, "/actions/create_order") {
		t.Errorf("promote: %s", a.body)
	}
}
