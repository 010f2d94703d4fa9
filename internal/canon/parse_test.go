package canon_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/canon"
	"pawl/internal/fault"
)

// seen is what a problem says, without its sentence.
type seen struct {
	Kind         fault.Kind
	Reason       string
	Pointer      string
	Line, Column int
}

func see(l fault.List) []seen {
	var all []seen
	for _, e := range l {
		s := seen{Kind: e.Kind, Reason: e.Reason}
		if e.Where != nil {
			s.Pointer, s.Line, s.Column = e.Where.Pointer, e.Where.Line, e.Where.Column
		}
		all = append(all, s)
	}
	return all
}

func TestCheck(t *testing.T) {
	t.Parallel()
	bad := fault.InvalidInput
	for _, tt := range []struct {
		name, give string
		want       []seen
	}{
		{"sound", `{"a":[1,{"b":"c"}]}`, nil},
		{"empty", "", []seen{{bad, "truncated", "", 1, 1}}},
		{"only white space", " \n ", []seen{{bad, "truncated", "", 2, 2}}},
		{"byte order mark", "\ufeff{}", []seen{{bad, "byte_order_mark", "", 1, 1}}},
		{"cut in an object", "{\n  \"a\": 1", []seen{{bad, "truncated", "", 2, 9}}},
		{"cut in a list", `{"a":[1,`, []seen{{bad, "truncated", "/a/1", 1, 9}}},
		{"cut in a text", `{"a":"b`, []seen{{bad, "truncated", "/a", 1, 8}}},
		{"cut in an escape", `"\`, []seen{{bad, "truncated", "", 1, 3}}},
		{"cut in a unicode escape", `"\u12`, []seen{{bad, "truncated", "", 1, 6}}},
		{"cut behind a name", `{"a"`, []seen{{bad, "truncated", "/a", 1, 5}}},
		{"cut number", `-`, []seen{{bad, "truncated", "", 1, 2}}},
		{"trailing comma in a list", `[1,]`, []seen{{bad, "syntax", "", 1, 4}}},
		{"trailing comma in an object", `{"a":1,}`, []seen{{bad, "syntax", "", 1, 8}}},
		{"missing comma", `{"a":1 "b":2}`, []seen{{bad, "syntax", "", 1, 8}}},
		{"missing colon", `{"a" 1}`, []seen{{bad, "syntax", "/a", 1, 6}}},
		{"single quotes", `{'a':1}`, []seen{{bad, "syntax", "", 1, 2}}},
		{"comment", "{} // note", []seen{{bad, "trailing_data", "", 1, 4}}},
		{"two documents", "{}\n{}", []seen{{bad, "trailing_data", "", 2, 1}}},
		{"NaN", `[NaN]`, []seen{{bad, "syntax", "/0", 1, 2}}},
		{"leading zero", `[01]`, []seen{{bad, "syntax", "/0", 1, 3}}},
		{"plus sign", `+1`, []seen{{bad, "syntax", "", 1, 1}}},
		{"no digit behind the point", `1.`, []seen{{bad, "truncated", "", 1, 3}}},
		{"no digit in the exponent", `[1e]`, []seen{{bad, "syntax", "/0", 1, 4}}},
		{"tab inside a text", "\"a\tb\"", []seen{{bad, "syntax", "", 1, 3}}},
		{"unknown escape", `"\x"`, []seen{{bad, "syntax", "", 1, 2}}},
		{"signed hexadecimal", `"\u+123"`, []seen{{bad, "syntax", "", 1, 2}}},
		{"NUL between values", "[1\x00]", []seen{{bad, "syntax", "", 1, 3}}},
		{"UTF-16 with a mark", "\xff\xfe{\x00}\x00", []seen{{bad, "encoding", "", 1, 1}}},
		{"UTF-16, the large end first, with a mark", "\xfe\xff\x00{\x00}", []seen{{bad, "encoding", "", 1, 1}}},
		{"UTF-16", "{\x00}\x00", []seen{{bad, "encoding", "", 1, 1}}},
		{"UTF-16, the large end first", "\x00{\x00}", []seen{{bad, "encoding", "", 1, 1}}},
		{"UTF-32", "[\x00\x00\x00]\x00\x00\x00", []seen{{bad, "encoding", "", 1, 1}}},
		{"UTF-32, the large end first", "\x00\x00\x00[\x00\x00\x00]", []seen{{bad, "encoding", "", 1, 1}}},
		{"gzip", "\x1f\x8b\x08\x00", []seen{{bad, "encoding", "", 1, 1}}},
		{"ZIP", "PK\x03\x04", []seen{{bad, "encoding", "", 1, 1}}},
		{"two zero bytes", "\x00\x00", []seen{{bad, "syntax", "", 1, 1}}},
		{"wrong word", `[nul]`, []seen{{bad, "syntax", "/0", 1, 2}}},
		{"one member twice", `{"a":1,"a":2}`, []seen{{bad, "duplicate_member", "/a", 1, 8}}},
		{"escaped name twice", `{"a":1,"\u0061":2}`, []seen{{bad, "duplicate_member", "/a", 1, 8}}},
		{
			"duplicates are all reported", "{\"a\":{\"x/y\":1,\n\"x/y\":2},\"b\":[{\"c~\":1,\"c~\":1}]}",
			[]seen{{bad, "duplicate_member", "/a/x~1y", 2, 1}, {bad, "duplicate_member", "/b/0/c~0", 2, 23}},
		},
		{
			"not UTF-8, and more", "{\"ü\":\"\xff\xc0\",\"b\":1,\"b\":2}",
			[]seen{{bad, "utf8", "/ü", 1, 7}, {bad, "duplicate_member", "/b", 1, 17}},
		},
		{"UTF-8 of a surrogate", "\"\xed\xa0\x80\"", []seen{{bad, "utf8", "", 1, 2}}},
		{"name that is not UTF-8", "{\"\xff\":1,}", []seen{{bad, "utf8", "", 1, 3}, {bad, "syntax", "", 1, 8}}},
		{"lone high surrogate", `["\ud83d"]`, []seen{{bad, "surrogate", "/0", 1, 3}}},
		{"lone low surrogate", `["\ude00"]`, []seen{{bad, "surrogate", "/0", 1, 3}}},
		{"two high surrogates", `"\ud83d\ud83d"`, []seen{{bad, "surrogate", "", 1, 2}, {bad, "surrogate", "", 1, 8}}},
		{"high surrogate before a character", `"\ud83d\u0041"`, []seen{{bad, "surrogate", "", 1, 2}}},
		{"columns are code points", "\"€😀\" x", []seen{{bad, "trailing_data", "", 1, 6}}},
		{"too deep", `[[[[[0]]]]]`, []seen{{fault.Limit, "depth", "/0/0/0/0", 1, 5}}},
		{"just deep enough", `[[[[0]]]]`, nil},
		{"too many values", `[1,2,3,4,5,6,7,8,9,10,11,12]`, []seen{{fault.Limit, "values", "/11", 1, 26}}},
		{"too many bytes", strings.Repeat(" ", 101), []seen{{fault.TooLarge, "bytes", "", 0, 0}}},
		{"exponent beyond the bound", `1e1000000`, []seen{{fault.Limit, "number", "", 1, 10}}},
		{"digits and exponent together beyond the bound", `10e999999`, []seen{{fault.Limit, "number", "", 1, 10}}},
		{"exponent of zero", `0e-99999999999999999999`, nil},
		{"exponent that overflows", `1e-99999999999999999999`, []seen{{fault.Limit, "number", "", 1, 24}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := see(canon.Check([]byte(tt.give), canon.Limits{Bytes: 100, Depth: 4, Values: 12}))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Check(%q) (-want +got):\n%s", tt.give, diff)
			}
		})
	}
}

func TestLongNumberIsRefused(t *testing.T) {
	t.Parallel()
	got := canon.Check([]byte(strings.Repeat("1", 1001)), canon.Limits{})
	if len(got) != 1 || got[0].Kind != fault.Limit {
		t.Errorf("Check = %v; want one limit", got)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	got := canon.Check([]byte(`{"a":1`+strings.Repeat(`,"a":1`, 1000)+`}`), canon.Limits{})
	if len(got) != 101 || got[100].Reason != "more_problems" {
		t.Errorf("%d problems, the last %v; want 101 with more_problems at the end", len(got), got[len(got)-1])
	}
}

func TestManyMembersWithOneDuplicate(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"last":0`)
	for i := range 100 {
		b.WriteString(`,"m` + strings.Repeat("x", i) + `":0`)
	}
	b.WriteString(`,"last":0}`)
	got := canon.Check([]byte(b.String()), canon.Limits{})
	if len(got) != 1 || got[0].Where.Pointer != "/last" {
		t.Errorf("Check = %v; want one duplicate at /last", got)
	}
}

func TestDeepNestingIsRefusedQuickly(t *testing.T) {
	t.Parallel()
	for _, open := range []string{"[", `{"a":`} {
		got := canon.Check([]byte(strings.Repeat(open, 1_000_000)), canon.Limits{})
		if len(got) != 1 || got[0].Reason != "depth" {
			t.Errorf("Check of a million %q = %v; want depth", open, got)
		}
	}
}

func TestMessageSaysWhereAndHow(t *testing.T) {
	t.Parallel()
	err := canon.Check([]byte("{\n  \"a\": 1,\n}"), canon.Limits{}).Err()
	if want := "Line 3, column 1: a comma stands before }; remove it."; err == nil || err.Error() != want {
		t.Errorf("Check = %v; want %q", err, want)
	}
}

// TestLongNamesDoNotMultiply: the pointers of many problems below long names stay small together.
func TestLongNamesDoNotMultiply(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("n", 10_000)
	open := strings.Repeat(`{"`+name+`":`, 50)
	text := open + `{` + strings.Repeat(`"a":1,`, 200) + `"a":1}` + strings.Repeat(`}`, 50)
	problems := canon.Check([]byte(text), canon.Limits{})
	total := 0
	for _, e := range problems {
		if e.Where != nil {
			total += len(e.Where.Pointer)
		}
	}
	if last := problems[len(problems)-1]; total > 2*len(text) || last.Reason != "more_problems" {
		t.Errorf("%d problems with pointers of %d bytes, the last %v", len(problems), total, last)
	}
}
