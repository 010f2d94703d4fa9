package genisys_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/connections/genisys"
	"pawl/internal/fault"
)

func TestBadText(t *testing.T) {
	t.Parallel()
	shop := read(t, shopFile)
	for _, tt := range []struct {
		name string
		give []byte
		kind fault.Kind
		want string
	}{
		{"nothing", nil, fault.InvalidInput, "truncated"},
		{"white space", []byte(" \n"), fault.InvalidInput, "truncated"},
		{"not JSON", []byte("id: shop\n"), fault.InvalidInput, "syntax"},
		{"a list", []byte("[]"), fault.InvalidInput, "type"},
		{"null", []byte("null"), fault.InvalidInput, "type"},
		{"a text", []byte(`"genisys-plugin@1"`), fault.InvalidInput, "type"},
		{"cut off", shop[:len(shop)/2], fault.InvalidInput, "truncated"},
		{"two files", append(bytes.Clone(shop), shop...), fault.InvalidInput, "trailing_data"},
		{"byte order mark", append([]byte("\xef\xbb\xbf"), shop...), fault.InvalidInput, "byte_order_mark"},
		{"UTF-16", []byte("{\x00}\x00"), fault.InvalidInput, "encoding"},
		{"10 MB", bytes.Repeat([]byte(" "), 10<<20), fault.TooLarge, "bytes"},
		{"10 MB of a plugin", bytes.Replace(shop, []byte("export default"), bytes.Repeat([]byte("x"), 10<<20), 1), fault.TooLarge, "bytes"},
		{"deep nesting", []byte(strings.Repeat("[", 1<<20)), fault.Limit, "depth"},
		{"very many values", []byte("[" + strings.Repeat("1,", 1<<20) + "1]"), fault.Limit, "values"},
		{"a member twice", bytes.Replace(shop, []byte(`"format"`), []byte(`"code": "", "format"`), 1), fault.InvalidInput, "duplicate_member"},
		{"lone surrogate", bytes.Replace(shop, []byte("export default"), []byte(`\ud800`), 1), fault.InvalidInput, "surrogate"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, problems := genisys.Decode(tt.give)
			if p != nil || len(problems) != 1 || problems[0].Kind != tt.kind || problems[0].Reason != tt.want {
				t.Fatalf("Decode = %v, %v; want one %s (%s)", p, problems, tt.kind, tt.want)
			}
			if w := problems[0].Where; tt.want != "bytes" && tt.want != "type" && (w == nil || w.Line < 1 || w.Column < 1) {
				t.Errorf("the problem has no line and column: %+v", w)
			}
		})
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	data := edit(t, read(t, shopFile),
		change{"/manifest/id", `"Shop"`}, change{"/manifest/nmae", `"Shop"`}, change{"/manifest/version", ""},
		change{app + "/baseUrl", `"http://api.shop.example"`}, change{app + "/auth", `"header:Cookie"`},
		change{first + "/path", `"/v1/../orders?x"`}, change{third + "/inputs/0/in", `"header"`}, change{"/code", `5`})
	want := strings.Join([]string{
		`/manifest/nmae: "nmae" is not a member of this object; did you mean "name"?`,
		`/manifest/id: "Shop" is not allowed here: write a lower-case letter and then 1 to 40 lower-case letters, digits or hyphens, for instance word-tools.`,
		`/manifest/version: "version" is missing here; add it.`,
		`/manifest/app/baseUrl: "http://api.shop.example" does not start with https://; write an origin such as https://api.example.com.`,
		`/manifest/app/auth: The header "Cookie" is reserved; a key needs a header of its own, such as X-Api-Key.`,
		`/manifest/app/actions/0/path: The path has a query; declare its parameters as inputs with "in": "query".`,
		`/manifest/app/actions/0/path: The path has a segment "..", which leads elsewhere; leave it out.`,
		`/manifest/app/actions/2/inputs/0/in: "in" can't be "header"; use one of "path", "query", "body".`,
		`/code: "code" must be a text, not a number.`,
	}, "\n")
	_, problems := genisys.Decode(data)
	if diff := cmp.Diff(want, problems.Error()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	data := edit(t, read(t, shopFile), change{"/manifest/tools", list(100, `{"a%d":1}`)})
	if _, problems := genisys.Decode(data); len(problems) != 101 || problems[100].Reason != "more_problems" {
		t.Errorf("%d problems; want 101", len(problems))
	}
}

// Every value of a valid file, replaced by a value of another kind, is either refused at its own place or was
// free to be anything: the insides of a schema.
func TestWrongTypesEverywhere(t *testing.T) {
	t.Parallel()
	for _, file := range []string{shopFile, legacyFile, connectionFile} {
		data := read(t, file)
		for _, pointer := range pointers(t, data) {
			if strings.Contains(pointer, "/input/") {
				continue
			}
			for _, wrong := range []string{`null`, `7.5`, `[[]]`, `{"a":{}}`} {
				for _, got := range refusals(edit(t, data, change{pointer, wrong})) {
					if !strings.HasPrefix(got, parent(pointer)) {
						t.Errorf("%s: %s = %s is refused at %s", file, pointer, wrong, got)
					}
				}
				if len(refusals(edit(t, data, change{pointer, wrong}))) == 0 && !free(pointer, wrong) {
					t.Errorf("%s: %s = %s is accepted", file, pointer, wrong)
				}
			}
		}
	}
}

// free says where an object with any members may stand.
func free(pointer, wrong string) bool { return strings.HasSuffix(pointer, "/input") && wrong[0] == '{' }

// parent is where a wrong value may also be felt: in the action whose path and inputs must agree, in the list
// whose names are unique.
func parent(pointer string) string {
	if i := strings.Index(pointer, "/actions/"); i >= 0 {
		return pointer[:i+len("/actions/")]
	}
	return pointer
}

func pointers(t testing.TB, data []byte) []string {
	t.Helper()
	var all []string
	var walk func(at string, v any)
	walk = func(at string, v any) {
		all = append(all, at)
		switch v := v.(type) {
		case map[string]any:
			for k, m := range v {
				walk(at+"/"+k, m)
			}
		case []any:
			for i, m := range v {
				walk(at+"/"+strconv.Itoa(i), m)
			}
		}
	}
	doc := parse(t, data).(map[string]any)
	for k, m := range doc {
		walk("/"+k, m)
	}
	return all
}
