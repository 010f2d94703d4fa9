package expr

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// operatorOptions declares the operators that replace CEL's: exact over every mixture of numbers.
func operatorOptions() []cel.EnvOption {
	list := cel.ListType(cel.DynType)
	instant, span := cel.TimestampType, cel.DurationType
	sum := append(numeric("add", cel.IntType),
		cel.Overload(overloads.AddString, []*cel.Type{cel.StringType, cel.StringType}, cel.StringType),
		cel.Overload(overloads.AddList, []*cel.Type{list, list}, list),
		cel.Overload(overloads.AddDurationDuration, []*cel.Type{span, span}, span),
		cel.Overload(overloads.AddDurationTimestamp, []*cel.Type{span, instant}, instant),
		cel.Overload(overloads.AddTimestampDuration, []*cel.Type{instant, span}, instant),
		cel.SingletonBinaryBinding(add))
	difference := append(numeric("subtract", cel.IntType),
		cel.Overload(overloads.SubtractDurationDuration, []*cel.Type{span, span}, span),
		cel.Overload(overloads.SubtractTimestampTimestamp, []*cel.Type{instant, instant}, span),
		cel.Overload(overloads.SubtractTimestampDuration, []*cel.Type{instant, span}, instant),
		cel.SingletonBinaryBinding(subtract))
	return []cel.EnvOption{
		cel.Function(operators.Add, sum...),
		cel.Function(operators.Subtract, difference...),
		cel.Function(operators.Multiply, append(numeric("multiply", cel.IntType), cel.SingletonBinaryBinding(multiply))...),
		cel.Function(operators.Divide, append(numeric("divide", cel.DynType), cel.SingletonBinaryBinding(divide))...),
		cel.Function(operators.Modulo, append(numeric("modulo", cel.IntType), cel.SingletonBinaryBinding(modulo))...),
		cel.Function(operators.Negate,
			cel.Overload(overloads.NegateInt64, []*cel.Type{cel.IntType}, cel.IntType),
			cel.SingletonUnaryBinding(negate)),
		comparison(operators.Less, "less", "<", func(order int) bool { return order < 0 }),
		comparison(operators.LessEquals, "less_equals", "<=", func(order int) bool { return order <= 0 }),
		comparison(operators.Greater, "greater", ">", func(order int) bool { return order > 0 }),
		comparison(operators.GreaterEquals, "greater_equals", ">=", func(order int) bool { return order >= 0 }),
		cel.Function(equalFunction, cel.Overload("equal_values", []*cel.Type{cel.DynType, cel.DynType}, cel.BoolType),
			cel.SingletonBinaryBinding(equalValue)),
		cel.Function(operators.In,
			cel.Overload(overloads.InList, []*cel.Type{cel.DynType, cel.ListType(cel.DynType)}, cel.BoolType),
			cel.Overload(overloads.InMap, []*cel.Type{cel.DynType, cel.MapType(cel.DynType, cel.DynType)}, cel.BoolType),
			cel.SingletonBinaryBinding(in)),
	}
}

// numeric declares an operator over two numbers. To CEL's checker a whole number is an int and any other number
// is dyn, which goes with everything, so one overload is enough.
func numeric(id string, result *cel.Type) []cel.FunctionOpt {
	return []cel.FunctionOpt{cel.Overload(id+"_int64", []*cel.Type{cel.IntType, cel.IntType}, result)}
}

func comparison(operator, id, sign string, holds func(order int) bool) cel.EnvOption {
	declared := append(numeric(id, cel.BoolType),
		cel.Overload(id+"_string", []*cel.Type{cel.StringType, cel.StringType}, cel.BoolType),
		cel.Overload(id+"_timestamp", []*cel.Type{cel.TimestampType, cel.TimestampType}, cel.BoolType),
		cel.Overload(id+"_duration", []*cel.Type{cel.DurationType, cel.DurationType}, cel.BoolType),
		cel.SingletonBinaryBinding(func(a, b ref.Val) ref.Val {
			o, err := order(sign, a, b)
			if err != nil {
				return failed(err)
			}
			return types.Bool(holds(o))
		}))
	return cel.Function(operator, declared...)
}

// arithmetic applies an exact operation to two numbers.
func arithmetic(operator string, a, b ref.Val, exact func(a, b decimal) (decimal, error)) ref.Val {
	x, ok, err := toDecimal(a)
	if !ok {
		return failed(unfit(operator, a, b))
	}
	if err != nil {
		return failed(err)
	}
	y, ok, err := toDecimal(b)
	if !ok {
		return failed(unfit(operator, a, b))
	}
	if err != nil {
		return failed(err)
	}
	return computed(exact(x, y))
}

func add(a, b ref.Val) ref.Val {
	switch x := a.(type) {
	case types.Int:
		if y, ok := b.(types.Int); ok {
			if s := x + y; (s > x) == (y > 0) {
				return s
			}
		}
	case types.String:
		if y, ok := b.(types.String); ok {
			return x + y
		}
		return failed(failure{"type", "+ can't take a string and " + describe(b) + "; string() makes a string of it"})
	case types.Timestamp, types.Duration:
		return shifted("+", a, b, a.(traits.Adder).Add)
	case traits.Lister:
		if y, ok := b.(traits.Lister); ok {
			return x.Add(y)
		}
	}
	return arithmetic("+", a, b, plus)
}

// shifted adds to or subtracts from an instant or a duration.
func shifted(operator string, a, b ref.Val, apply func(ref.Val) ref.Val) ref.Val {
	v := apply(b)
	if err, ok := v.(*types.Err); ok && err.Error() == "no such overload" {
		return failed(unfit(operator, a, b))
	}
	return v
}

func subtract(a, b ref.Val) ref.Val {
	switch x := a.(type) {
	case types.Int:
		if y, ok := b.(types.Int); ok {
			if s := x - y; (s < x) == (y > 0) {
				return s
			}
		}
	case types.Timestamp, types.Duration:
		return shifted("-", a, b, a.(traits.Subtractor).Subtract)
	}
	return arithmetic("-", a, b, minus)
}

func multiply(a, b ref.Val) ref.Val {
	const half = 1 << 31 // products of smaller numbers always fit
	x, ok := a.(types.Int)
	y, also := b.(types.Int)
	if ok && also && x > -half && x < half && y > -half && y < half {
		return x * y
	}
	return arithmetic("*", a, b, times)
}

func divide(a, b ref.Val) ref.Val { return arithmetic("/", a, b, over) }

func modulo(a, b ref.Val) ref.Val { return arithmetic("%", a, b, remainder) }

func negate(v ref.Val) ref.Val {
	d, ok, err := toDecimal(v)
	if !ok {
		return failed(unfit("-", v))
	}
	d.negative = !d.negative && !d.zero()
	return computed(d, err)
}

func in(v, container ref.Val) ref.Val {
	switch c := container.(type) {
	case traits.Lister:
		return contains(c, v)
	case traits.Mapper:
		return c.Contains(v)
	}
	return failed(unfit("in", v, container))
}
