package expr

import (
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// functionOptions declares the functions that CEL and its strings library do not have, or have only with
// rounding.
func functionOptions() []cel.EnvOption {
	dyn, text, list, object := cel.DynType, cel.StringType, cel.ListType(cel.DynType), cel.MapType(cel.StringType, cel.DynType)
	return []cel.EnvOption{
		unary(overloads.TypeConvertInt, dyn, cel.IntType, toInt),
		unary(overloads.TypeConvertDouble, dyn, dyn, toNumber),
		unary(overloads.TypeConvertString, dyn, text, toText),
		unary(numberFunction, text, dyn, func(v ref.Val) ref.Val { return newNumber(string(v.(types.String))) }),
		unary("json", dyn, text, toJSON),
		unary("sum", list, dyn, sum),
		unary("keys", object, cel.ListType(text), keys),
		unary("values", object, list, values),
		unary("floor", dyn, cel.IntType, rounded("floor", down)),
		unary("ceil", dyn, cel.IntType, rounded("ceil", up)),
		unary("abs", dyn, dyn, abs),
		unary(uuidFunction, dyn, text, nextUUID),
		cel.Function("round",
			cel.Overload("round_to_int", []*cel.Type{dyn}, cel.IntType, cel.UnaryBinding(rounded("round", nearest))),
			cel.Overload("round_to_digits", []*cel.Type{dyn, cel.IntType}, dyn, cel.BinaryBinding(roundTo))),
		cel.Function("div",
			cel.Overload("div_whole", []*cel.Type{dyn, dyn}, cel.IntType, cel.BinaryBinding(divWhole)),
			cel.Overload("div_digits", []*cel.Type{dyn, dyn, cel.IntType}, dyn, cel.FunctionBinding(divTo))),
		cel.Function("min", cel.Overload("min_list", []*cel.Type{list}, dyn), cel.SingletonUnaryBinding(extreme("min", -1))),
		cel.Function("max", cel.Overload("max_list", []*cel.Type{list}, dyn), cel.SingletonUnaryBinding(extreme("max", 1))),
		cel.Function("fixed", cel.Overload("fixed_digits", []*cel.Type{dyn, cel.IntType}, text, cel.BinaryBinding(fixed))),
		cel.Function(replaceFunction, cel.Overload("replace_count", []*cel.Type{text, text, text, cel.IntType}, text, cel.FunctionBinding(replace))),
		cel.Function(joinFunction, cel.Overload("join_text", []*cel.Type{list, text}, text, cel.BinaryBinding(join))),
	}
}

// unary declares a function of one argument.
func unary(name string, argument, result *cel.Type, fn func(ref.Val) ref.Val) cel.EnvOption {
	return cel.Function(name, cel.Overload(name+"_1", []*cel.Type{argument}, result, cel.UnaryBinding(fn)))
}

// toText is the text form of a scalar, the one that a longer text around an expression gets.
func toText(v ref.Val) ref.Val {
	s, err := textOf(v)
	if err != nil {
		return failed(err)
	}
	return types.String(s)
}

func toJSON(v ref.Val) ref.Val {
	b, err := appendValue(nil, v)
	if err != nil {
		return failed(err)
	}
	return types.String(b)
}

func sum(v ref.Val) ref.Val {
	list, ok := v.(traits.Lister)
	if !ok {
		return failed(unfit("sum()", v))
	}
	var total ref.Val = types.Int(0)
	for it := list.Iterator(); it.HasNext() == types.True; {
		element := it.Next()
		if _, ok := numberText(element); !ok {
			return failed(failure{"type", "sum() adds numbers, and the list holds " + describe(element)})
		}
		if total = add(total, element); types.IsError(total) {
			return total
		}
	}
	return total
}

func join(v, separator ref.Val) ref.Val {
	list, ok := v.(traits.Lister)
	between, also := separator.(types.String)
	if !ok || !also {
		return failed(unfit("join()", v, separator))
	}
	var joined []byte
	for it, first := list.Iterator(), true; it.HasNext() == types.True; first = false {
		s, err := textOf(it.Next())
		if err != nil {
			return failed(err)
		}
		if !first {
			joined = append(joined, between...)
		}
		if joined = append(joined, s...); len(joined) > MaxText {
			return failed(errWork)
		}
	}
	return types.String(joined)
}

// replace is that of CEL's strings library, but knows how long the result will be before it makes it.
func replace(args ...ref.Val) ref.Val {
	s, from, to := string(args[0].(types.String)), string(args[1].(types.String)), string(args[2].(types.String))
	count := strings.Count(s, from)
	if limit := args[3].(types.Int); limit >= 0 {
		count = min(count, int(limit))
	}
	if len(s)+count*(len(to)-len(from)) > MaxText {
		return failed(errWork)
	}
	return types.String(strings.Replace(s, from, to, count))
}

// keys gives an object's keys in sorted order.
func keys(v ref.Val) ref.Val {
	m, ok := v.(traits.Mapper)
	if !ok {
		return failed(unfit("keys()", v))
	}
	names, err := sortedKeys(m)
	if err != nil {
		return failed(err)
	}
	return types.NewStringList(adapter{base: types.DefaultTypeAdapter}, names)
}

// values gives an object's values in the order of their sorted keys.
func values(v ref.Val) ref.Val {
	m, ok := v.(traits.Mapper)
	if !ok {
		return failed(unfit("values()", v))
	}
	names, err := sortedKeys(m)
	if err != nil {
		return failed(err)
	}
	all := make([]ref.Val, len(names))
	for i, name := range names {
		all[i], _ = m.Find(types.String(name))
	}
	return types.NewRefValList(adapter{base: types.DefaultTypeAdapter}, all)
}

// extreme finds the least (sign -1) or greatest (sign 1) element of a list; of equal ones the first.
func extreme(name string, sign int) func(ref.Val) ref.Val {
	return func(v ref.Val) ref.Val {
		list, ok := v.(traits.Lister)
		if !ok {
			return failed(unfit(name+"()", v))
		}
		var best ref.Val
		for it := list.Iterator(); it.HasNext() == types.True; {
			element := it.Next()
			if best == nil {
				best = element
				continue
			}
			o, err := order(name+"()", element, best)
			if err != nil {
				return failed(err)
			}
			if o == sign {
				best = element
			}
		}
		if best == nil {
			return failed(failure{"empty", name + "() of an empty list"})
		}
		return best
	}
}
