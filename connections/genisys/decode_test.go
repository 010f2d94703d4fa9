package genisys_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/connections"
	"pawl/connections/genisys"
)

const (
	shopFile       = "testdata/shop-1.0.0.genisys-plugin.json"
	legacyFile     = "testdata/legacy-tools.genisys-plugin.json"
	connectionFile = "testdata/connection-only.genisys-plugin.json"
)

func read(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t testing.TB, data []byte) *genisys.Plugin {
	t.Helper()
	p, problems := genisys.Decode(data)
	if len(problems) > 0 {
		t.Fatalf("Decode: %v", problems)
	}
	return p
}

// change is one edit of a valid file: the value at a pointer becomes JSON text, or goes when the text is empty.
type change struct{ pointer, value string }

func edit(t testing.TB, data []byte, changes ...change) []byte {
	t.Helper()
	doc := parse(t, data)
	for _, c := range changes {
		var value any = gone{}
		if c.value != "" {
			if err := json.Unmarshal([]byte(c.value), &value); err != nil {
				t.Fatalf("%s: %v", c.value, err)
			}
		}
		doc = put(t, doc, strings.Split(c.pointer, "/")[1:], value)
	}
	out, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func parse(t testing.TB, data []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// gone is the value of a member that is not to be there.
type gone struct{}

func put(t testing.TB, doc any, path []string, value any) any {
	t.Helper()
	if len(path) == 0 {
		return value
	}
	switch d := doc.(type) {
	case map[string]any:
		if len(path) == 1 && value == any(gone{}) {
			delete(d, path[0])
		} else {
			d[path[0]] = put(t, d[path[0]], path[1:], value)
		}
		return d
	case []any:
		if path[0] == "-" {
			return append(d, value)
		}
		i, err := strconv.Atoi(path[0])
		if err != nil || i >= len(d) {
			t.Fatalf("no element %s", path[0])
		}
		d[i] = put(t, d[i], path[1:], value)
		return d
	default:
		t.Fatalf("nothing at %v", path)
		return nil
	}
}

// refusals are the problems of a file as "pointer reason".
func refusals(data []byte) []string {
	_, problems := genisys.Decode(data)
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

// refusal is a row of the tables: edits of a file that is valid, and all problems that they cause.
type refusal struct {
	name    string
	changes []change
	want    []string
}

func checkRefusals(t *testing.T, file string, rows []refusal) {
	t.Helper()
	data := read(t, file)
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, refusals(edit(t, data, tt.changes...))); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func one(name, pointer, value string, want ...string) refusal {
	return refusal{name, []change{{pointer, value}}, want}
}

func TestDecodeShop(t *testing.T) {
	t.Parallel()
	m := decode(t, read(t, shopFile)).Manifest
	if m.ID != "shop" || m.Name != "Shop" || m.Version != (connections.Version{Major: 1}) {
		t.Errorf("manifest %s %s %s", m.ID, m.Name, m.Version)
	}
	if m.App.Origin != "https://api.shop.example" || m.App.Auth.Header != "X-Api-Key" || m.App.Auth.Bearer() {
		t.Errorf("app %s %v", m.App.Origin, m.App.Auth)
	}
	if got := m.App.LogoPNG(); !bytes.HasPrefix(got, []byte("\x89PNG")) {
		t.Errorf("logo %q", got[:min(len(got), 8)])
	}
	want := genisys.Action{
		ID: "add_webhook", Name: "Add webhook", Description: "Have events of one store sent to an address.",
		Method: "POST", Path: "/v1/stores/{store}/hooks", Body: genisys.FormBody, Risk: genisys.Act,
		Inputs: []genisys.Input{
			{ID: "store", Label: "Store", In: genisys.InPath, Required: true},
			{ID: "url", Label: "Address", In: genisys.InBody, Required: true},
			{ID: "events", Label: "Events", In: genisys.InBody, List: true},
			{ID: "meta", Label: "Metadata", In: genisys.InBody, JSON: true},
		},
	}
	if diff := cmp.Diff(&want, m.App.Action("add_webhook")); diff != "" {
		t.Errorf("add_webhook (-want +got):\n%s", diff)
	}
	if m.App.Action("none") != nil {
		t.Error("an action that isn't declared was found")
	}
}

func TestRiskAndBodyByMethod(t *testing.T) {
	t.Parallel()
	app := decode(t, read(t, shopFile)).Manifest.App
	for _, tt := range []struct {
		name string
		risk genisys.Risk
		want genisys.Body
	}{
		{"list_orders", genisys.Read, genisys.NoBody},
		{"create_order", genisys.Act, genisys.JSONBody},
		{"replace_order", genisys.Act, genisys.JSONBody},
		{"update_order", genisys.Act, genisys.JSONBody},
		{"delete_order", genisys.Act, genisys.JSONBody},
		{"add_webhook", genisys.Act, genisys.FormBody},
		{"export_orders", genisys.Act, genisys.NoBody},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if a := app.Action(tt.name); a.Risk != tt.risk || a.Body != tt.want {
				t.Errorf("risk %q, body %q; want %q, %q", a.Risk, a.Body, tt.risk, tt.want)
			}
		})
	}
}

func TestDecodeLegacy(t *testing.T) {
	t.Parallel()
	m := decode(t, read(t, legacyFile)).Manifest
	if m.App != nil || len(m.Tools) != 2 || m.Tools[0].Risk != genisys.Read || m.Tools[1].Risk != genisys.Act {
		t.Errorf("app %v, tools %v", m.App, m.Tools)
	}
	if want := `{"properties":{"limit":{"maximum":9007199254740993,"type":"integer"},"text":{"type":"string"}},"required":["text"],"type":"object"}`; string(m.Tools[0].Input) != want {
		t.Errorf("schema %s; want %s", m.Tools[0].Input, want)
	}
	if diff := cmp.Diff([]string{"api.example.com", "xn--wrter-jua.example"}, m.Hosts); diff != "" {
		t.Errorf("hosts (-want +got):\n%s", diff)
	}
	if len(m.Skills) != 1 || m.Skills[0].Name != "tone-check" || !strings.Contains(m.Skills[0].Instructions, "<kind>") {
		t.Errorf("skills %v", m.Skills)
	}
}

func TestDecodeConnectionOnly(t *testing.T) {
	t.Parallel()
	p := decode(t, read(t, connectionFile))
	if !p.Manifest.App.Auth.Bearer() || len(p.Manifest.App.Actions) != 1 || p.Manifest.App.LogoPNG() != nil {
		t.Errorf("app %+v", p.Manifest.App)
	}
	if p.Code != "export default {};" || p.Manifest.Version.String() != "0.3.12" {
		t.Errorf("code %q, version %s", p.Code, p.Manifest.Version)
	}
}

func TestOptionalMembersMayBeAbsent(t *testing.T) {
	t.Parallel()
	data := edit(t, read(t, connectionFile),
		change{"/manifest/tools", ""}, change{"/manifest/skills", ""}, change{"/manifest/permissions", ""},
		change{"/manifest/description", ""}, change{"/manifest/app/logo", ""}, change{"/manifest/app/actions/0/inputs", ""},
		change{"/manifest/app/actions/0/description", ""})
	if m := decode(t, data).Manifest; len(m.Tools)+len(m.Skills)+len(m.Hosts) != 0 {
		t.Errorf("manifest %+v", m)
	}
}

// TestThawKeepsWhatWasAdmitted: what only admission asks is not asked again of a document that was frozen before.
func TestThawKeepsWhatWasAdmitted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		give change
		want string // the reason why Decode refuses it
	}{
		{"a schema that is too costly", change{"/manifest/tools/0/input", `{"$ref":"#"}`}, "schema"},
		{"a keyword that is refused now", change{"/manifest/tools/0/input/unevaluatedProperties", `false`}, "schema"},
		{"a picture that is none", change{"/manifest/app", `{"baseUrl":"https://a.example","auth":"bearer","logo":"data:image/png;base64,AAAA","actions":[{"id":"get_it","name":"Get","method":"GET","path":"/"}]}`}, "png"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			data := edit(t, read(t, legacyFile), tt.give)
			if p, problems := genisys.Decode(data); p != nil || len(problems) != 1 || problems[0].Reason != tt.want {
				t.Errorf("Decode = %v, %v; want one problem (%s)", p, problems, tt.want)
			}
			if p, problems := genisys.Thaw(data); p == nil {
				t.Errorf("Thaw refuses it: %v", problems)
			}
		})
	}
	if p, problems := genisys.Thaw([]byte(`{"format":"genisys-plugin@1"}`)); p != nil || len(problems) == 0 {
		t.Errorf("Thaw of no plugin = %v, %v", p, problems)
	}
}

// TestToolsSkillsAndAnAppTogether: an app declaration takes nothing from the tools and skills of a plugin.
func TestToolsSkillsAndAnAppTogether(t *testing.T) {
	t.Parallel()
	legacy := read(t, legacyFile)
	shop, err := json.Marshal(parse(t, read(t, shopFile)).(map[string]any)["manifest"].(map[string]any)["app"])
	if err != nil {
		t.Fatal(err)
	}
	alone, both := decode(t, legacy).Manifest, decode(t, edit(t, legacy, change{"/manifest/app", string(shop)})).Manifest
	if both.App == nil || len(both.App.Actions) != len(decode(t, read(t, shopFile)).Manifest.App.Actions) {
		t.Errorf("app %+v", both.App)
	}
	both.App = nil
	if diff := cmp.Diff(alone, both); diff != "" {
		t.Errorf("the rest changed (-without the app +with it):\n%s", diff)
	}
}
