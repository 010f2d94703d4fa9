package genisys_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pawl/connections/genisys"
	"pawl/internal/canon"
)

const (
	shopDigest       = "3dd8b2d0c900d6e321b3dcf038273bfdef15cb5e591625d8d6402e0855fb9709"
	legacyDigest     = "46fd64148490a9db6320f4c4b6542080605c18e9db10e5f3c9cec8405471c3c2"
	connectionDigest = "500d8db104c7404d26715f11daf8239386ce57c0aff42393a486a772a862ebb2"
)

func encode(t testing.TB, p *genisys.Plugin) []byte {
	t.Helper()
	out, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEncodeLosesNothing(t *testing.T) {
	t.Parallel()
	for _, file := range []string{shopFile, legacyFile, connectionFile} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			data := read(t, file)
			p := decode(t, data)
			again := decode(t, encode(t, p))
			if diff := cmp.Diff(p, again, cmpopts.IgnoreUnexported(genisys.Plugin{})); diff != "" {
				t.Errorf("the plugin changed (-before +after):\n%s", diff)
			}
			want, err := canon.Canonical(data)
			if err != nil || !bytes.Equal(again.Canonical(), want) || p.Digest() != again.Digest() {
				t.Errorf("canonical form %s, %v; want %s", again.Canonical(), err, want)
			}
		})
	}
}

// A file in the seed's order and indented by two comes out byte for byte, but for schemas, whose members sort.
func TestEncodeKeepsTheSeedsOrder(t *testing.T) {
	t.Parallel()
	for _, file := range []string{shopFile, connectionFile} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			data := read(t, file)
			want, got := ordered(t, data), ordered(t, encode(t, decode(t, data)))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("members (-file +export):\n%s", diff)
			}
		})
	}
}

// ordered gives the names of the two outer objects in their order.
func ordered(t testing.TB, data []byte) []string {
	t.Helper()
	v, problems := canon.Parse(data, canon.Limits{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var names []string
	for _, o := range []*canon.Value{v, v.Member("manifest"), v.Member("manifest").Member("app"), v.Member("manifest").Member("app").Member("actions").At(0)} {
		for i := range o.Len() {
			names = append(names, o.At(i).Name())
		}
	}
	return names
}

func TestEncodeKeepsMarkupAndDigits(t *testing.T) {
	t.Parallel()
	out := encode(t, decode(t, read(t, legacyFile)))
	for _, want := range []string{"<kind>", "true & useful", "9007199254740993", "wörter.example"} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%q is not in the export", want)
		}
	}
	if !json.Valid(out) || !bytes.HasSuffix(out, []byte("}\n")) || bytes.HasSuffix(out, []byte("\n\n")) {
		t.Errorf("the export ends with %q", out[len(out)-5:])
	}
}

func TestDigestIsStable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, want string }{
		{"shop", shopFile, shopDigest},
		{"legacy", legacyFile, legacyDigest},
		{"connection only", connectionFile, connectionDigest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := decode(t, read(t, tt.file)).Digest()
			if got := hex.EncodeToString(d[:]); got != tt.want {
				t.Errorf("Digest = %s; want %s: a frozen release would no longer match its digest", got, tt.want)
			}
		})
	}
}

func TestDigestSeesEveryChange(t *testing.T) {
	t.Parallel()
	data := read(t, shopFile)
	before := decode(t, data).Digest()
	for _, c := range []change{
		{"/code", `"export default { };"`},
		{"/manifest/name", `"Shop "`},
		{app + "/keyHelp", `""`},
		{first + "/inputs/0/required", `false`},
		{app + "/baseUrl", `"https://api.shop.example/"`},
		{third + "/body", `"json"`},
	} {
		if decode(t, edit(t, data, c)).Digest() == before {
			t.Errorf("the digest does not see %s", c.pointer)
		}
	}
	var spaced bytes.Buffer
	if err := json.Indent(&spaced, data, "\t", "    "); err != nil {
		t.Fatal(err)
	}
	if decode(t, spaced.Bytes()).Digest() != before {
		t.Error("the digest sees white space")
	}
}
