package expr_test

import (
	"strings"
	"testing"

	"pawl/internal/fault"
)

// TestMissing: whatever is missing is an error that names it, in a plain selection and inside CEL alike.
func TestMissing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, source, want string }{
		{"member", `steps.a.output.nam`, `steps.a.output has no member "nam"; did you mean "name"?`},
		{"member in CEL", `steps.a.output.nam + ""`, `steps.a.output has no member "nam"; did you mean "name"?`},
		{"member by index", `steps.a.output["nam"]`, `steps.a.output has no member "nam"; did you mean "name"?`},
		{"no near name", `steps.a.output.o.zzzz`, `steps.a.output.o has no member "zzzz"; it has a, b`},
		{"element", `steps.a.output.list[9]`, `steps.a.output.list has no element 9: it has 2, counted from 0`},
		{"element in CEL", `steps.a.output.list[9] + 1`, `steps.a.output.list has no element 9: it has 2, counted from 0`},
		{"computed element", `steps.a.output.list[inputs.n]`, `steps.a.output.list has no element 3: it has 2, counted from 0`},
		{"element of an empty list", `steps.a.output.empty[0]`, `steps.a.output.empty has no element 0: it is empty`},
		{"negative element", `steps.a.output.list[-1]`, `steps.a.output.list has no element -1`},
		{"step", `steps.zz.output.id`, `step "zz" has no output here`},
		{"step in CEL", `steps.zz.output.id == 1`, `step "zz" has no output here`},
		{"root", `zz`, `"zz" is not defined here`},
		{"root in CEL", `zz + 1`, `"zz" is not defined here`},
		{"member of null", `order.note.text`, `order.note is null and has no member "text"`},
		{"member of null in CEL", `order.note.text == ""`, `order.note is null and has no member "text"`},
		{"member of a number", `order.total.x`, `order.total is a number and has no member "x"`},
		{"member of a list", `order.lines.sku`, `order.lines is a list and has no member "sku"`},
		{"element of an object", `order[0]`, `order is an object and has no element 0`},
		{"inside a loop", `order.lines.map(l, l.skuu)`, `order.lines[0] has no member "skuu"; did you mean "sku"?`},
		{"inside a filter", `order.lines.filter(l, l.qty > 2)[1].sku`, `there is no element 1`},
		{"in a made object", `{"a": 1}.b`, `there is no member "b"`},
		{"after has", `has(order.nothing) ? 1 : order.nothing`, `order has no member "nothing"`},
		{"in one way of two", `order.id == "T-9" ? order.nothing : order.id`, `order has no member "nothing"`},
		{"as an index", `order.lines[order.lines[0].nope]`, `order.lines[0] has no member "nope"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := evaluate(t, expression(test.source))
			if err == nil {
				t.Fatalf("got %s", got)
			}
			f := faultOf(t, err)
			if f.Kind != fault.Expression || f.Where == nil || f.Where.Expression != test.source || !strings.Contains(f.Message, test.want) {
				t.Errorf("got %v, %+v; want %s", f, f.Where, test.want)
			}
		})
	}
}

// TestMisfits: what doesn't fit together is an error that says what it was.
func TestMisfits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, source, want string }{
		{"text and number", `order.id + order.total`, `+ can't take a string and a number; string() makes a string of it`},
		{"number and text", `order.total + order.id`, `+ can't take a number and a string`},
		{"null", `order.note + 1`, `+ can't take null and a number`},
		{"order of kinds", `order.id > order.total`, `> can't take a string and a number`},
		{"order of booleans", `(order.total > 1) < true`, ``},
		{"rounding", `1 / 3`, `div(a, b, digits)`},
		{"rounding of data", `order.total / 7`, `div(a, b, digits)`},
		{"by zero", `1 / 0`, `a division by zero`},
		{"remainder by zero", `order.total % 0`, `a division by zero`},
		{"too many digits", `steps.a.output.e * steps.a.output.e * steps.a.output.e`, `more than 1000 digits`},
		{"huge sum", `steps.a.output.e + double("1e-700")`, `more than 1000 digits`},
		{"not a number", `int("x")`, `int() can't read a whole number from "x"`},
		{"not whole", `int("1.5")`, `int() can't read`},
		{"not JSON's number", `double("0x10")`, `double() can't read a number`},
		{"condition", `order.id && true`, ``},
		{"whole steps", `steps`, `steps can't be used as a whole`},
		{"computed step", `steps[order.id].output`, `the id of a step must be written out`},
		{"message literal", `Foo{a: 1}`, ``},
		{"bytes", `b"x"`, `bytes are no JSON value`},
		{"unsigned", `1u`, `write the number 1 without u`},
		{"type", `type(1)`, ``},
		{"format", `"%f".format([1])`, `fixed(x, 2)`},
		{"unknown function", `lenght(order.id)`, ``},
		{"optional result", `order.?id`, `.orValue(...)`},
		{"int as key", `{1: "a"}`, `the keys of an object must be strings`},
		{"sum of texts", `sum([order.id])`, `sum() adds numbers, and the list holds a string`},
		{"join of objects", `order.lines.join(",")`, `json() makes a text of it`},
		{"min of nothing", `min([])`, `min() of an empty list`},
		{"reserved word", `for`, ``},
		{"hidden name", `@now`, ``},
		{"syntax", `1 +`, ``},
		{"empty", ` `, `nothing between`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := evaluate(t, expression(test.source))
			if err == nil {
				t.Fatalf("got %s", got)
			}
			f := faultOf(t, err)
			if f.Kind != fault.Expression || !strings.Contains(f.Message, test.want) {
				t.Errorf("got %v; want %s", f, test.want)
			}
			t.Log(f.Message)
		})
	}
}
