package expr

import "time"

// The bounds of one template and of one evaluation. They are part of the documentation (docs/expressions.md).
const (
	// MaxTemplate is the largest template, in bytes of JSON: a document of an automation is no larger either.
	MaxTemplate = 1 << 20
	// MaxExpression is the longest text between {{ and }}, in code points: more than a screenful is a program.
	MaxExpression = 10_000
	// MaxTokens is how many words and signs one expression may have.
	MaxTokens = 4_000
	// MaxNodes is how many operators, names and values one expression may have, those of expanded macros included.
	MaxNodes = 2_000
	// MaxExpressions is how many expressions one template may hold.
	MaxExpressions = 2_000
	// MaxNesting is how deep the brackets and prefixes of an expression may nest, and how deep a template's JSON.
	MaxNesting = 100
	// MaxChain is how long a chain of operators or selections may be: a + b + c is two.
	MaxChain = 250
	// MaxCost is the cost of one expression in CEL's units, about one per step and a tenth per byte of text that
	// is read or made. 100,000 are a few milliseconds.
	MaxCost = 100_000
	// MaxText is the longest string that functions work on, in bytes: a longer one would be beyond MaxCost.
	MaxText = 10 * MaxCost
	// MaxTime is the wall time of one evaluation of a template.
	MaxTime = time.Second
	// MaxResult is the largest result, in bytes of JSON: the largest input that any action takes.
	MaxResult = 16 << 20
	// MaxDigits is how many digits a number that was computed may have, zeros included; no money, measure or
	// identifier needs more.
	MaxDigits = 1_000
	// interruptEvery is after how many turns of a comprehension the clock is looked at.
	interruptEvery = 20
	// maxRegex is the largest compiled regular expression, in RE2 instructions.
	maxRegex = 1_000
	// maxKnown is how many members a message about a missing one lists.
	maxKnown = 8
)
