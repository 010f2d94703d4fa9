package expr

import "math/big"

// aligned gives both numbers as integers over one power of ten.
func aligned(a, b decimal) (x, y *big.Int, exp int, err error) {
	if a.zero() {
		a.exp = b.exp
	}
	if b.zero() {
		b.exp = a.exp
	}
	exp = min(a.exp, b.exp)
	if x, err = a.big(exp); err != nil {
		return nil, nil, 0, err
	}
	y, err = b.big(exp)
	return x, y, exp, err
}

func plus(a, b decimal) (decimal, error) {
	x, y, exp, err := aligned(a, b)
	if err != nil {
		return decimal{}, err
	}
	return fromBig(x.Add(x, y), exp), nil
}

func minus(a, b decimal) (decimal, error) {
	x, y, exp, err := aligned(a, b)
	if err != nil {
		return decimal{}, err
	}
	return fromBig(x.Sub(x, y), exp), nil
}

func times(a, b decimal) (decimal, error) {
	x, err := a.big(a.exp)
	if err != nil {
		return decimal{}, err
	}
	y, err := b.big(b.exp)
	if err != nil {
		return decimal{}, err
	}
	return fromBig(x.Mul(x, y), a.exp+b.exp), nil
}

// over is the exact quotient, or an error when it has no end.
func over(a, b decimal) (decimal, error) {
	x, y, _, err := aligned(a, b)
	if err != nil {
		return decimal{}, err
	}
	if y.Sign() == 0 {
		return decimal{}, errZero
	}
	r := new(big.Rat).SetFrac(x, y)
	places, exact := r.FloatPrec() // decimals that the fraction needs
	if !exact {
		return decimal{}, errRounds
	}
	if places > MaxDigits {
		return decimal{}, errDigits
	}
	n := new(big.Int).Mul(r.Num(), power(places))
	return fromBig(n.Quo(n, r.Denom()), -places), nil
}

// remainder has the sign of a, as in Go and CEL.
func remainder(a, b decimal) (decimal, error) {
	x, y, exp, err := aligned(a, b)
	if err != nil {
		return decimal{}, err
	}
	if y.Sign() == 0 {
		return decimal{}, errZero
	}
	return fromBig(x.Rem(x, y), exp), nil
}

// quotient is a/b with so many decimals, half rounded away from zero.
func quotient(a, b decimal, places int) (decimal, error) {
	x, y, _, err := aligned(a, b)
	if err != nil {
		return decimal{}, err
	}
	if y.Sign() == 0 {
		return decimal{}, errZero
	}
	return fromBig(halfAway(x.Mul(x, power(places)), y), -places), nil
}

// halfAway is x/y to the nearest integer, halves away from zero.
func halfAway(x, y *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(x, y, new(big.Int))
	if r.CmpAbs(new(big.Int).Sub(new(big.Int).Abs(y), new(big.Int).Abs(r))) >= 0 {
		q.Add(q, big.NewInt(int64(x.Sign()*y.Sign())))
	}
	return q
}

func power(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// rounding says where a number goes that lies between two.
type rounding int

const (
	nearest rounding = iota // halves away from zero
	down                    // toward negative infinity
	up                      // toward positive infinity
	toZero
)

// round gives a with at most so many decimals.
func round(a decimal, places int, how rounding) (decimal, error) {
	if -a.exp <= places {
		return a, nil
	}
	if a.magnitude() < -places { // smaller than a tenth of the last place
		return tiny(a, places, how), nil
	}
	x, err := a.big(a.exp)
	if err != nil {
		return decimal{}, err
	}
	unit := power(-a.exp - places)
	switch how {
	case nearest:
		x = halfAway(x, unit)
	case toZero:
		x.Quo(x, unit)
	default:
		x = directed(x, unit, how)
	}
	return fromBig(x, -places), nil
}

func directed(x, unit *big.Int, how rounding) *big.Int {
	q, r := new(big.Int).QuoRem(x, unit, new(big.Int))
	switch {
	case how == up && r.Sign() > 0:
		q.Add(q, big.NewInt(1))
	case how == down && r.Sign() < 0:
		q.Sub(q, big.NewInt(1))
	}
	return q
}

func tiny(a decimal, places int, how rounding) decimal {
	if how == up && a.sign() > 0 || how == down && a.sign() < 0 {
		return decimal{negative: a.negative, digits: "1", exp: -places}
	}
	return decimal{}
}
