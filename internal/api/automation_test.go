package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestC135StaleSaveIsRefused edits one draft twice from the same revision.
func TestC135StaleSaveIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	draft := project + "/automations/orders/draft"
	made := s.must(201, "PUT", draft, document(setStep))
	tag := made.header.Get("ETag")
	s.must(428, "PUT", draft, document(setStep))
	s.must(200, "PUT", draft, document(setStep+`,{"id":"b","type":"set","value":1}`), "If-Match", tag)
	stale := s.must(412, "PUT", draft, document(`{"id":"lost","type":"set","value":1}`), "If-Match", tag)
	if stale.json(t, "kind") != "conflict" || stale.json(t, "reason") != "stale" || stale.json(t, "details.rev") != "2" {
		t.Errorf("stale: %s", stale.body)
	}
	s.must(412, "PUT", draft, document(setStep), "If-Match", `"nonsense"`)
	s.must(412, "PUT", draft, document(setStep), "If-None-Match", "*")
	if got := s.must(200, "GET", project+"/automations/orders", ""); strings.Contains(got.body, "lost") || got.header.Get("ETag") != `"2"` {
		t.Errorf("after a refused save: %s", got.body)
	}
}

func TestManySavesLoseNone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	draft := project + "/automations/orders/draft"
	tag := s.must(201, "PUT", draft, document(setStep)).header.Get("ETag")
	var wg sync.WaitGroup
	results := make(chan int, 10)
	for i := range 10 {
		wg.Go(func() {
			results <- s.call(s.admin, "PUT", draft, document(fmt.Sprintf(`{"id":"a","type":"set","value":%d}`, i)), "If-Match", tag).status
		})
	}
	wg.Wait()
	close(results)
	won := 0
	for status := range results {
		if status == 200 {
			won++
		} else if status != 412 {
			t.Errorf("got %d", status)
		}
	}
	if won != 1 {
		t.Errorf("%d of 10 equal saves won, want 1", won)
	}
}

// TestC139BodyOfAnotherPlugin saves a plugin under another one's address.
func TestC139BodyOfAnotherPlugin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.must(422, "PUT", root+"/plugins/other/draft", plugin("1.0.0"))
	if a.json(t, "where.pointer") != "/manifest/id" {
		t.Errorf("%s", a.body)
	}
}

func TestPublishVersionsAndRevert(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	one := project + "/automations/orders"
	s.published("orders", setStep)
	again := s.must(200, "POST", one+"/publish", "")
	if again.json(t, "version") != "1" || again.json(t, "changed") != "false" {
		t.Errorf("publishing the same again: %s", again.body)
	}
	s.must(200, "PUT", one+"/draft", document(`{"id":"b","type":"set","value":{"big":7615917337495251231}}`), "If-Match", `"1"`)
	s.must(412, "POST", one+"/publish", "", "If-Match", `"1"`)
	v2 := s.must(200, "POST", one+"/publish", `{"message":"b"}`, "If-Match", `"2"`)
	if v2.json(t, "version") != "2" || v2.json(t, "live") != "true" {
		t.Errorf("version 2: %s", v2.body)
	}
	list := s.must(200, "GET", one+"/versions?limit=1", "")
	if list.json(t, "items.0.version") != "2" || list.json(t, "items.0.message") != "b" || list.json(t, "next") == "" {
		t.Errorf("versions: %s", list.body)
	}
	if rest := s.must(200, "GET", one+"/versions?limit=1&cursor="+list.json(t, "next"), ""); rest.json(t, "items.0.version") != "1" || rest.json(t, "next") != "" {
		t.Errorf("the rest: %s", rest.body)
	}
	if doc := s.must(200, "GET", one+"/versions/2", ""); !strings.Contains(doc.body, "7615917337495251231") {
		t.Errorf("digits of a published document: %s", doc.body)
	}
	diff := s.must(200, "GET", one+"/diff?from=1&to=2", "")
	if diff.json(t, "differences.0.change") != "removed" || diff.json(t, "differences.1.change") != "added" {
		t.Errorf("diff: %s", diff.body)
	}
	s.must(428, "POST", one+"/revert", `{"version":1}`)
	s.must(200, "POST", one+"/revert", `{"version":1}`, "If-Match", `"2"`)
	if diff := s.must(200, "GET", one+"/diff?from=1", ""); diff.json(t, "differences") != "[]" {
		t.Errorf("after reverting: %s", diff.body)
	}
	s.must(204, "DELETE", one, "")
	s.must(404, "GET", one, "")
	s.must(201, "PUT", one+"/draft", document(setStep))
}

func TestPublishRefusesProblems(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	tests := []struct {
		name  string
		steps string
		want  string // status, kind and reason of the first problem
	}{
		{name: "unknown identity", steps: `{"id":"a","type":"action","action":"developer.shop.v9-9-9.list_orders","account":"shop"}`, want: "409 unavailable unknown_action"},
		{name: "unknown action", steps: `{"id":"a","type":"action","action":"developer.shop.v1-0-0.list_ordrs","account":"shop"}`, want: "409 unavailable unknown_action"},
		{name: "missing account", steps: `{"id":"a","type":"action","action":"developer.shop.v1-0-0.list_orders","account":"shop"}`, want: "422 not_found missing_account"},
		{name: "missing grant", steps: `{"id":"a","type":"action","action":"developer.shop.v1-0-0.create_order","account":"mine","input":{"title":"x"}}`, want: "403 permission_required grant"},
		{name: "withdrawn", steps: `{"id":"a","type":"action","action":"developer.shop.v1-0-0.list_orders","account":"mine"}`, want: "409 unavailable withdrawn"},
		{name: "dangling reference", steps: `{"id":"a","type":"set","value":"{{ steps.zz.output }}"}`, want: "422 expression unknown_step"},
	}
	s.released("1.0.0")
	s.must(200, "PUT", project+"/accounts", `{"name":"mine","identity":"developer.shop.v1-0-0","secret":"canary-77"}`)
	for i, tt := range tests {
		if tt.name == "withdrawn" {
			s.must(200, "POST", root+"/plugins/shop/disable", "")
		}
		one := fmt.Sprintf("%s/automations/a%d", project, i)
		saved := s.must(201, "PUT", one+"/draft", document(tt.steps))
		if !strings.HasSuffix(tt.want, saved.json(t, "problems.0.kind")+" "+saved.json(t, "problems.0.reason")) {
			t.Errorf("%s: saving says %s", tt.name, saved.body)
		}
		a := s.call(s.admin, "POST", one+"/publish", "")
		if got := fmt.Sprint(a.status, " ", a.json(t, "errors.0.kind"), " ", a.json(t, "errors.0.reason")); got != tt.want || a.json(t, "errors.0.where.step") != "a" {
			t.Errorf("%s: publishing says %d %s", tt.name, a.status, a.body)
		}
	}
}

func TestApplyIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	apply := project + "/automations/apply"
	body := func(items ...string) string { return `{"items":[` + strings.Join(items, ",") + `]}` }
	item := func(name, doc, rev string) string {
		return `{"name":"` + name + `","document":` + doc + `,"rev":` + rev + `}`
	}
	bad := s.must(422, "POST", apply, body(item("a", document(setStep), "0"), item("b", `{"format":"pawl-automation@1"}`, "0")))
	if !strings.HasPrefix(bad.json(t, "errors.0.where.pointer"), "/items/1/document") {
		t.Errorf("place of the problem: %s", bad.body)
	}
	s.must(404, "GET", project+"/automations/a", "")
	s.must(422, "POST", apply, body(item("a", document(setStep), "0"), item("a", document(setStep), "0")))
	s.must(200, "POST", apply, body(item("a", document(setStep), "0"), item("b", document(setStep), "0")))
	plan := s.must(200, "POST", apply, `{"plan":true,"items":[`+item("a", document(setStep), "0")+","+item("b", document(setStep+`,{"id":"x","type":"set","value":1}`), "0")+","+item("c", document(setStep), "0")+`]}`)
	for i, want := range []string{"unchanged", "update", "create"} {
		if got := plan.json(t, fmt.Sprintf("items.%d.change", i)); got != want {
			t.Errorf("plan %d: %s, want %s", i, got, want)
		}
	}
	s.must(412, "POST", apply, body(item("c", document(setStep), "0"), item("b", document(`{"id":"y","type":"set","value":1}`), "7")))
	s.must(404, "GET", project+"/automations/c", "")
}

func TestDiffTellsMovesFromChanges(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	set := func(id, value string) string { return `{"id":"` + id + `","type":"set","value":` + value + `}` }
	s.published("orders", set("a", "1")+","+set("b", "1")+","+set("c", "1")+`,{"id":"t","type":"try","steps":[`+set("d", "1")+`],"catch":[`+set("e", "1")+`]}`)
	s.must(200, "PUT", project+"/automations/orders/draft", document(set("c", "2")+","+set("a", "1")+","+set("b", "1")+`,{"id":"t","type":"try","steps":[`+set("e", "1")+`],"catch":[`+set("d", "1")+`]}`), "If-Match", `"1"`)
	a := s.must(200, "GET", project+"/automations/orders/diff", "")
	var diff struct {
		Differences []struct{ Change, Step string }
	}
	if err := json.Unmarshal([]byte(a.body), &diff); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(diff.Differences)
	if want := "[{moved c} {changed c} {moved e} {moved d}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A version that can't be is one that is not there, however large its number.
func TestVersionsBeyondAllNumbersAreNotThere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	one := project + "/automations/orders"
	s.published("orders", setStep)
	for _, n := range []string{"2", "2147483648", "9223372036854775807"} {
		s.must(404, "GET", one+"/versions/"+n, "")
		s.must(404, "GET", one+"/diff?from="+n, "")
		s.must(404, "POST", one+"/revert", `{"version":`+n+`}`)
		s.must(404, "POST", one+"/runs", `{"input":{},"version":`+n+`}`)
	}
}
