// Package canon reads JSON strictly and writes it in one canonical form, so that equal documents have equal
// digests and different ones never do.
//
// # Reading
//
// RFC 8259, with what it leaves open closed: duplicate member names, invalid UTF-8, lone surrogates, a byte
// order mark and anything behind the document are refused; size, depth and the number of values are bounded.
// Every problem carries a JSON pointer (RFC 6901) and a line and column, both from 1, columns in code points.
//
// # Writing
//
// RFC 8785 (JCS) with one deliberate difference, numbers. JCS sends each number through an IEEE 754 double, so
// 9007199254740993 and 9007199254740992 become equal, and 1e400 is refused. Here a number keeps its exact
// decimal value: the digits of its text without leading and trailing zeros, laid out as ECMAScript's
// Number::toString lays out the digits of a double. So
//
//   - a number that is the shortest text of some double comes out byte for byte as RFC 8785 has it
//     (1.0 -> 1, 4.50 -> 4.5, 2e-3 -> 0.002, 1E30 -> 1e+30, -0 -> 0);
//   - any other number keeps all its digits (9007199254740993, 333333333.33333329, 1e+400);
//   - two numbers come out equal exactly when they are equal as decimal numbers.
package canon

import "crypto/sha256"

// Canonical gives the canonical form of one JSON document within the default limits. Its errors are a
// fault.List of all problems found; see Parse.
func Canonical(data []byte) ([]byte, error) {
	v, problems := Parse(data, Limits{})
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return v.Canonical(), nil
}

// Digest is the SHA-256 of the canonical form. Its errors are those of Canonical.
func Digest(data []byte) ([sha256.Size]byte, error) {
	c, err := Canonical(data)
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	return sha256.Sum256(c), nil
}
