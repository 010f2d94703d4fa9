package canon_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/gowebpki/jcs"

	"pawl/internal/canon"
)

// FuzzCanonical holds the canonical form to what it promises: only valid JSON has one, it is its own canonical
// form, and it means the same.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{
		`{"b":[1,2.50,-0,1e400],"a":{"x":"\u0000\ud83d\ude00","":null}}`, `[9007199254740993,0.1,1E-7]`, `"\ud83d"`,
		`{"a":1,"a":2}`, `{"\u20ac":1,"\ud83d\ude00":2,"\ufb33":3}`, `[[[[]]]]`, "\ufeff{}", "\"\xff\"", `{"a":1,}`, `tru`, "01", "", " ",
		`"\u12`, `{"a" 1}`, `[1e999999,1e-999999]`, `10e0999999`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := canon.Canonical(data)
		if err != nil {
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q is not JSON, but has the canonical form %q", data, got)
		}
		again, err := canon.Canonical(got)
		if err != nil || !bytes.Equal(got, again) {
			t.Fatalf("%q -> %q -> %q, %v", data, got, again, err)
		}
		if a, b := tree(t, data), tree(t, got); !bytes.Equal(a, b) {
			t.Fatalf("%q changed its meaning: %s and %s", data, a, b)
		}
	})
}

// tree is what a reader with doubles sees of a document, as the RFC's reference implementation writes it. A
// number beyond the doubles has no such form; then the document itself stands for it.
func tree(t *testing.T, data []byte) []byte {
	t.Helper()
	out, err := jcs.Transform(data)
	if err != nil {
		out, err = canon.Canonical(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// FuzzCheck holds the strict reader against encoding/json: what one refuses for its syntax, so does the other.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":"c"}]}`, `[1,]`, `{"a":1 "b":2}`, `"\x"`, `-`, `1.`, `nul`, "[1\x00]", `{"":{"":[]}}`} {
		f.Add([]byte(s))
	}
	syntax := map[string]bool{"syntax": true, "truncated": true, "trailing_data": true, "byte_order_mark": true}
	f.Fuzz(func(t *testing.T, data []byte) {
		problems := canon.Check(data, canon.Limits{Depth: 100})
		refused := false
		for _, e := range problems {
			refused = refused || syntax[e.Reason]
			if e.Reason != "more_problems" && (e.Where == nil || e.Where.Line < 1 || e.Where.Column < 1) {
				t.Fatalf("%q: a problem without a place: %v", data, e)
			}
		}
		if valid := json.Valid(data); valid && refused || !valid && len(problems) == 0 {
			t.Fatalf("%q: valid %v, but problems %v", data, valid, problems)
		}
	})
}
