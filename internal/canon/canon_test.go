package canon_test

import (
	"encoding/hex"
	"math/big"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"pawl/internal/canon"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give, want string
	}{
		{"white space goes", " { \"a\" : [ 1 , 2 ] } \r\n", `{"a":[1,2]}`},
		{
			"members sort by UTF-16 units", `{"\ufb33":1,"\ud83d\ude00":2,"\u20ac":3,"\r":4,"1":5,"\u0080":6,"\u00f6":7,"</script>":8}`,
			"{\"\\r\":4,\"1\":5,\"</script>\":8,\"\u0080\":6,\"ö\":7,\"€\":3,\"😀\":2,\"\ufb33\":1}",
		},
		{"a prefix sorts first", `{"ab":1,"a":2,"":3}`, `{"":3,"a":2,"ab":1}`},
		{"nested objects sort too", `[{"b":{"d":1,"c":2},"a":null}]`, `[{"a":null,"b":{"c":2,"d":1}}]`},
		{"short escapes", `"\b\t\n\f\r\"\\\/\u001f\u007f"`, "\"\\b\\t\\n\\f\\r\\\"\\\\/\\u001f\u007f\""},
		{"markup and line separators stay", `"<a>&\u2028"`, "\"<a>&\u2028\""},
		{"a NUL stays a NUL", `"x\u0000y"`, `"x\u0000y"`},
		{"surrogate pair joins", `"\uD83D\uDE00"`, `"😀"`},
		{"literals", `[true,false,null]`, `[true,false,null]`},
		{"empty list and object", `[[],{}]`, `[[],{}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := canon.Canonical([]byte(tt.give))
			if err != nil || string(got) != tt.want {
				t.Errorf("Canonical(%q) = %q, %v; want %q", tt.give, got, err, tt.want)
			}
		})
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give, want string
	}{
		{"minus zero", "-0", "0"},
		{"zero with an exponent", "0e999999", "0"},
		{"trailing zero goes", "1.0", "1"},
		{"fraction is trimmed", "4.50", "4.5"},
		{"small exponent is written out", "2e-3", "0.002"},
		{"capital E", "1E30", "1e+30"},
		{"twenty-one places", "100000000000000000000", "100000000000000000000"},
		{"twenty-two places", "1000000000000000000000", "1e+21"},
		{"six zeros behind the point", "0.000001", "0.000001"},
		{"seven zeros behind the point", "0.0000001", "1e-7"},
		{"large integer keeps its digits", "7615917337495251231", "7615917337495251231"},
		{"no double is near", "9007199254740993", "9007199254740993"},
		{"long fraction keeps its digits", "333333333.33333329", "333333333.33333329"},
		{"beyond every double", "1e400", "1e+400"},
		{"negative", "-12.340e1", "-123.4"},
		{"many digits with an exponent", "1234567890123456789012345", "1.234567890123456789012345e+24"},
		{"small with digits", "0.00000012345", "1.2345e-7"},
		{"exponent with zeros", "1e+0000000002", "100"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := canon.Canonical([]byte(tt.give))
			if err != nil || string(got) != tt.want {
				t.Errorf("Canonical(%s) = %s, %v; want %s", tt.give, got, err, tt.want)
			}
		})
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	digest := func(text string) string {
		d, err := canon.Digest([]byte(text))
		if err != nil {
			t.Fatalf("Digest(%q): %v", text, err)
		}
		return hex.EncodeToString(d[:])
	}
	if got, want := digest(` {"b":2,"a":1.0}`), digest(`{"a":1,"b":2}`); got != want {
		t.Errorf("equal documents have digests %s and %s", got, want)
	}
	if a, b := digest(`9007199254740993`), digest(`9007199254740992`); a == b {
		t.Error("two different numbers have one digest")
	}
	if got, want := digest(`{}`), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"; got != want {
		t.Errorf("Digest({}) = %s; want %s", got, want)
	}
	if _, err := canon.Digest([]byte(`{"a":1,"a":2}`)); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("Digest of duplicate members: %v", err)
	}
}

// Every number that is the shortest text of a double comes out as the RFC's reference implementation has it.
func TestAgreesWithRFC8785OnDoubles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, err := jcs.NumberToJSON(rapid.Float64().Filter(finite).Draw(t, "f"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := canon.Canonical([]byte(text)); err != nil || string(got) != text {
			t.Fatalf("Canonical(%s) = %s, %v", text, got, err)
		}
	})
}

func finite(f float64) bool { return f-f == 0 }

// Two numbers come out equal exactly when they are equal.
func TestNumbersEqualOnlyWhenEqual(t *testing.T) {
	t.Parallel()
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, y := must(t, a), must(t, b)
		if same := rational(a).Cmp(rational(b)) == 0; same != (x == y) {
			t.Fatalf("%s -> %s and %s -> %s", a, x, b, y)
		}
		if rational(x).Cmp(rational(a)) != 0 {
			t.Fatalf("%s became %s", a, x)
		}
	})
}

func must(t *rapid.T, text string) string {
	c, err := canon.Canonical([]byte(text))
	if err != nil {
		t.Fatalf("Canonical(%s): %v", text, err)
	}
	return string(c)
}

func rational(text string) *big.Rat {
	r, _ := new(big.Rat).SetString(text)
	return r
}
