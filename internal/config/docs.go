package config

import (
	"fmt"
	"strings"
)

// Markdown is docs/settings.md. After a change of the table: go test ./internal/config -update.
func Markdown() string {
	var b strings.Builder
	b.WriteString(docsHead)
	for _, s := range Settings() {
		fmt.Fprintf(&b, "| `%s`<br>`--%s` | %s | %s | %s | `%s` |\n", s.Name, s.Flag, cell(s.Meaning), usedBy(s), byDefault(s), cell(s.Example))
	}
	b.WriteString(docsTail)
	return b.String()
}

const docsHead = `# Settings

Every setting is an environment variable and a flag. The flag goes before the variable, which goes before the default;
an empty text counts as not given. ` + "`pawl config`" + ` prints the settings that are in force and where each came from, with
secrets hidden. A wrong value stops the process with a sentence that names the setting; all are reported at once.

| Setting | Meaning | Read by | Default | Example |
|---|---|---|---|---|
`

const docsTail = `
*required*: the process does not start without it. *secret*: never printed or logged. Give secrets through the
environment or a file: other users of a machine can read a command line.

This page is made from the table in ` + "`internal/config/table.go`" + `.
`

func usedBy(s Setting) string {
	var names []string
	for _, p := range s.UsedBy {
		names = append(names, string(p))
	}
	text := strings.Join(names, ", ")
	if len(s.RequiredBy) > 0 {
		text += "; required"
		if len(s.RequiredBy) < len(s.UsedBy) {
			text += " by"
			for i, p := range s.RequiredBy {
				text += strings.Repeat(",", min(i, 1)) + " " + string(p)
			}
		}
	}
	return text
}

func byDefault(s Setting) string {
	switch {
	case s.Secret:
		return "none, secret"
	case s.Default == "":
		return "none"
	default:
		return "`" + s.Default + "`"
	}
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
