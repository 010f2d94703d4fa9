package expr

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"

	"pawl/internal/fault"
)

// expression is the compiled text between one {{ and }}.
type expression struct {
	source       string // trimmed
	pointer      string // of the string that holds it, inside the template
	line, column int    // of its first character in that string
	path         *path  // set when it is nothing but a selection
	program      cel.Program
	uses         []use
}

// use is a name that an expression takes from its environment.
type use struct {
	root    string
	step    string // x of steps.x; root is steps then
	member  string // output of steps.x.output; empty when steps.x is used as a whole
	guarded bool   // asked for with has() or .?, so that it may be absent
}

// compile reads one expression. text is what stands between the braces, whole the string around it.
func compile(text string, at int, whole, pointer string) (*expression, error) {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	line, column := position(whole, at+len(text)-len(trimmed))
	x := &expression{source: strings.TrimRight(trimmed, " \t\r\n"), pointer: pointer, line: line, column: column}
	deepest, tokens := measure(x.source)
	switch n := utf8.RuneCountInString(x.source); {
	case n == 0:
		return nil, x.located(fault.New(fault.Expression, "empty", "There is nothing between {{ and }}."))
	case n > MaxExpression:
		return nil, x.located(fault.New(fault.Limit, "length",
			"An expression has at most %d characters; this one has %d. Use a code step.", MaxExpression, n))
	case deepest > MaxNesting:
		return nil, x.located(fault.New(fault.Limit, "nesting", "An expression nests at most %d deep. Use a code step.", MaxNesting))
	case tokens > MaxTokens:
		return nil, x.located(fault.New(fault.Limit, "length", "An expression has at most %d words and signs; this one has %d. Use a code step.", MaxTokens, tokens))
	}
	return x, x.build()
}

// build parses, checks and plans.
func (x *expression) build() error {
	base, err := baseEnv()
	if err != nil {
		return fmt.Errorf("the expression language: %w", err)
	}
	parsed, issues := base.Parse(x.source)
	if issues.Err() != nil {
		return x.compileFault(issues.Errors())
	}
	r := newRewrite(x.source, parsed.NativeRep())
	if err := r.run(); err != nil {
		return x.located(err)
	}
	x.uses, x.path = r.uses, pathOf(parsed.NativeRep().Expr())
	return x.plan(base, parsed)
}

func (x *expression) plan(base *cel.Env, parsed *cel.Ast) error {
	names := map[string]bool{}
	for _, u := range x.uses {
		names[u.root] = true
	}
	variables := make([]cel.EnvOption, 0, len(names))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		variables = append(variables, cel.Variable(name, cel.DynType))
	}
	env, err := base.Extend(variables...)
	if err != nil {
		return fmt.Errorf("declare the variables of %s: %w", x.quote(), err)
	}
	checked, issues := env.Check(parsed)
	if issues.Err() != nil {
		return x.compileFault(issues.Errors())
	}
	if x.path != nil {
		return nil
	}
	x.program, err = env.Program(checked,
		cel.CostLimit(MaxCost), cel.CostTracking(costs{}), cel.InterruptCheckFrequency(interruptEvery), cel.EvalOptions(cel.OptOptimize))
	if f := limitFault(err); f != nil {
		return x.located(f)
	}
	if err != nil {
		return x.compileFault([]*common.Error{{Message: err.Error(), Location: common.NoLocation}})
	}
	return nil
}

// measure sizes up an expression before a parser sees it: how deep brackets and prefix operators go, and how many
// words and signs there are.
func measure(source string) (deepest, tokens int) {
	depth, prefix, word := 0, 0, false
	for i := 0; i < len(source); i++ {
		c := source[i]
		inWord := wordByte(c)
		if space := strings.IndexByte(" \t\r\n", c) >= 0; !space && (!inWord || !word) {
			tokens++
		}
		word = inWord
		switch c {
		case '"', '\'':
			i = quoted(source, i) - 1
			prefix = 0
		case '(', '[', '{':
			depth++
			deepest = max(deepest, depth)
			prefix = 0
		case ')', ']', '}':
			depth--
			prefix = 0
		case '!', '-', '?':
			prefix++
			deepest = max(deepest, depth+prefix)
		case ' ', '\t', '\n', '\r':
		default:
			prefix = 0
		}
	}
	return deepest, tokens
}

// rewrite walks a parsed expression once. It replaces what this package does differently from CEL (equality,
// numbers with a fraction, now, uuid) and collects the names that the expression uses.
type rewrite struct {
	source  []rune
	tree    *ast.AST
	factory ast.ExprFactory
	uses    []use
	id      int64 // the last one given out
	err     *fault.Error
}

func newRewrite(source string, tree *ast.AST) *rewrite {
	return &rewrite{source: []rune(source), tree: tree, factory: ast.NewExprFactory()}
}

func (r *rewrite) run() *fault.Error {
	r.walk(r.tree.Expr(), scope{})
	return r.err
}

// scope is the set of macro variables that hide roots.
type scope map[string]bool

func (s scope) with(names ...string) scope {
	inner := maps.Clone(s)
	for _, name := range names {
		if name != "" {
			inner[name] = true
		}
	}
	return inner
}
