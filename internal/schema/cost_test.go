package schema_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pawl/internal/schema"
)

// allocated measures how many bytes f allocates in all. It is right only while nothing else runs: no test that calls it
// is parallel.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestHostileSchemasCostLittle: what reading a schema allocates is bounded by its text, whatever it says.
func TestHostileSchemasCostLittle(t *testing.T) {
	const mib = 1 << 20
	name := strings.Repeat("n", 40_000)
	for _, tt := range []struct {
		name, schema string
		want         uint64
	}{
		{"exponential", doubling("anyOf", 1000), 64 * mib},
		{"a chain of references", doubling("allOf", 1), mib},
		{"200 levels", strings.Repeat(`{"not":`, 199) + `{}` + strings.Repeat(`}`, 199), 16 * mib},
		{"wide", `{"anyOf":[` + strings.Repeat(`{"type":"string"},`, 4000) + `{}]}`, 128 * mib},
		{"long names, deep", strings.Repeat(`{"properties":{"`+name+`":`, 60) + `{"enum":[` + strings.Repeat("1,", 100_000) + `1]}` + strings.Repeat(`}}`, 60), 64 * mib},
		{"many values", `{"enum":[` + strings.Repeat("1,", 190_000) + `1]}`, 256 * mib},
		{"a long pattern", `{"pattern":"` + strings.Repeat("(a|b){1,30}", 30) + `"}`, 64 * mib},
		{"a pattern of RE2's limit and beyond", `{"pattern":"((a{0,100}){0,100}){0,100}"}`, mib},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := allocated(func() { schema.Compile([]byte(tt.schema), schema.Open) }); got > tt.want {
				t.Errorf("reading it allocates %d MiB; want %d at the most", got/mib, tt.want/mib)
			}
		})
	}
}

// TestHostileValuesCostLittle: what would cost too much is refused before anything is done.
func TestHostileValuesCostLittle(t *testing.T) {
	const mib = 1 << 20
	text := strings.Repeat("a", 1000)
	list := func(n int, element string) string {
		return "[" + strings.Repeat(element+",", n) + element + "]"
	}
	counted := func(n int, format string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(format, i)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	for _, tt := range []struct {
		name, schema, value string
		want                uint64
	}{
		{"everything fails", `{"items":{"type":"string"}}`, list(400_000, "1"), 512 * mib},
		{"everything fails ten times", `{"items":{"allOf":` + list(9, `{"type":"string"}`) + `}}`, list(40_000, "1"), 512 * mib},
		{"a long list of choices", `{"items":{"enum":` + counted(10_000, "%d") + `}}`, list(100_000, `"x"`), 64 * mib},
		{"a long constant", `{"items":{"const":"` + strings.Repeat("c", 1<<20) + `"}}`, list(100_000, `"x"`), 64 * mib},
		{"many required members", `{"items":{"required":` + counted(4_000, `"a_name_of_some_length_%d"`) + `}}`, list(10_000, "{}"), 64 * mib},
		{"a large pattern and a long text", `{"pattern":"^(a{0,30}){0,30}$"}`, `"` + strings.Repeat("a", 1<<20) + `b"`, 64 * mib},
		{"long names, deep, with many leaves", `{}`, strings.Repeat(`{"`+text+`":`, 150) + list(100_000, "1") + strings.Repeat("}", 150), 128 * mib},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, problems := schema.Compile([]byte(tt.schema), schema.Open)
			if s == nil {
				t.Logf("refused already: %v", problems)
				return
			}
			if got := allocated(func() { problems = s.Validate([]byte(tt.value)) }); got > tt.want {
				t.Errorf("checking allocates %d MiB; want %d at the most: %v", got/mib, tt.want/mib, problems[:min(len(problems), 1)])
			} else {
				t.Logf("%d MiB, %v", got/mib, problems[:min(len(problems), 1)])
			}
			if len(problems) > 20 {
				t.Errorf("%d problems", len(problems))
			}
		})
	}
}
