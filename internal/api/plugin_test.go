package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

const canary = "canary-5c1e7d"

func TestPluginThroughItsStages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.released("1.0.0")
	s.must(428, "PUT", root+"/plugins/shop/draft", plugin("1.1.0"))
	catalog := s.must(200, "GET", root+"/catalog?query=create+order", "")
	if catalog.json(t, "items.0.actions.0.identity") != "developer.shop.v1-0-0.create_order" || catalog.json(t, "items.0.actions.0.risk") != "write" {
		t.Errorf("catalog: %s", catalog.body)
	}
	if schema := catalog.json(t, "items.0.actions.0.input_schema"); !strings.Contains(schema, `"required":["title"]`) {
		t.Errorf("input schema: %s", schema)
	}
	s.must(200, "PUT", project+"/accounts", `{"name":"shop","identity":"developer.shop.v1-0-0","secret":"`+canary+`"}`)
	step := `{"id":"a","type":"action","action":"developer.shop.v1-0-0.list_orders","account":"shop"}`
	s.published("orders", step)
	impact := s.must(200, "GET", root+"/plugins/shop/impact?move=disable", "")
	if impact.json(t, "automations.0.name") != "orders" || impact.json(t, "automations.0.steps.0.id") != "a" || impact.json(t, "account_count") != "1" {
		t.Errorf("impact: %s", impact.body)
	}
	s.released("1.1.0")
	shown := s.must(200, "GET", root+"/plugins/shop", "")
	if shown.json(t, "bindings.0.state") != "withdrawn" || shown.json(t, "bindings.0.reason") != "superseded" || shown.json(t, "production.version") != "1.1.0" {
		t.Errorf("after 1.1.0: %s", shown.body)
	}
	if a := s.must(200, "GET", project+"/automations/orders", ""); a.json(t, "problems.0.reason") != "withdrawn" {
		t.Errorf("the automation: %s", a.body)
	}
	back := s.must(200, "POST", root+"/plugins/shop/rollback", `{"to":"1.0.0"}`)
	if back.json(t, "published.0") != "developer.shop.v1-0-0" || back.json(t, "withdrawn.0") != "developer.shop.v1-1-0" {
		t.Errorf("rollback: %s", back.body)
	}
	if a := s.must(200, "GET", project+"/automations/orders", ""); a.json(t, "problems") != "[]" {
		t.Errorf("after the rollback: %s", a.body)
	}
	if again := s.must(200, "POST", root+"/plugins/shop/rollback", `{"to":"1.0.0"}`); again.json(t, "changed") != "false" {
		t.Errorf("rollback again: %s", again.body)
	}
	history := s.must(200, "GET", root+"/plugins/shop/history?limit=1", "")
	if history.json(t, "items.0.verb") != "plugin.rollback" || history.json(t, "next") == "" {
		t.Errorf("history: %s", history.body)
	}
	file := s.must(200, "GET", root+"/plugins/shop/export?version=1.1.0", "")
	if file.json(t, "manifest.version") != "1.1.0" {
		t.Errorf("export: %.200s", file.body)
	}
	s.must(200, "DELETE", root+"/plugins/shop", "")
	if a := s.must(200, "GET", root+"/catalog", ""); a.json(t, "items") != "[]" {
		t.Errorf("catalog after removing: %s", a.body)
	}
	s.must(201, "PUT", root+"/plugins/shop/draft", plugin("1.2.0"))
}

func TestSettingsOfADraft(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	tag := s.must(201, "PUT", root+"/plugins/shop/draft", plugin("1.0.0")).header.Get("ETag")
	settings := root + "/plugins/shop/settings"
	good := `{"format":"pawl-release@1","actions":{"create_order":{"idempotency":{"honours":true}}}}`
	s.must(428, "PUT", settings, good)
	s.must(422, "PUT", settings, strings.Replace(good, "create_order", "no_such", 1), "If-Match", tag)
	s.must(200, "PUT", settings, good, "If-Match", tag)
	s.must(412, "PUT", settings, good, "If-Match", tag)
	if a := s.must(200, "GET", root+"/plugins/shop", ""); a.json(t, "settings.format") != "pawl-release@1" {
		t.Errorf("%s", a.body)
	}
}

// TestC157TheKeyIsNowhere looks for the key of an account in every answer and in every table but the sealed one.
func TestC157TheKeyIsNowhere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.released("1.0.0")
	set := s.must(200, "PUT", project+"/accounts", `{"name":"shop","identity":"developer.shop.v1-0-0","secret":"`+canary+`"}`)
	bodies := []answer{
		set, s.must(200, "GET", project+"/accounts", ""), s.must(200, "GET", root+"/audit", ""),
		s.call(s.admin, "PUT", project+"/accounts", `{"name":"shop","identity":"developer.shop.v1-0-0","secret":"`+canary+`\n"}`),
		s.call(s.admin, "PUT", project+"/accounts", `{"name":"shop","identity":7,"secret":"`+canary+`"}`),
		s.call(s.admin, "PUT", project+"/accounts", `{"name":"shop","secret":"`+canary+`","extra":"`+canary+`"}`),
		s.call(s.admin, "PUT", project+"/accounts", `{"name":"shop","secret":["`+canary+`"]`),
		s.must(200, "GET", "/metrics", ""),
	}
	for i, a := range bodies {
		if strings.Contains(a.body, canary) {
			t.Errorf("answer %d shows the key: %s", i, a.body)
		}
	}
	var found int
	err := s.pool.QueryRow(t.Context(), `select (select count(*) from audit where detail like $1) + (select count(*) from secret where position($2::bytea in sealed) > 0)
		+ (select count(*) from account a where a::text like $1)`, "%"+canary+"%", []byte(canary)).Scan(&found)
	if err != nil || found != 0 {
		t.Errorf("the key is stored in clear (%d, %v)", found, err)
	}
	if set.json(t, "status") != "unchecked" {
		t.Errorf("a saved key is %s", set.json(t, "status"))
	}
}

func TestGrantsAndAccounts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.released("1.0.0")
	action := `{"action":"developer.shop.v1-0-0.create_order"}`
	first, again := s.must(200, "POST", project+"/grants", action), s.must(200, "POST", project+"/grants", action)
	if first.json(t, "id") != again.json(t, "id") {
		t.Errorf("granting twice made two: %s %s", first.body, again.body)
	}
	s.must(200, "POST", project+"/grants", `{"agents":"plugin:shop"}`)
	if list := s.must(200, "GET", project+"/grants?limit=1", ""); list.json(t, "items.0.kind") != "action" || list.json(t, "next") == "" {
		t.Errorf("list: %s", list.body)
	}
	s.must(200, "DELETE", project+"/grants?action=developer.shop.v1-0-0.create_order", "")
	s.must(404, "DELETE", project+"/grants?action=developer.shop.v1-0-0.create_order", "")
	one := s.must(200, "PUT", project+"/accounts", `{"name":"a b","identity":"developer.shop.v1-0-0","secret":"k1"}`)
	two := s.must(200, "PUT", project+"/accounts", `{"name":"a b","identity":"developer.shop.v1-0-0","secret":"k2"}`)
	if one.json(t, "id") != two.json(t, "id") || two.json(t, "key_version") != "2" {
		t.Errorf("rotating: %s %s", one.body, two.body)
	}
	s.must(200, "DELETE", project+"/accounts/a%20b", "")
	if list := s.must(200, "GET", project+"/accounts", ""); list.json(t, "items") != "[]" {
		t.Errorf("accounts: %s", list.body)
	}
	audit := s.must(200, "GET", root+"/audit?project=default", "")
	if !strings.Contains(audit.body, "ana@example.org") || audit.json(t, "items.0.verb") == "" {
		t.Errorf("audit: %s", audit.body)
	}
}

func TestManyPromotionsAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.must(201, "PUT", root+"/plugins/shop/draft", plugin("1.0.0"))
	s.must(200, "POST", root+"/plugins/shop/promote", `{"to":"preview"}`)
	var wg sync.WaitGroup
	changed := make(chan string, 8)
	for range 8 {
		wg.Go(func() {
			a := s.call(s.admin, "POST", root+"/plugins/shop/promote", `{"to":"production"}`)
			changed <- fmt.Sprint(a.status, a.json(t, "changed"))
		})
	}
	wg.Wait()
	close(changed)
	count := map[string]int{}
	for c := range changed {
		count[c]++
	}
	if count["200true"] != 1 || count["200false"] != 7 {
		t.Errorf("got %v", count)
	}
}

func TestKeepPrevious(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.released("1.0.0")
	s.must(200, "PUT", root+"/plugins/shop/draft", plugin("1.1.0"), "If-Match", `"1"`)
	s.must(200, "POST", root+"/plugins/shop/promote", `{"to":"preview","projects":["default"]}`)
	s.must(422, "POST", root+"/plugins/shop/promote", `{"to":"production","keep_previous":"2001-01-01T00:00:00Z"}`)
	until := time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
	s.must(200, "POST", root+"/plugins/shop/promote", `{"to":"production","keep_previous":"`+until+`"}`)
	a := s.must(200, "GET", root+"/catalog", "")
	if a.json(t, "items.0.state") != "kept" || a.json(t, "items.1.identity") != "developer.shop.v1-1-0" {
		t.Errorf("catalog: %.400s", a.body)
	}
	list := s.must(200, "GET", root+"/plugins", "")
	if list.json(t, "items.0.kept.0.version") != "1.0.0" || list.json(t, "items.0.kept.0.until") != until || list.json(t, "items.0.logo") != "" {
		t.Errorf("list: %.400s", list.body)
	}
	if p := s.must(200, "GET", root+"/plugins/shop", ""); p.json(t, "preview_projects.0") != "default" {
		t.Errorf("preview projects: %s", p.json(t, "preview_projects"))
	}
}
