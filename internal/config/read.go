package config

import (
	"fmt"
	"slices"
	"strings"

	"pawl/internal/fault"
)

// find gives the text for a process and where it came from. What the process does not use is left at its default.
func (s Setting) find(p Process, flags map[string]string, env func(string) (string, bool)) (string, Source) {
	if s.usedBy(p) {
		if text := flags[s.Flag]; text != "" {
			return text, FromFlag
		}
		if text, _ := env(s.Name); text != "" {
			return text, FromEnvironment
		}
	}
	return s.Default, FromDefault
}

func (s Setting) missing() *fault.Error {
	return fault.New(fault.InvalidInput, "setting", "%s (--%s) is not set. %s For instance: %s=%s",
		s.Name, s.Flag, s.Meaning, s.Name, s.Example).With("setting", s.Name)
}

// wrong quotes the value unless it is a secret.
func (s Setting) wrong(text string, err error) *fault.Error {
	is := fmt.Sprintf("is %q, but it", text[:min(len(text), quotedMax)])
	if s.Secret {
		is = "has a wrong form: it"
	}
	return fault.New(fault.InvalidInput, "setting", "%s (--%s) %s %v, for instance %s.",
		s.Name, s.Flag, is, err, s.Example).With("setting", s.Name)
}

// Line is a setting as `pawl config` shows it.
type Line struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	From   Source `json:"from"`
	Secret bool   `json:"secret"`
}

// Lines are the settings that the processes use, with secrets hidden, in the order of the documentation.
func (c Config) Lines(of ...Process) []Line {
	var lines []Line
	for _, s := range Settings(of...) {
		lines = append(lines, Line{Name: s.Name, Value: s.value.show(c), From: c.from[s.Name], Secret: s.Secret})
	}
	return lines
}

// Unknown gives the variables of an environment ("NAME=value" each) that begin with PAWL_ but are no settings: most
// likely a name was mistyped. PAWL_TEST_ is left to the tests.
func Unknown(environment []string) []string {
	var names []string
	for _, v := range environment {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, "PAWL_") || strings.HasPrefix(name, "PAWL_TEST_") {
			continue
		}
		if !slices.ContainsFunc(table(), func(s Setting) bool { return s.Name == name }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
