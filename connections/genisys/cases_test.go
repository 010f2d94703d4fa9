package genisys_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestC124NoPermissionForTheHost: a plugin can ask for hosts and for nothing else of the machine that it runs on.
func TestC124NoPermissionForTheHost(t *testing.T) {
	t.Parallel()
	data := read(t, legacyFile)
	for _, name := range []string{"env", "environment", "files", "fs", "process", "subprocess", "net", "sockets", "storage", "native"} {
		at := "/manifest/permissions/" + name
		if diff := cmp.Diff([]string{at + " unknown_member"}, refusals(edit(t, data, change{at, `["*"]`}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestC126ReadingNeverRunsTheModule: code at the top of a module that would leave a mark is read, encoded and digested,
// and leaves none.
func TestC126ReadingNeverRunsTheModule(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	code := "import fs from 'node:fs';\nfs.writeFileSync(" + strconv.Quote(mark) + ", 'x');\nrequire('fs').writeFileSync(" + strconv.Quote(mark) +
		", 'x');\nprocess.exit(1);\nawait fetch('https://evil.example/');\nexport default { tools: {} };"
	p := decode(t, edit(t, read(t, connectionFile), change{"/code", strconv.Quote(code)}))
	if again := decode(t, encode(t, p)); p.Code != code || again.Digest() != p.Digest() {
		t.Errorf("the code became %q", p.Code)
	}
	if _, err := os.Stat(mark); !os.IsNotExist(err) {
		t.Errorf("the module ran: %v", err)
	}
}

// TestC128CodeIsNotJudgedByItsWords: no word of a module is forbidden, because what holds it is the sandbox and no list.
func TestC128CodeIsNotJudgedByItsWords(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		`globalThis.constructor.constructor("return process")().mainModule.require("child_process").execSync("id")`,
		`({}).__proto__.polluted = 1; Object.prototype.toString.call.call(Function, "x")`,
		`import("node:vm"); eval("1"); new Function("return this")()`,
		`"// @ts-nocheck"; /* </script><!-- */ export default {};`,
	} {
		if p := decode(t, edit(t, read(t, connectionFile), change{"/code", quoted(t, code)})); p.Code != code {
			t.Errorf("%q became %q", code, p.Code)
		}
	}
}

// TestC130TextsStayData: texts that would mean something inside of source code, markup or a template come out as they
// went in, also through an export.
func TestC130TextsStayData(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`'); globalThis.pwn=1; ('`, `</script>`, "a\u2028b\u2029c", `${1+1}`, "`${process.env}`", `{{ inputs.x }}`, `<!--`, "\\u0027", `"`, "\U0001f600"} {
		value := quoted(t, text)
		data := edit(t, read(t, legacyFile), change{"/code", value}, change{"/manifest/description", value},
			change{"/manifest/tools/0/description", value}, change{"/manifest/skills/0/instructions", value},
			change{"/manifest/tools/0/input", `{"type":"object","properties":{"a":{"const":` + value + `}}}`})
		p := decode(t, encode(t, decode(t, data)))
		m := p.Manifest
		want := []string{text, text, text, text}
		if diff := cmp.Diff(want, []string{p.Code, m.Description, m.Tools[0].Description, m.Skills[0].Instructions}); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		var input struct {
			Properties struct{ A struct{ Const string } }
		}
		if err := json.Unmarshal(m.Tools[0].Input, &input); err != nil || input.Properties.A.Const != text {
			t.Errorf("in a schema %q became %q, %v", text, input.Properties.A.Const, err)
		}
		if strings.Contains(string(m.Tools[0].Input), "\n") {
			t.Errorf("the schema is not in canonical form: %s", m.Tools[0].Input)
		}
	}
}

func quoted(t testing.TB, text string) string {
	t.Helper()
	b, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
