package expr

import (
	"strings"

	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// costs prices the calls of this package's operators and functions by the size of what they read and make, so
// that no call is cheaper than its work. Everything else has CEL's own prices.
type costs struct{}

// CallCost implements CEL's cost.ActualCostEstimator.
func (costs) CallCost(function, _ string, args []ref.Val, result ref.Val) *uint64 {
	switch {
	case function == "matches":
		return nil
	case function == operators.Add && appends(args):
		return price(args[1:], nil)
	case function == operators.In:
		return price(args[1:], nil)
	case function == equalFunction, function == joinFunction, function == "json", function == "sum", function == "min",
		function == "max", function == replaceFunction,
		function == "keys", function == "values", function == operators.Add:
		return price(args, result)
	case strings.HasPrefix(function, "_"), strings.HasPrefix(function, "@"):
		return price(nil, nil)
	}
	return nil
}

// appends says whether an addition is a turn of map or filter, which append to one list without copying it.
func appends(args []ref.Val) bool {
	_, ok := args[0].(traits.MutableLister)
	return ok
}

// price is one, plus a tenth of the bytes of the texts and the elements of the lists that are involved.
func price(args []ref.Val, result ref.Val) *uint64 {
	base := uint64(1)
	for _, v := range args {
		base += weight(v)
	}
	if result != nil {
		base += weight(result)
	}
	return &base
}

func weight(v ref.Val) uint64 {
	switch x := v.(type) {
	case types.String:
		return uint64(len(x)) / 10
	case number:
		return uint64(len(x)) / 10
	case *array:
		return uint64(len(x.elements))
	case *object:
		return uint64(len(x.members))
	case traits.Sizer:
		if n, ok := x.Size().(types.Int); ok && n > 0 {
			return uint64(n)
		}
	}
	return 0
}
