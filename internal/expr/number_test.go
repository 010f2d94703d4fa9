package expr_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"pawl/internal/expr"
)

// decimalText draws numbers as JSON writes them.
func decimalText() *rapid.Generator[string] {
	return rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,2})?`)
}

func rat(t interface{ Fatalf(string, ...any) }, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return r
}

// TestArithmeticIsExact compares every operator with exact fractions.
func TestArithmeticIsExact(t *testing.T) {
	t.Parallel()
	compiled := map[string]*expr.Template{}
	for _, source := range []string{"a + b", "a - b", "a * b", "a / b", "a % b", "a < b", "a == b", "a != b", "[a] == [b]", "a in [b]", "-a", "abs(a)", "floor(a)", "ceil(a)", "round(a, 3)", "div(a, b, 3)", "int(a)"} {
		c, err := expr.CompileText("{{ " + source + " }}")
		if err != nil {
			t.Fatal(err)
		}
		compiled[source] = c
	}
	rapid.Check(t, func(t *rapid.T) {
		x, y := decimalText().Draw(t, "a"), decimalText().Draw(t, "b")
		a, b := rat(t, x), rat(t, y)
		env := expr.Env{Vars: map[string]any{"a": json.Number(x), "b": json.Number(y)}}
		for source, c := range compiled {
			want := expected(source, a, b)
			got, err := c.Eval(t.Context(), env)
			switch {
			case want == nil && err == nil:
				t.Fatalf("%s with %s, %s gave %s", source, x, y, got)
			case want == nil:
			case err != nil:
				t.Fatalf("%s with %s, %s: %v; want %v", source, x, y, err, want)
			case !same(t, want, string(got)):
				t.Fatalf("%s with %s, %s gave %s; want %v", source, x, y, got, want)
			}
		}
	})
}

func same(t *rapid.T, want any, got string) bool {
	if r, ok := want.(*big.Rat); ok {
		return r.Cmp(rat(t, got)) == 0
	}
	return fmt.Sprint(want) == got
}

// expected computes with fractions; nil stands for an error.
func expected(source string, a, b *big.Rat) any {
	zero := b.Sign() == 0
	switch source {
	case "a + b":
		return new(big.Rat).Add(a, b)
	case "a - b":
		return new(big.Rat).Sub(a, b)
	case "a * b":
		return new(big.Rat).Mul(a, b)
	case "a / b":
		if zero {
			return nil
		}
		q := new(big.Rat).Quo(a, b)
		if _, exact := q.FloatPrec(); !exact {
			return nil
		}
		return q
	case "a % b":
		if zero {
			return nil
		}
		q := truncated(new(big.Rat).Quo(a, b))
		return new(big.Rat).Sub(a, q.Mul(q, b))
	case "a < b":
		return a.Cmp(b) < 0
	case "a == b", "[a] == [b]", "a in [b]":
		return a.Cmp(b) == 0
	case "a != b":
		return a.Cmp(b) != 0
	case "-a":
		return new(big.Rat).Neg(a)
	case "abs(a)":
		return new(big.Rat).Abs(a)
	case "int(a)":
		return truncated(a)
	case "floor(a)":
		return floored(a)
	case "ceil(a)":
		return new(big.Rat).Neg(floored(new(big.Rat).Neg(a)))
	case "round(a, 3)":
		return rounded(a)
	}
	if zero {
		return nil
	}
	return rounded(new(big.Rat).Quo(a, b))
}

func truncated(a *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Quo(a.Num(), a.Denom()))
}

func floored(a *big.Rat) *big.Rat {
	t := truncated(a)
	if t.Cmp(a) > 0 {
		t.Sub(t, big.NewRat(1, 1))
	}
	return t
}

// rounded is to three decimals, halves away from zero.
func rounded(a *big.Rat) *big.Rat {
	scaled := new(big.Rat).Mul(new(big.Rat).Abs(a), big.NewRat(1000, 1))
	n := floored(scaled.Add(scaled, big.NewRat(1, 2)))
	n.Quo(n, big.NewRat(1000, 1))
	if a.Sign() < 0 {
		n.Neg(n)
	}
	return n
}
