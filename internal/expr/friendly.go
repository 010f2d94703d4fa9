package expr

import (
	"fmt"
	"regexp"
	"strings"

	"pawl/internal/canon"
)

var (
	undeclared = regexp.MustCompile(`^undeclared reference to '([^']*)'`)
	mismatch   = regexp.MustCompile(`^found no matching overload for '([^']*)' applied to '(?:[^'(]*\.)?\((.*)\)'`)
	selecting  = regexp.MustCompile(`^type '([^']*)' does not support field selection`)
	unexpected = regexp.MustCompile(`^Syntax error: (?:mismatched input|extraneous input|token recognition error at:|no viable alternative at input) '((?:[^']|'[^ ])*)'`)
	typeVar    = regexp.MustCompile(`\b_var\d+\b`)
)

// functions lists the names of the functions that expressions have, for messages.
func functions() []string {
	return []string{
		"abs", "all", "bool", "ceil", "charAt", "contains", "div", "double", "duration", "endsWith", "exists", "exists_one",
		"filter", "fixed", "floor", "has", "hasValue", "indexOf", "int", "join", "json", "keys", "lastIndexOf",
		"lowerAscii", "map", "matches", "max", "min", "now", "orValue", "replace", "reverse", "round", "size", "split",
		"startsWith", "string", "substring", "sum", "timestamp", "trim", "upperAscii", "uuid", "values",
	}
}

// friendly says what CEL's parser or checker complains of in the words of this package.
func friendly(message string) string {
	message, _, _ = strings.Cut(message, " (in container")
	switch {
	case strings.HasPrefix(message, "invalid double literal"), strings.HasPrefix(message, "invalid int literal"):
		return `a number that is written in an expression has at most 18 digits and an exponent below 308; write double("...") for others`
	}
	if m := undeclared.FindStringSubmatch(message); m != nil {
		return fmt.Sprintf("there is no function %q", m[1]) + nearFunction(m[1])
	}
	if m := mismatch.FindStringSubmatch(message); m != nil {
		return fmt.Sprintf("%s can't take (%s)", operatorName(m[1]), typeNames(m[2]))
	}
	if m := selecting.FindStringSubmatch(message); m != nil {
		return fmt.Sprintf("a value of type %s has no members", typeNames(m[1]))
	}
	if m := unexpected.FindStringSubmatch(message); m != nil {
		return misplaced(m[1])
	}
	return strings.TrimPrefix(message, "Syntax error: ")
}

// sizeLimit says which bound of a whole expression CEL's parser complains of, "" for none.
func sizeLimit(message string) string {
	switch {
	case strings.HasPrefix(message, "max recursion depth exceeded"), strings.HasPrefix(message, "expression recursion limit"):
		return fmt.Sprintf("An expression chains at most %d operators or selections. Use a code step.", MaxChain)
	case strings.HasPrefix(message, "expression node count"):
		return fmt.Sprintf("An expression has at most %d operators, names and values. Use a code step.", MaxNodes)
	}
	return ""
}

func misplaced(text string) string {
	if strings.Contains(text, "<EOF>") {
		return "something is missing at the end"
	}
	return fmt.Sprintf("%q can't stand here", clip(text))
}

func nearFunction(name string) string {
	if n := canon.Nearest(name, functions()); n != "" && n != name {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	return ""
}

// operatorName is how an operator looks in an expression: _+_ is CEL's name for +.
func operatorName(name string) string {
	switch {
	case name == "_?_:_":
		return "?:"
	case name == "_[_]", name == "_[?_]", name == "_?._":
		return "a selection"
	case strings.HasPrefix(name, "_") && strings.HasSuffix(name, "_"), strings.HasPrefix(name, "@"):
		return strings.Trim(name, "_@")
	case strings.HasSuffix(name, "_"):
		return strings.TrimSuffix(name, "_")
	}
	return name + "()"
}

func typeNames(types string) string {
	return typeVar.ReplaceAllString(strings.ReplaceAll(types, "dyn", "any"), "any")
}
