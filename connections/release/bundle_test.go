package release_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/connections/genisys"
	"pawl/connections/release"
)

// fixtures are the plugin files of the format's own tests.
func fixtures(t testing.TB) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, name := range []string{"shop-1.0.0", "legacy-tools", "connection-only"} {
		data, err := os.ReadFile("../genisys/testdata/" + name + ".genisys-plugin.json")
		if err != nil {
			t.Fatal(err)
		}
		all[name] = data
	}
	return all
}

// bundleOf puts plugin files together, the first with settings.
func bundleOf(settings string, files ...[]byte) []byte {
	var list []string
	for i, f := range files {
		entry := `{"plugin":` + string(f)
		if i == 0 && settings != "" {
			entry += `,"settings":` + settings
		}
		list = append(list, entry+`}`)
	}
	return []byte(`{"format":"genisys-plugin-bundle@1","plugins":[` + strings.Join(list, ",") + `]}`)
}

func TestBundleKeepsDigests(t *testing.T) {
	t.Parallel()
	f := fixtures(t)
	b, problems := release.DecodeBundle(bundleOf(fullSettings, f["shop-1.0.0"], f["legacy-tools"], f["connection-only"]))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	out, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, problems := release.DecodeBundle(out)
	if len(problems) > 0 || len(again) != 3 {
		t.Fatalf("%d plugins, %v", len(again), problems)
	}
	for i := range b {
		p, problems := genisys.Decode(map[int][]byte{0: f["shop-1.0.0"], 1: f["legacy-tools"], 2: f["connection-only"]}[i])
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if !bytes.Equal(b[i].Digest(), again[i].Digest()) || !bytes.Equal(p.Canonical(), again[i].Plugin.Canonical()) {
			t.Errorf("plugin %d changed", i)
		}
	}
	if again[0].Settings == nil || again[1].Settings != nil {
		t.Errorf("settings: %v, %v", again[0].Settings, again[1].Settings)
	}
	if !bytes.HasSuffix(out, []byte("]\n}\n")) || !bytes.Contains(out, []byte("<kind>")) {
		t.Errorf("the file ends with %q", out[len(out)-10:])
	}
}

func TestBundleRules(t *testing.T) {
	t.Parallel()
	f := fixtures(t)
	shop, legacy := f["shop-1.0.0"], f["legacy-tools"]
	bad := bytes.Replace(legacy, []byte(`"word-tools"`), []byte(`"Word"`), 1)
	many := make([][]byte, release.MaxBundled+1)
	for i := range many {
		many[i] = []byte(fmt.Sprintf(`{"n":%d}`, i))
	}
	for _, tt := range []struct {
		name string
		give []byte
		want []string
	}{
		{"cut off", bundleOf("", shop)[:500], []string{"/plugins/0/plugin/manifest/app/logo truncated"}},
		{"a list", []byte(`[]`), []string{"type"}},
		{"no format", []byte(`{"plugins":[{"plugin":` + string(shop) + `}]}`), []string{"/format missing_member"}},
		{"another format", bytes.Replace(bundleOf("", shop), []byte("bundle@1"), []byte("bundle@2"), 1), []string{"/format format"}},
		{"a plugin file", shop, []string{"/manifest unknown_member", "/code unknown_member", "/format format", "/plugins missing_member"}},
		{"no plugins", bundleOf(""), []string{"/plugins count"}},
		{"plugins is an object", []byte(`{"format":"genisys-plugin-bundle@1","plugins":{}}`), []string{"/plugins type"}},
		{"too many plugins", bundleOf("", many...), []string{"/plugins count"}},
		{"a plugin by itself", []byte(`{"format":"genisys-plugin-bundle@1","plugins":["shop"]}`), []string{"/plugins/0 type"}},
		{"no plugin in an entry", []byte(`{"format":"genisys-plugin-bundle@1","plugins":[{"settings":{"format":"pawl-release@1"}}]}`), []string{"/plugins/0/plugin missing_member"}},
		{"unknown member of an entry", []byte(`{"format":"genisys-plugin-bundle@1","plugins":[{"plugin":` + string(shop) + `,"account":"x"}]}`), []string{"/plugins/0/account unknown_member"}},
		{"one plugin twice", bundleOf("", shop, legacy, shop), []string{"/plugins/2/plugin/manifest/id duplicate"}},
		{"problems of all files", bundleOf(`{"format":"pawl-release@1","verify":{"action":"nope"},"x":1}`, shop, bad), []string{"/plugins/0/settings/x unknown_member", "/plugins/0/settings/verify/action unknown_action", "/plugins/1/plugin/manifest/id name"}},
		{"settings is null", []byte(`{"format":"genisys-plugin-bundle@1","plugins":[{"plugin":` + string(shop) + `,"settings":null}]}`), []string{"/plugins/0/settings type"}},
		{"a member twice inside of a plugin", bytes.Replace(bundleOf("", shop), []byte(`"id": "shop"`), []byte(`"id": "shop", "id": "shop"`), 1), []string{"/plugins/0/plugin/manifest/id duplicate_member"}},
		{"too large", bytes.Repeat([]byte(" "), release.MaxBundleBytes+1), []string{"bytes"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, problems := release.DecodeBundle(tt.give)
			if b != nil {
				t.Error("a bundle came out")
			}
			if diff := cmp.Diff(tt.want, places(problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzDecodeBundle(f *testing.F) {
	files := fixtures(f)
	f.Add(bundleOf(fullSettings, files["shop-1.0.0"], files["legacy-tools"]))
	f.Add(bundleOf("", files["connection-only"]))
	f.Add([]byte(`{"format":"genisys-plugin-bundle@1","plugins":[{"plugin":{},"settings":{}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, problems := release.DecodeBundle(data)
		if (b == nil) == (len(problems) == 0) {
			t.Fatalf("DecodeBundle = %v, %v", b, problems)
		}
		if b == nil {
			return
		}
		out, err := b.Encode()
		if err != nil {
			return // larger than the largest bundle
		}
		if again, problems := release.DecodeBundle(out); len(again) != len(b) {
			t.Fatalf("the bundle %q is refused when it is read again: %v", out, problems)
		}
	})
}
