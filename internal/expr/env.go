package expr

import (
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"
)

// Names that only this package can write, because no expression may hold an @.
const (
	nowVariable     = "@now"
	seedVariable    = "@seed"
	equalFunction   = "@equal"
	numberFunction  = "@number"
	uuidFunction    = "@uuid"
	joinFunction    = "@join"
	replaceFunction = "@replace"
)

// baseEnv is the language: CEL's standard library without what would round or leave JSON, with exact operators
// in its place. It is made once and never changed.
//
//nolint:gochecknoglobals // a constant that takes milliseconds to make
var baseEnv = sync.OnceValues(func() (*cel.Env, error) {
	options := []cel.EnvOption{
		cel.CustomTypeAdapter(adapter{base: types.DefaultTypeAdapter}),
		cel.StdLib(cel.StdLibSubset(&env.LibrarySubset{ExcludeFunctions: replaced()})),
		cel.OptionalTypes(),
		ext.Strings(ext.StringsVersion(5)),
		cel.DefaultUTCTimeZone(true),
		cel.ParserRecursionLimit(MaxChain),
		cel.ParserExpressionSizeLimit(MaxExpression),
		cel.ExpressionNodeLimit(MaxNodes),
		cel.ParserErrorRecoveryLimit(1),
		cel.RegexProgramSizeLimit(maxRegex),
		cel.Variable(nowVariable, cel.TimestampType),
		cel.Variable(seedVariable, cel.DynType),
	}
	options = append(options, operatorOptions()...)
	options = append(options, functionOptions()...)
	return cel.NewCustomEnv(options...)
})

// replaced lists the functions of the standard library that are left out: those that this package has exact
// ones for, and those that make values that JSON does not have.
func replaced() []*env.Function {
	names := []string{
		operators.Add, operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo, operators.Negate,
		operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals,
		operators.In, operators.OldIn, overloads.DeprecatedIn,
		overloads.TypeConvertInt, overloads.TypeConvertDouble, overloads.TypeConvertString,
		overloads.TypeConvertUint, overloads.TypeConvertBytes, overloads.TypeConvertType,
	}
	functions := make([]*env.Function, len(names))
	for i, name := range names {
		functions[i] = env.NewFunction(name)
	}
	return functions
}
