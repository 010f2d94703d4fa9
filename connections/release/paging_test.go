package release_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/connections/genisys"
	"pawl/connections/release"
)

// fullSettings say everything that settings can say; testdata has them as a file.
const fullSettings = `{"format":"pawl-release@1","verify":{"action":"list_orders"},
  "limits":{"account":{"requests":100,"per":"1m","burst":20,"concurrent":4},"host":{"requests":10,"per":"1s"}},
  "actions":{
    "list_orders":{"limits":{"concurrent":1},"output":{"type":"object","properties":{"orders":{"type":"array"}}},
      "paging":{"by":"cursor","items":"/orders","input":"$filter","next":"/meta/next","more":"/meta/more","size":{"input":"limit","value":100}}},
    "create_order":{"idempotency":{"honours":true,"window":"12h"},"effect":"payment"},
    "delete_order":{"safe":false}}}`

func TestReadLimitsPagingAndOutputs(t *testing.T) {
	t.Parallel()
	s, problems := release.ReadSettings([]byte(fullSettings), shop(t))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := &release.ActionSettings{
		Rate:   &release.Rate{Concurrent: 1},
		Paging: &release.Paging{By: release.ByCursor, Items: "/orders", Input: "$filter", Next: "/meta/next", More: "/meta/more", Size: "limit", PageSize: 100},
		Output: json.RawMessage(`{"properties":{"orders":{"type":"array"}},"type":"object"}`),
	}
	if diff := cmp.Diff(want, s.Action("list_orders")); diff != "" {
		t.Errorf("list_orders (-want +got):\n%s", diff)
	}
	rates := []*release.Rate{{Requests: 100, Per: time.Minute, Burst: 20, Concurrent: 4}, {Requests: 10, Per: time.Second, Burst: 10}}
	if diff := cmp.Diff(rates, []*release.Rate{s.Account, s.Host}); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
	again, err := release.DecodeSettings(s.Canonical())
	if err != nil || !cmp.Equal(again.Action("list_orders"), want) || !cmp.Equal(again.Account, s.Account) {
		t.Errorf("frozen: %v, %v", again, err)
	}
}

func TestPagingByKind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		want       release.Paging
	}{
		{"cursor of the last item", `{"by":"cursor","items":"","input":"$filter","last":"/id"}`, release.Paging{By: release.ByCursor, Input: "$filter", Last: "/id"}},
		{"page", `{"by":"page","items":"/a~1b/0","input":"limit"}`, release.Paging{By: release.ByPage, Items: "/a~1b/0", Input: "limit", First: 1}},
		{"page from 0", `{"by":"page","items":"/a","input":"limit","first":0}`, release.Paging{By: release.ByPage, Items: "/a", Input: "limit"}},
		{"offset", `{"by":"offset","items":"/a","input":"status","size":{"input":"limit","value":50}}`, release.Paging{By: release.ByOffset, Items: "/a", Input: "status", Size: "limit", PageSize: 50}},
		{"the Link header", `{"by":"link","items":""}`, release.Paging{By: release.ByLink}},
		{"link in the body", `{"by":"link","items":"/a","next":"/links/next"}`, release.Paging{By: release.ByLink, Items: "/a", Next: "/links/next"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, problems := release.ReadSettings([]byte(`{"format":"pawl-release@1","actions":{"list_orders":{"paging":`+tt.give+`}}}`), shop(t))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if diff := cmp.Diff(&tt.want, s.Action("list_orders").Paging); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRulesOfLimitsPagingAndOutputs(t *testing.T) {
	t.Parallel()
	m := shop(t)
	m.Tools = []genisys.Tool{{Name: "count_it", Risk: genisys.Read}, {Name: "send_it", Risk: genisys.Act}}
	m.Hosts = []string{"api.example.com"}
	const list = "/actions/list_orders"
	limits := func(v string) string { return `"limits":{"account":` + v + `}` }
	of := func(action, said string) string { return `"actions":{"` + action + `":` + said + `}` }
	paged := func(v string) string { return of("list_orders", `{"paging":`+v+`}`) }
	tool := func(name, said string) string { return `"tools":{"` + name + `":` + said + `}` }
	for _, tt := range []struct {
		name, give string
		want       []string
	}{
		{"limits is a list", `"limits":[]`, []string{"/limits type"}},
		{"limits of something else", `"limits":{"project":{}}`, []string{"/limits/project unknown_member"}},
		{"a limit of nothing", limits(`{}`), []string{"/limits/account rate"}},
		{"requests without a time", limits(`{"requests":5}`), []string{"/limits/account/per missing_member"}},
		{"a time without requests", limits(`{"per":"1m"}`), []string{"/limits/account/per rate"}},
		{"a burst without requests", limits(`{"burst":1,"concurrent":1}`), []string{"/limits/account/burst rate"}},
		{"no requests", limits(`{"requests":0,"per":"1m"}`), []string{"/limits/account/requests number"}},
		{"half a request", limits(`{"requests":0.5,"per":"1m"}`), []string{"/limits/account/requests number"}},
		{"requests with an exponent", limits(`{"requests":1e3,"per":"1m"}`), []string{"/limits/account/requests number"}},
		{"requests of many digits", limits(`{"requests":` + strings.Repeat("9", 900) + `,"per":"1m"}`), []string{"/limits/account/requests number"}},
		{"requests is a text", limits(`{"requests":"5","per":"1m"}`), []string{"/limits/account/requests type"}},
		{"a time of nothing", limits(`{"requests":5,"per":"0s"}`), []string{"/limits/account/per per"}},
		{"a month", limits(`{"requests":5,"per":"31d"}`), nil},
		{"more than a month", limits(`{"requests":5,"per":"32d"}`), []string{"/limits/account/per per"}},
		{"a burst above the requests", limits(`{"requests":5,"per":"1m","burst":6}`), []string{"/limits/account/burst number"}},
		{"nothing at once", limits(`{"concurrent":0}`), []string{"/limits/account/concurrent number"}},
		{"a limit of an action", of("list_orders", `{"limits":{"concurrent":1001}}`), []string{list + "/limits/concurrent number"}},

		{"paging is a text", paged(`"cursor"`), []string{list + "/paging type"}},
		{"unknown paging", paged(`{"by":"scroll","items":""}`), []string{list + "/paging/by choice"}},
		{"no items", paged(`{"by":"link"}`), []string{list + "/paging/items missing_member"}},
		{"items is no pointer", paged(`{"by":"link","items":"$.items"}`), []string{list + "/paging/items pointer"}},
		{"items with a wrong escape", paged(`{"by":"link","items":"/a~2"}`), []string{list + "/paging/items pointer"}},
		{"a pointer without end", paged(`{"by":"link","items":"/` + strings.Repeat("a", 500) + `"}`), []string{list + "/paging/items pointer"}},
		{"cursor without an input", paged(`{"by":"cursor","items":"","next":"/n"}`), []string{list + "/paging/input missing_member"}},
		{"cursor without a place", paged(`{"by":"cursor","items":"","input":"status"}`), []string{list + "/paging/next missing_member"}},
		{"cursor in two places", paged(`{"by":"cursor","items":"","input":"status","next":"/n","last":"/id"}`), []string{list + "/paging/last paging"}},
		{"cursor with a first page", paged(`{"by":"cursor","items":"","input":"status","next":"/n","first":1}`), []string{list + "/paging/first paging"}},
		{"page with a cursor", paged(`{"by":"page","items":"","input":"limit","next":"/n"}`), []string{list + "/paging/next paging"}},
		{"page from 2", paged(`{"by":"page","items":"","input":"limit","first":2}`), []string{list + "/paging/first number"}},
		{"offset with the last item", paged(`{"by":"offset","items":"","input":"limit","last":"/id"}`), []string{list + "/paging/last paging"}},
		{"link with an input", paged(`{"by":"link","items":"","input":"limit"}`), []string{list + "/paging/input paging"}},
		{"an unknown input", paged(`{"by":"page","items":"","input":"limits"}`), []string{list + "/paging/input unknown_input"}},
		{"an input that is a list", paged(`{"by":"page","items":"","input":"tag"}`), []string{list + "/paging/input paging"}},
		{"an input in the path", of("get_order", `{"paging":{"by":"page","items":"","input":"order_id"}}`), []string{"/actions/get_order/paging/input paging"}},
		{"a size without a value", paged(`{"by":"link","items":"","size":{"input":"limit"}}`), []string{list + "/paging/size/value missing_member"}},
		{"a size of nothing", paged(`{"by":"link","items":"","size":{"input":"limit","value":0}}`), []string{list + "/paging/size/value number"}},
		{"a size by an unknown input", paged(`{"by":"link","items":"","size":{"input":"size","value":5}}`), []string{list + "/paging/size/input unknown_input"}},
		{"place and size in one", paged(`{"by":"page","items":"","input":"limit","size":{"input":"limit","value":5}}`), []string{list + "/paging/size/input paging"}},
		{"pages of a POST", of("create_order", `{"paging":{"by":"link","items":""}}`), []string{"/actions/create_order/paging paging"}},
		{"pages of a GET that acts", of("export_orders", `{"paging":{"by":"link","items":""}}`), []string{"/actions/export_orders/paging paging"}},
		{"pages of a GET that is raised", of("list_orders", `{"effect":"write","paging":{"by":"link","items":""}}`), []string{list + "/paging paging"}},

		{"an output of anything", of("list_orders", `{"output":true}`), nil},
		{"an output is a list", of("list_orders", `{"output":[]}`), []string{list + "/output schema"}},
		{"an output of no type", of("list_orders", `{"output":{"properties":{"a":{"type":"text"}}}}`), []string{list + "/output/properties/a/type schema"}},
		{"an output from elsewhere", of("list_orders", `{"output":{"$ref":"https://example.com/s.json"}}`), []string{list + "/output/$ref schema"}},
		{"an output of another dialect", of("list_orders", `{"output":{"$schema":"http://json-schema.org/draft-04/schema#"}}`), []string{list + "/output/$schema schema"}},
		{"an output that refers to itself", of("list_orders", `{"output":{"$ref":"#"}}`), []string{list + "/output schema"}},
		{"an output that is too deep", of("list_orders", `{"output":`+strings.Repeat(`{"not":`, 64)+`{}`+strings.Repeat(`}`, 64)+`}`), []string{list + "/output depth"}},

		{"an unknown tool", tool("count", `{}`), []string{"/tools/count unknown_tool"}},
		{"an unknown member of a tool", tool("count_it", `{"safe":false}`), []string{"/tools/count_it/safe unknown_member"}},
		{"output and effect of a tool", tool("send_it", `{"output":{"type":"object"},"effect":"publication"}`), nil},
		{"effect lowered on a tool that acts", tool("send_it", `{"effect":"network_read"}`), []string{"/tools/send_it/effect effect_lowered"}},
		{"effect lowered on a tool that reads from hosts", tool("count_it", `{"effect":"local_read"}`), []string{"/tools/count_it/effect effect_lowered"}},
		{"a wrong output of a tool", tool("count_it", `{"output":{"typ":"x"}}`), []string{"/tools/count_it/output/typ schema"}},
		{
			"all at once", `"limits":{"account":{}},` + paged(`{"by":"cursor"}`) + `,` + tool("nope", `{"output":5}`),
			[]string{"/limits/account rate", list + "/paging/items missing_member", list + "/paging/input missing_member", list + "/paging/next missing_member", "/tools/nope/output schema", "/tools/nope unknown_tool"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, problems := release.ReadSettings([]byte(`{"format":"pawl-release@1",`+tt.give+`}`), m)
			if diff := cmp.Diff(tt.want, places(problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s\n%v", diff, problems)
			}
			if (s == nil) != (len(tt.want) > 0) {
				t.Errorf("ReadSettings = %v with %d problems", s, len(problems))
			}
		})
	}
}

func TestEffectsOfTools(t *testing.T) {
	t.Parallel()
	reads, acts := genisys.Tool{Name: "count_it", Risk: genisys.Read}, genisys.Tool{Name: "send_it", Risk: genisys.Act}
	m := &genisys.Manifest{Tools: []genisys.Tool{reads, acts}}
	said, problems := release.ReadSettings([]byte(`{"format":"pawl-release@1","tools":{"count_it":{"effect":"write"},"send_it":{"effect":"payment"}}}`), m)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var none *release.Settings
	hosts := []string{"a.example"}
	got := []release.Effect{
		none.ToolEffect(&reads, nil), none.ToolEffect(&reads, hosts), none.ToolEffect(&acts, nil),
		said.ToolEffect(&reads, hosts), said.ToolEffect(&acts, nil),
	}
	if diff := cmp.Diff([]release.Effect{release.LocalRead, release.NetworkRead, release.Write, release.Write, release.Payment}, got); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
}

// TestFrozenSettingsStay: what only a file from outside must fulfil is not asked of settings that were frozen before.
func TestFrozenSettingsStay(t *testing.T) {
	t.Parallel()
	frozen := []byte(`{"actions":{"list_orders":{"output":{"unevaluatedItems":false}}},"format":"pawl-release@1"}`)
	if _, problems := release.ReadSettings(frozen, shop(t)); len(problems) != 1 {
		t.Errorf("ReadSettings = %v; want one problem", problems)
	}
	if s, err := release.DecodeSettings(frozen); err != nil || s.Action("list_orders").Output == nil {
		t.Errorf("DecodeSettings = %v, %v", s, err)
	}
}

// TestSettingsWithoutThePlugin checks a file whose plugin is not at hand.
func TestSettingsWithoutThePlugin(t *testing.T) {
	t.Parallel()
	if _, problems := release.ReadSettings([]byte(`{"format":"pawl-release@1","actions":{"anything":{"safe":false}}}`), nil); len(problems) > 0 {
		t.Errorf("ReadSettings = %v", problems)
	}
	if _, problems := release.ReadSettings([]byte(`{"format":"pawl-release@1","actions":{"anything":{"safe":true}}}`), nil); len(problems) != 1 {
		t.Errorf("ReadSettings = %v; want one problem", problems)
	}
}

func TestSettingsFileOfTheDocumentation(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../docs/formats/pawl-release.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "```json\n")
	text, _, _ = strings.Cut(text, "```")
	if _, problems := release.ReadSettings([]byte(text), shop(t)); len(problems) > 0 {
		t.Errorf("the example of the documentation: %v", problems)
	}
}
