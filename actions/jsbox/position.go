package jsbox

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// position is the first place in the plugin's module that a stack names; 0, 0 where it names none.
func position(stack string) (line, column int) {
	found := regexp.MustCompile(regexp.QuoteMeta(moduleName) + `:(\d{1,7}):(\d{1,7})`).FindStringSubmatch(stack)
	if found == nil {
		return 0, 0
	}
	line, _ = strconv.Atoi(found[1])
	column, _ = strconv.Atoi(found[2])
	return line, column
}

// importPosition finds where a module imports another one: the engine says which, not where. 0, 0 where the text of the
// name stands in no import.
func importPosition(code, specifier string) (line, column int) {
	at := regexp.MustCompile(`(?:\bfrom|\bimport)\s*\(?\s*(["'])` + regexp.QuoteMeta(specifier) + `["']`).FindStringSubmatchIndex(code)
	if at == nil {
		return 0, 0
	}
	before := code[:at[2]]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, len([]rune(before[start:])) + 1
}

func thrownBy(err error) (*thrown, bool) {
	var t *thrown
	ok := errors.As(err, &t)
	return t, ok
}
