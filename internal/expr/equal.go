package expr

import (
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// equalValue is ==: numbers by value, lists element by element, objects member by member, and values of
// different kinds never equal.
func equalValue(a, b ref.Val) ref.Val {
	same, err := (&comparer{}).equal(a, b)
	if err != nil {
		return failed(err)
	}
	return types.Bool(same)
}

// comparer counts the values that it has looked at.
type comparer struct{ seen int }

func (c *comparer) equal(a, b ref.Val) (bool, error) {
	if c.seen++; c.seen > MaxCost {
		return false, errWork
	}
	if x, ok := a.(types.Int); ok { // the common case
		if y, ok := b.(types.Int); ok {
			return x == y, nil
		}
	}
	switch x := a.(type) {
	case types.String:
		y, ok := b.(types.String)
		return ok && x == y, nil
	case largeText:
		y, ok := b.(largeText)
		return ok && x == y, nil
	case types.Bool:
		y, ok := b.(types.Bool)
		return ok && x == y, nil
	case types.Null:
		_, ok := b.(types.Null)
		return ok, nil
	case traits.Lister:
		y, ok := b.(traits.Lister)
		if !ok || length(x) != length(y) {
			return false, nil
		}
		return c.lists(x, y)
	case traits.Mapper:
		y, ok := b.(traits.Mapper)
		if !ok || length(x) != length(y) {
			return false, nil
		}
		return c.maps(x, y)
	case *types.Optional:
		return c.optionals(x, b)
	}
	return equalScalars(a, b)
}

func equalScalars(a, b ref.Val) (bool, error) {
	x, ok, err := toDecimal(a)
	if err != nil {
		return false, err
	}
	if !ok {
		return a.Equal(b) == types.True, nil
	}
	y, ok, err := toDecimal(b)
	return ok && err == nil && x == y, err
}

func (c *comparer) lists(a, b traits.Lister) (bool, error) {
	for i, j := a.Iterator(), b.Iterator(); i.HasNext() == types.True && j.HasNext() == types.True; {
		if same, err := c.equal(i.Next(), j.Next()); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (c *comparer) maps(a, b traits.Mapper) (bool, error) {
	for it := a.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		y, found := b.Find(key)
		if !found {
			return false, nil
		}
		x, _ := a.Find(key)
		if same, err := c.equal(x, y); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (c *comparer) optionals(a *types.Optional, other ref.Val) (bool, error) {
	b, ok := other.(*types.Optional)
	if !ok || a.HasValue() != b.HasValue() {
		return false, nil
	}
	if !a.HasValue() {
		return true, nil
	}
	return c.equal(a.GetValue(), b.GetValue())
}

// contains reports whether a list has an element equal to v.
func contains(list traits.Lister, v ref.Val) ref.Val {
	c := &comparer{}
	for it := list.Iterator(); it.HasNext() == types.True; {
		same, err := c.equal(it.Next(), v)
		if err != nil {
			return failed(err)
		}
		if same {
			return types.True
		}
	}
	return types.False
}

// order compares two numbers, strings, instants or durations: -1, 0 or 1. Anything else has no order.
func order(operator string, a, b ref.Val) (int, error) {
	switch x := a.(type) {
	case types.Int:
		if y, ok := b.(types.Int); ok {
			return int(x.Compare(y).(types.Int)), nil
		}
	case types.String:
		if y, ok := b.(types.String); ok {
			return int(x.Compare(y).(types.Int)), nil
		}
	case types.Timestamp:
		if y, ok := b.(types.Timestamp); ok {
			return x.Time.Compare(y.Time), nil
		}
	case types.Duration:
		if y, ok := b.(types.Duration); ok {
			return compareDurations(x.Duration, y.Duration), nil
		}
	}
	x, ok, err := toDecimal(a)
	if ok && err == nil {
		var y decimal
		if y, ok, err = toDecimal(b); ok && err == nil {
			return min(1, max(-1, x.compare(y))), nil
		}
	}
	if err != nil {
		return 0, err
	}
	return 0, unfit(operator, a, b)
}

func compareDurations(a, b time.Duration) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
