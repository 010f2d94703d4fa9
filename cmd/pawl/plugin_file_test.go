package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sidecar = `{"format":"pawl-release@1","actions":{"create_order":{"idempotency":{"honours":true}}}}`

// folder writes files into a new folder and gives it.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func bundle(entries ...string) string {
	return `{"format":"genisys-plugin-bundle@1","plugins":[` + strings.Join(entries, ",") + `]}`
}

// desk is a second plugin.
func desk(version string) string {
	return strings.Replace(plugin(version), `"id":"shop"`, `"id":"desk"`, 1)
}

// words is a plugin file with the tool count and this module.
func words(code string) string {
	text, err := json.Marshal(code)
	if err != nil {
		panic(err)
	}
	return `{"format":"genisys-plugin@1","code":` + string(text) + `,"manifest":{"id":"words","name":"Words","version":"1.0.0","description":"Counts.","permissions":{"hosts":[]},"skills":[],
		"tools":[{"name":"count","description":"Counts.","risk":"read","input":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}}`
}

// TestToolsAreTried calls a draft's tool, and an action of a draft with a key from standard input.
func TestToolsAreTried(t *testing.T) {
	t.Parallel()
	in := install(t)
	code := "export default { tools: { count: ({ text }, ctx) => {\n  ctx.log('counting', text);\n  return { words: text.split(' ').length };\n} } };"
	in.must("plugin", "push", in.file("words.json", words(code)))
	if out := in.must("plugin", "test", "words", "count", "--input", `{"text":"a b c"}`); !strings.Contains(out, `"words": 3`) || !strings.Contains(out, "log: counting a b c") || !strings.Contains(out, "version 1.0.0 in test") {
		t.Errorf("%s", out)
	}
	var r struct {
		Output struct{ Words int }
		Logs   []string
	}
	if out := in.must("plugin", "test", "words", "count", "--input", `{"text":"a b"}`, "--json"); json.Unmarshal([]byte(out), &r) != nil || r.Output.Words != 2 || len(r.Logs) != 1 {
		t.Errorf("%s", out)
	}
	if out := in.run("", "plugin", "test", "words", "count", "--input", `{"text":7}`); out.code != 1 || !strings.Contains(out.stdout, "/text") {
		t.Errorf("an input that does not fit: %+v", out)
	}
	if out := in.run("", "plugin", "test", "words", "cont"); out.code != 1 || !strings.Contains(out.stderr, `did you mean \"count\"?`) && !strings.Contains(out.stderr, `did you mean "count"?`) {
		t.Errorf("a tool that is not there: %+v", out)
	}
	for _, args := range [][]string{{"words"}, {"words", "count", "--action", "x"}, {"words", "--action", "x", "--input", "-"}, {"words", "count", "--stage", "draft"}} {
		if out := in.run("", append([]string{"plugin", "test"}, args...)...); out.code != 2 {
			t.Errorf("pawl plugin test %v: %+v", args, out)
		}
	}
	in.must("plugin", "push", in.file("shop.json", plugin("1.0.0")))
	if out := in.run("secret-canary\n", "plugin", "test", "shop", "--action", "create_order", "--input", `{"titel":"x"}`); out.code != 1 || !strings.Contains(out.stdout, "/titel") || strings.Contains(out.stdout+out.stderr, "canary") {
		t.Errorf("an action whose input does not fit: %+v", out)
	}
	broken := in.must("plugin", "push", in.file("words.json", words("export default {};")))
	if !strings.Contains(broken, "to be mended before it can be frozen: /code: ") {
		t.Errorf("pushing a module that can't be run: %s", broken)
	}
	if out := in.run("", "plugin", "promote", "words", "--to", "preview"); out.code != 1 || !strings.Contains(out.stderr, "can't be frozen") {
		t.Errorf("freezing it: %+v", out)
	}
}

// TestValidateNeedsNoServer runs as an app developer's CI does: without a server, a key, or an environment.
func TestValidateNeedsNoServer(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"good.genisys-plugin.json":        plugin("1.0.0"),
		"bad.genisys-plugin.json":         strings.Replace(plugin("1"), "https:", "http:", 1),
		"with.genisys-plugin.json":        plugin("1.0.0"),
		"with.pawl-release.json":          strings.Replace(sidecar, "create_order", "no_such", 1),
		"fits.genisys-plugin.json":        plugin("1.0.0"),
		"fits.pawl-release.json":          sidecar,
		"alone.pawl-release.json":         sidecar,
		"both.genisys-plugin-bundle.json": bundle(`{"plugin":`+plugin("1.0.0")+`,"settings":`+sidecar+`}`, `{"plugin":`+desk("2.0.0")+`}`),
		"bad.genisys-plugin-bundle.json":  bundle(`{"plugin":` + plugin("1.0.0") + `,"settings":{"format":"x"}}`),
		"cut.genisys-plugin-bundle.json":  bundle(`{`),
	})
	at := func(names ...string) []string {
		args := []string{"plugin", "validate"}
		for _, n := range names {
			args = append(args, filepath.Join(dir, n))
		}
		return args
	}
	for _, tt := range []struct {
		name string
		args []string
		in   string
		code int
		says []string
	}{
		{name: "one that is valid", args: at("good.genisys-plugin.json"), says: []string{"good.genisys-plugin.json: valid: shop 1.0.0, sha256 "}},
		{name: "one that is not", args: at("bad.genisys-plugin.json"), code: 1, says: []string{"/manifest/version", "/manifest/app/baseUrl"}},
		{name: "both", args: at("good.genisys-plugin.json", "bad.genisys-plugin.json"), code: 1, says: []string{"good.genisys-plugin.json: valid", "/manifest/version"}},
		{name: "settings beside it", args: at("with.genisys-plugin.json"), code: 1, says: []string{"with.genisys-plugin.json: valid", "with.pawl-release.json: /actions/no_such"}},
		{name: "settings beside it that fit", args: at("fits.genisys-plugin.json"), says: []string{"fits.genisys-plugin.json: valid: shop", "fits.pawl-release.json: valid"}},
		{name: "settings of a plugin", args: at("with.pawl-release.json"), code: 1, says: []string{"/actions/no_such"}},
		{name: "settings by themselves", args: at("alone.pawl-release.json"), says: []string{"alone.pawl-release.json: valid"}},
		{name: "a module that is no JavaScript", args: []string{"plugin", "validate", "-"}, in: words("export default { tools: { count( } };"), code: 1, says: []string{"-: /code: ", "is no JavaScript", "line 1"}},
		{name: "a module without its tool", args: []string{"plugin", "validate", "-"}, in: words("export default {};"), code: 1, says: []string{"-: /code: ", "tools"}},
		{name: "a module that tries to get out", args: []string{"plugin", "validate", "-"}, in: words("process.exit(0);"), code: 1, says: []string{"-: /code: ", "process is not defined"}},
		{name: "such a module in a bundle", args: []string{"plugin", "validate", "-"}, in: bundle(`{"plugin":`+plugin("1.0.0")+`}`, `{"plugin":`+words("import 'fs';")+`}`), code: 1, says: []string{"/plugins/1/plugin/code", "can be imported"}},
		{name: "a bundle", args: at("both.genisys-plugin-bundle.json"), says: []string{"shop 1.0.0, sha256", "desk 2.0.0, sha256"}},
		{name: "a bad bundle", args: at("bad.genisys-plugin-bundle.json"), code: 1, says: []string{"/plugins/0/settings/format"}},
		{name: "a bundle that is cut off", args: at("cut.genisys-plugin-bundle.json"), code: 1, says: []string{"Line 1, column"}},
		{name: "standard input", args: []string{"plugin", "validate", "-"}, in: plugin("1.0.0"), says: []string{"-: valid: shop"}},
		{name: "bad standard input", args: []string{"plugin", "validate", "-"}, in: plugin("1"), code: 1, says: []string{"-: /manifest/version"}},
		{name: "nothing on standard input", args: []string{"plugin", "validate", "-"}, code: 1, says: []string{"-: Line 1, column 1"}},
		{name: "a file that is not there", args: at("none.json", "good.genisys-plugin.json"), code: 1, says: []string{"none.json: This file can't be read", "good.genisys-plugin.json: valid"}},
		{name: "a folder", args: []string{"plugin", "validate", dir}, code: 1, says: []string{"can't be read"}},
		{name: "no file", args: []string{"plugin", "validate"}, code: 2},
		{name: "standard input twice", args: []string{"plugin", "validate", "-", "-"}, code: 2},
		{name: "unknown flag", args: append(at("good.genisys-plugin.json"), "--strict"), code: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, nil, tt.in, tt.args...)
			if r.code != tt.code {
				t.Errorf("exit %d; want %d\n%s%s", r.code, tt.code, r.stdout, r.stderr)
			}
			for _, want := range tt.says {
				if !strings.Contains(r.stdout, want) {
					t.Errorf("no %q in\n%s", want, r.stdout)
				}
			}
		})
	}
}

func TestValidateTellsPrograms(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"good.genisys-plugin.json": plugin("1.0.0"), "good.pawl-release.json": sidecar, "bad.json": plugin("1")})
	r := run(t, nil, "", "plugin", "validate", "--json", filepath.Join(dir, "good.genisys-plugin.json"), filepath.Join(dir, "bad.json"))
	type problem struct {
		Kind, Reason, Message string
		Where                 struct{ Pointer string }
	}
	var got []struct {
		File, Format string
		Valid        bool
		Plugins      []struct{ ID, Version, Digest string }
		Problems     []problem
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || r.code != 1 || len(got) != 3 {
		t.Fatalf("%v %+v", err, r)
	}
	if got[0].Format != "genisys-plugin@1" || !got[0].Valid || len(got[0].Problems) != 0 || got[0].Plugins[0].ID != "shop" || len(got[0].Plugins[0].Digest) != 64 {
		t.Errorf("the plugin: %+v", got[0])
	}
	if got[1].Format != "pawl-release@1" || !got[1].Valid {
		t.Errorf("its settings: %+v", got[1])
	}
	want := problem{"invalid_input", "version", `"1" is not a version: write three numbers without leading zeros, such as 1.2.0.`, struct{ Pointer string }{"/manifest/version"}}
	if diff := cmp.Diff([]problem{want}, got[2].Problems); diff != "" {
		t.Errorf("the bad one (-want +got):\n%s", diff)
	}
}

// TestFilesTravel pushes a plugin with the settings beside it and a bundle, exports both, and pushes what was exported
// into another installation: the digests are those that validating the files told.
func TestFilesTravel(t *testing.T) {
	t.Parallel()
	from, to := install(t), install(t)
	dir := folder(t, map[string]string{
		"shop.genisys-plugin.json": plugin("1.0.0"), "shop.pawl-release.json": sidecar,
		"desk.genisys-plugin-bundle.json": bundle(`{"plugin":` + desk("2.0.0") + `}`),
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	if out := from.must("plugin", "push", at("shop.genisys-plugin.json")); !strings.Contains(out, "with the settings of") {
		t.Errorf("push: %s", out)
	}
	if out := from.must("plugin", "push", at("desk.genisys-plugin-bundle.json")); !strings.Contains(out, "create desk 2.0.0") {
		t.Errorf("push of a bundle: %s", out)
	}
	if out := from.must("plugin", "push", at("shop.genisys-plugin.json"), "--json"); !strings.Contains(out, `"changed": false`) {
		t.Errorf("push again: %s", out)
	}
	for _, id := range []string{"shop", "desk"} {
		from.must("plugin", "promote", id, "--to", "preview")
		from.must("plugin", "promote", id, "--to", "production")
	}
	from.must("plugin", "export", "shop", "desk", "--bundle", "-o", at("all.genisys-plugin-bundle.json"))
	from.must("plugin", "export", "shop", "-o", at("again.genisys-plugin.json"))
	to.must("plugin", "push", at("all.genisys-plugin-bundle.json"))
	to.must("plugin", "push", at("again.genisys-plugin.json"))
	for _, in := range []*installation{from, to} {
		for id, file := range map[string]string{"shop": "shop.genisys-plugin.json", "desk": "desk.genisys-plugin-bundle.json"} {
			var shown struct{ Draft struct{ Digest string } }
			if err := json.Unmarshal([]byte(in.must("plugin", "show", id, "--json")), &shown); err != nil {
				t.Fatal(err)
			}
			if told := in.must("plugin", "validate", at(file)); !strings.Contains(told, shown.Draft.Digest) || shown.Draft.Digest == "" {
				t.Errorf("%s has the digest %s; validating its file told %s", id, shown.Draft.Digest, told)
			}
		}
	}
	if out := to.must("plugin", "export", "shop", "--settings", "--version", "draft"); !strings.Contains(out, "pawl-release@1") {
		t.Errorf("settings: %s", out)
	}
}

func TestFilesThatWouldMislead(t *testing.T) {
	t.Parallel()
	in := install(t)
	in.must("plugin", "push", in.file("shop.json", plugin("1.0.0")))
	dir := folder(t, map[string]string{
		"shop.pawl-release.json": sidecar, "b.genisys-plugin-bundle.json": bundle(`{"plugin":` + plugin("1.1.0") + `}`),
		"bad.genisys-plugin.json": plugin("1.1.0"), "bad.pawl-release.json": `{"format":"pawl-release@1","verify":{"action":"nope"}}`,
	})
	out := filepath.Join(dir, "shop.genisys-plugin.json")
	for _, tt := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"settings of another time beside an export", []string{"plugin", "export", "shop", "--version", "draft", "-o", out}, 1, "would pass for them"},
		{"two plugins in one plugin file", []string{"plugin", "export", "shop", "desk"}, 2, "--bundle"},
		{"a bundle of settings", []string{"plugin", "export", "shop", "--bundle", "--settings"}, 2, ""},
		{"settings for a bundle", []string{"plugin", "push", filepath.Join(dir, "b.genisys-plugin-bundle.json"), "--settings", "x"}, 2, "bundle"},
		{"settings that don't fit", []string{"plugin", "push", filepath.Join(dir, "bad.genisys-plugin.json")}, 1, "/verify/action"},
		{"settings and none", []string{"plugin", "settings", "shop", out, "--remove"}, 2, "--remove"},
		{"settings where there are none", []string{"plugin", "settings", "shop"}, 1, "no release settings"},
	} {
		r := in.run("", tt.args...)
		if r.code != tt.code || !strings.Contains(r.stderr, tt.says) {
			t.Errorf("%s: exit %d, %s%s; want %d, %q", tt.name, r.code, r.stdout, r.stderr, tt.code, tt.says)
		}
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("a refused export wrote its file: %v", err)
	}
	if shown := in.must("plugin", "show", "shop"); !strings.Contains(shown, "draft 1.0.0") {
		t.Errorf("a refused push changed the draft: %s", shown)
	}
	in.must("plugin", "settings", "shop", filepath.Join(dir, "shop.pawl-release.json"))
	if text := in.must("plugin", "settings", "shop"); !strings.Contains(text, "create_order") {
		t.Errorf("settings: %s", text)
	}
	in.must("plugin", "settings", "shop", "--remove")
	in.must("plugin", "export", "shop", "--version", "draft", "-o", filepath.Join(dir, "other.genisys-plugin.json"))
}
