package jsbox

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"pawl/internal/fault"
)

// outcome takes what the harness said at the end, and holds the limits again.
func (r *run) outcome(said reply) (Result, error) {
	result := Result{Logs: boundLogs(said.Logs), Fetches: r.sent}
	if said.State != "done" {
		if err := r.failed[said.Fetch]; err != nil {
			return result, fault.From(err)
		}
		return result, r.saidFault(said)
	}
	if err := r.checkOutput(said.Output); err != nil {
		return result, err
	}
	result.Output = json.RawMessage(said.Output)
	return result, nil
}

// checkOutput says whether a text is JSON that everything behind this can store.
func (r *run) checkOutput(text string) error {
	switch {
	case len(text) > MaxOutputBytes:
		return fault.New(fault.TooLarge, "output", "%s returned more than %d bytes of JSON.", r.subject, MaxOutputBytes)
	case !utf8.ValidString(text) || !json.Valid([]byte(text)) || strings.TrimSpace(text) != text:
		return fault.New(fault.InvalidResponse, "output_invalid", "%s returned what is no JSON.", r.subject)
	case depth(text) > MaxDepth:
		return fault.New(fault.InvalidResponse, "output_invalid", "%s returned a value that is nested more than %d deep.", r.subject, MaxDepth)
	case hasBadEscape(text):
		return fault.New(fault.InvalidResponse, "output_invalid", "%s returned text with the character U+0000 or half a character (a lone surrogate).", r.subject)
	}
	return nil
}

// boundLogs keeps MaxLogLines lines of MaxLogUnits, without what PostgreSQL can't store.
func boundLogs(lines []string) []string {
	lines = lines[:min(len(lines), MaxLogLines)]
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(boundText(line, 4*MaxLogUnits), "\x00", "\uFFFD")
	}
	return lines
}

// boundText cuts a text to so many bytes, at a character's border.
func boundText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// depth is how deep lists and objects nest in valid JSON.
func depth(text string) int {
	deepest, now, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// hasBadEscape says whether valid JSON escapes U+0000 or a lone surrogate.
func hasBadEscape(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; text[i] != 'u' {
			continue
		}
		unit := hex4(text[i+1:])
		i += 4
		switch {
		case unit == 0, unit >= 0xdc00 && unit <= 0xdfff:
			return true
		case unit >= 0xd800 && unit <= 0xdbff:
			if !strings.HasPrefix(text[i+1:], `\u`) {
				return true
			}
			if low := hex4(text[i+3:]); low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 6
		}
	}
	return false
}

// hex4 reads four hexadecimal digits.
func hex4(text string) (unit int) {
	for _, c := range []byte(text[:4]) {
		unit *= 16
		switch {
		case c >= 'a':
			unit += int(c-'a') + 10
		case c >= 'A':
			unit += int(c-'A') + 10
		default:
			unit += int(c - '0')
		}
	}
	return unit
}
