package release_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/connections/genisys"
	"pawl/connections/release"
	"pawl/internal/fault"
)

// shopApp has list_orders and get_order (GET), create_order and add_webhook (POST), replace_order (PUT),
// update_order (PATCH), delete_order (DELETE) and export_orders (a GET that acts).
func shopApp(t testing.TB) *genisys.App { return shop(t).App }

func shop(t testing.TB) *genisys.Manifest {
	t.Helper()
	data, err := os.ReadFile("../genisys/testdata/shop-1.0.0.genisys-plugin.json")
	if err != nil {
		t.Fatal(err)
	}
	p, problems := genisys.Decode(data)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return &p.Manifest
}

const soundSettings = `{
  "format": "pawl-release@1",
  "verify": {"action": "list_orders"},
  "actions": {
    "create_order": {"idempotency": {"honours": true, "window": "12h"}, "effect": "payment"},
    "update_order": {"idempotency": {"honours": true}},
    "add_webhook": {"idempotency": {"honours": false}, "effect": "publication"},
    "replace_order": {"safe": false},
    "delete_order": {"safe": false, "effect": "delete"},
    "get_order": {"effect": "network_read"}
  }
}`

func TestReadSettings(t *testing.T) {
	t.Parallel()
	s, problems := release.ReadSettings([]byte(soundSettings), shop(t))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, tt := range []struct {
		name string
		want *release.ActionSettings
	}{
		{"create_order", &release.ActionSettings{KeyWindow: 12 * time.Hour, Effect: release.Payment}},
		{"update_order", &release.ActionSettings{KeyWindow: 24 * time.Hour}},
		{"add_webhook", &release.ActionSettings{Effect: release.Publication}},
		{"replace_order", &release.ActionSettings{Unsafe: true}},
		{"delete_order", &release.ActionSettings{Unsafe: true, Effect: release.Delete}},
		{"list_orders", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, s.Action(tt.name)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if s.Verify != "list_orders" {
		t.Errorf("Verify = %q", s.Verify)
	}
}

func TestSettingsAreFrozenInCanonicalForm(t *testing.T) {
	t.Parallel()
	s, problems := release.ReadSettings([]byte(soundSettings), shop(t))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	again, err := release.DecodeSettings(s.Canonical())
	if err != nil || !cmp.Equal(s.Canonical(), again.Canonical()) || !cmp.Equal(s.Action("create_order"), again.Action("create_order")) {
		t.Errorf("%s became %s, %v", s.Canonical(), again.Canonical(), err)
	}
	if !strings.HasPrefix(string(s.Canonical()), `{"actions":{"add_webhook":{"effect":"publication","idempotency":{"honours":false}},`) {
		t.Errorf("Canonical = %s", s.Canonical())
	}
}

func TestNoSettings(t *testing.T) {
	t.Parallel()
	s, err := release.DecodeSettings(nil)
	if s != nil || err != nil || s.Action("x") != nil || s.Canonical() != nil || s.Check(shop(t)) != nil {
		t.Errorf("DecodeSettings(nil) = %v, %v", s, err)
	}
	app := shopApp(t)
	if got := s.EffectOf(app.Action("create_order")); got != release.Write {
		t.Errorf("EffectOf = %s; want write", got)
	}
	if _, err := release.DecodeSettings([]byte{}); err == nil {
		t.Error("an empty file was accepted")
	}
}

func TestSettingsRules(t *testing.T) {
	t.Parallel()
	m := shop(t)
	of := func(actions string) string { return `{"format":"pawl-release@1","actions":{` + actions + `}}` }
	verify := func(v string) string { return `{"format":"pawl-release@1","verify":` + v + `}` }
	for _, tt := range []struct {
		name, give string
		want       []string
	}{
		{"nothing said", `{"format":"pawl-release@1"}`, nil},
		{"no action said", of(``), nil},
		{"nothing said of an action", of(`"get_order":{}`), nil},
		{"a list", `[]`, []string{"type"}},
		{"cut off", `{"format":`, []string{"/format truncated"}},
		{"a member twice", `{"format":"pawl-release@1","format":"pawl-release@1"}`, []string{"/format duplicate_member"}},
		{"too large", strings.Repeat(" ", release.MaxSettingsBytes+1), []string{"bytes"}},
		{"no format", `{}`, []string{"/format missing_member"}},
		{"another format", `{"format":"pawl-release@2"}`, []string{"/format format"}},
		{"unknown member", `{"format":"pawl-release@1","paging":{}}`, []string{"/paging unknown_member"}},
		{"actions is a list", `{"format":"pawl-release@1","actions":[]}`, []string{"/actions type"}},
		{"an action is null", of(`"get_order":null`), []string{"/actions/get_order type"}},
		{"unknown member of an action", of(`"get_order":{"outputs":{}}`), []string{"/actions/get_order/outputs unknown_member"}},
		{"unknown action", of(`"get_orders":{}`), []string{"/actions/get_orders unknown_action"}},
		{"key on a PUT", of(`"replace_order":{"idempotency":{"honours":true}}`), []string{"/actions/replace_order/idempotency idempotency"}},
		{"key on a GET", of(`"get_order":{"idempotency":{"honours":true}}`), []string{"/actions/get_order/idempotency idempotency"}},
		{"honours missing", of(`"create_order":{"idempotency":{}}`), []string{"/actions/create_order/idempotency/honours missing_member"}},
		{"honours is a text", of(`"create_order":{"idempotency":{"honours":"yes"}}`), []string{"/actions/create_order/idempotency/honours type"}},
		{"unknown member of idempotency", of(`"create_order":{"idempotency":{"honours":true,"header":"X"}}`), []string{"/actions/create_order/idempotency/header unknown_member"}},
		{"window without a key", of(`"create_order":{"idempotency":{"honours":false,"window":"1h"}}`), []string{"/actions/create_order/idempotency/window window"}},
		{"window is a number", of(`"create_order":{"idempotency":{"honours":true,"window":24}}`), []string{"/actions/create_order/idempotency/window type"}},
		{"window without a unit", of(`"create_order":{"idempotency":{"honours":true,"window":"24"}}`), []string{"/actions/create_order/idempotency/window window"}},
		{"window of two units", of(`"create_order":{"idempotency":{"honours":true,"window":"1h30m"}}`), []string{"/actions/create_order/idempotency/window window"}},
		{"window too short", of(`"create_order":{"idempotency":{"honours":true,"window":"59s"}}`), []string{"/actions/create_order/idempotency/window window"}},
		{"window just long enough", of(`"create_order":{"idempotency":{"honours":true,"window":"60s"}}`), nil},
		{"window just short enough", of(`"create_order":{"idempotency":{"honours":true,"window":"30d"}}`), nil},
		{"window too long", of(`"create_order":{"idempotency":{"honours":true,"window":"31d"}}`), []string{"/actions/create_order/idempotency/window window"}},
		{"window far too long", of(`"create_order":{"idempotency":{"honours":true,"window":"9999999d"}}`), []string{"/actions/create_order/idempotency/window window"}},
		{"a POST called safe", of(`"create_order":{"safe":true}`), []string{"/actions/create_order/safe safe"}},
		{"a POST called unsafe", of(`"create_order":{"safe":false}`), []string{"/actions/create_order/safe safe"}},
		{"a GET called unsafe", of(`"get_order":{"safe":false}`), []string{"/actions/get_order/safe safe"}},
		{"safe is a text", of(`"delete_order":{"safe":"no"}`), []string{"/actions/delete_order/safe type"}},
		{"unknown effect", of(`"get_order":{"effect":"read"}`), []string{"/actions/get_order/effect choice"}},
		{"effect lowered on a POST", of(`"create_order":{"effect":"network_read"}`), []string{"/actions/create_order/effect effect_lowered"}},
		{"effect lowered on a DELETE", of(`"delete_order":{"effect":"write"}`), []string{"/actions/delete_order/effect effect_lowered"}},
		{"effect lowered on a GET", of(`"get_order":{"effect":"local_read"}`), []string{"/actions/get_order/effect effect_lowered"}},
		{"effect lowered on a GET that acts", of(`"export_orders":{"effect":"network_read"}`), []string{"/actions/export_orders/effect effect_lowered"}},
		{"effect raised on a GET", of(`"get_order":{"effect":"write"}`), nil},
		{"verify is a text", verify(`"list_orders"`), []string{"/verify type"}},
		{"verify without an action", verify(`{}`), []string{"/verify/action missing_member"}},
		{"verify with nothing", verify(`{"action":""}`), []string{"/verify/action blank"}},
		{"verify with more", verify(`{"action":"list_orders","input":{}}`), []string{"/verify/input unknown_member"}},
		{"verify by an unknown action", verify(`{"action":"me"}`), []string{"/verify/action unknown_action"}},
		{"verify by a POST", verify(`{"action":"create_order"}`), []string{"/verify/action verify"}},
		{"verify by a GET that acts", verify(`{"action":"export_orders"}`), []string{"/verify/action verify"}},
		{"verify by a GET with a required input", verify(`{"action":"get_order"}`), []string{"/verify/action verify"}},
		{
			"all at once", `{"format":"x","verify":{"action":"nope"},"actions":{"create_order":{"safe":false,"effect":"local_read"},"none":{}}}`,
			[]string{"/format format", "/verify/action unknown_action", "/actions/create_order/safe safe", "/actions/create_order/effect effect_lowered", "/actions/none unknown_action"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, problems := release.ReadSettings([]byte(tt.give), m)
			if diff := cmp.Diff(tt.want, places(problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if (s == nil) != (len(tt.want) > 0) {
				t.Errorf("ReadSettings = %v with %d problems", s, len(problems))
			}
		})
	}
}

// places gives each problem as "pointer reason".
func places(problems fault.List) []string {
	var all []string
	for _, e := range problems {
		pointer := ""
		if e.Where != nil {
			pointer = e.Where.Pointer
		}
		all = append(all, strings.TrimSpace(pointer+" "+e.Reason))
	}
	return all
}

func TestSettingsOfAPluginWithoutAnApp(t *testing.T) {
	t.Parallel()
	_, problems := release.ReadSettings([]byte(`{"format":"pawl-release@1","limits":{"host":{"concurrent":1}},"actions":{"x":{}},"tools":{"y":{}}}`), &genisys.Manifest{})
	if diff := cmp.Diff([]string{"/limits limits", "/actions/x unknown_action", "/tools/y unknown_tool"}, places(problems)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestEffectsRaiseRisk(t *testing.T) {
	t.Parallel()
	app := shopApp(t)
	for _, tt := range []struct {
		name, action, effect string
		want                 release.Effect
		risk                 release.Risk
	}{
		{"a GET reads", "get_order", "", release.NetworkRead, release.RiskRead},
		{"a GET that acts writes", "export_orders", "", release.Write, release.RiskWrite},
		{"a POST writes", "create_order", "", release.Write, release.RiskWrite},
		{"a DELETE deletes", "delete_order", "", release.Delete, release.RiskDestructive},
		{"a GET that writes", "get_order", "write", release.Write, release.RiskWrite},
		{"a POST that pays", "create_order", "payment", release.Payment, release.RiskDestructive},
		{"a POST of which nobody knows", "create_order", "external_unknown", release.ExternalUnknown, release.RiskExternal},
		{"a DELETE that publishes", "delete_order", "publication", release.Publication, release.RiskDestructive},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			said := `{}`
			if tt.effect != "" {
				said = `{"effect":"` + tt.effect + `"}`
			}
			s, problems := release.ReadSettings([]byte(`{"format":"pawl-release@1","actions":{"`+tt.action+`":`+said+`}}`), &genisys.Manifest{App: app})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			a := app.Action(tt.action)
			if got, risk := s.EffectOf(a), s.RiskOf(a); got != tt.want || risk != tt.risk {
				t.Errorf("effect %s, risk %s; want %s, %s", got, risk, tt.want, tt.risk)
			}
		})
	}
}

func FuzzReadSettings(f *testing.F) {
	m := shop(f)
	for _, s := range []string{soundSettings, fullSettings, `{"format":"pawl-release@1"}`, `{"actions":{"get_order":{"idempotency":{"honours":true,"window":"0h"}}}}`, `{"verify":null}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, problems := release.ReadSettings(data, m)
		if (s == nil) == (len(problems) == 0) {
			t.Fatalf("ReadSettings(%q) = %v, %v", data, s, problems)
		}
		if s == nil {
			return
		}
		if _, again := release.ReadSettings(s.Canonical(), m); len(again) > 0 {
			t.Fatalf("the canonical form %s is refused: %v", s.Canonical(), again)
		}
	})
}
