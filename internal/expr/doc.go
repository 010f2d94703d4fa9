// Package expr evaluates the expressions of an automation: CEL (https://cel.dev) between {{ and }} in the
// strings of a JSON value.
//
// A string that is exactly one expression keeps the type of its value; in a longer text each expression becomes
// text. Only the text of the document is ever parsed: a value that an expression selects is data, whatever it
// looks like. The language is closed: it has no I/O, no clock but the instant that the caller gives, no host
// objects, and bounds on size, cost and time (limits.go).
//
// Numbers are JSON numbers, not doubles: a number that is only passed on keeps its very text, and comparisons
// and arithmetic are exact decimal or an error. Whatever is missing is an error that names it, never null.
package expr
