package automation

import (
	"regexp"
	"slices"
)

var (
	stepID         = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
	accountName    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}$`)
	automationName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,99}$`)
	eventName      = regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,99}$`)
)

// Roots are the names that expressions always know; a loop variable or a step can't take them.
func Roots() []string { return []string{"inputs", "trigger", "steps", "error"} }

// reserved are the words that CEL keeps for itself.
func reserved() []string {
	return []string{
		"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop",
		"namespace", "null", "package", "return", "true", "var", "void", "while",
	}
}

// free says whether a name may be that of a step or of a loop variable.
func free(name string) bool {
	return !slices.Contains(reserved(), name) && !slices.Contains(Roots(), name)
}
