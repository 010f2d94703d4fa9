package httpcall

import (
	"bytes"
	"strings"
)

// redacted stands where an answer held the account's own key.
const redacted = "[redacted]"

// formsOf gives the spellings in which a service may send a key back: raw, percent-encoded for a path, a query
// or a form, with either case of hex digits, and escaped inside a JSON text that is a string itself. JSON escapes
// of the answer proper need no spelling, because its strings are decoded before they are looked at.
func formsOf(key string) []string {
	if key == "" {
		return nil
	}
	forms := []string{key}
	add := func(form string) {
		for _, f := range forms {
			if f == form {
				return
			}
		}
		forms = append(forms, form)
	}
	for _, kept := range []string{unreserved, formKept, templateKept} {
		escaped := string(appendEscaped(nil, key, kept))
		add(escaped)
		add(lowerHex(escaped))
	}
	form := string(appendFormEscaped(nil, key))
	add(form)
	add(lowerHex(form))
	quoted := string(appendQuoted(nil, key))
	add(quoted[1 : len(quoted)-1])
	add(strings.ReplaceAll(quoted[1:len(quoted)-1], "/", `\/`))
	return forms
}

// lowerHex gives %2F as %2f.
func lowerHex(escaped string) string {
	b := []byte(escaped)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], bytes.ToLower(b[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// redactor replaces the forms of a key. Longer forms come first where one holds another.
type redactor struct {
	forms [][]byte
	count int
}

func newRedactor(forms []string) *redactor {
	r := &redactor{}
	for _, f := range forms {
		if f != "" {
			r.forms = append(r.forms, []byte(f))
		}
	}
	for i := 1; i < len(r.forms); i++ {
		for j := i; j > 0 && len(r.forms[j]) > len(r.forms[j-1]); j-- {
			r.forms[j], r.forms[j-1] = r.forms[j-1], r.forms[j]
		}
	}
	return r
}

// text is the rule for jsonRules: it gives the text without the key, and whether there was any.
func (r *redactor) text(s []byte) ([]byte, bool) {
	changed := false
	for _, form := range r.forms {
		switch {
		case len(form) < minRedacted && !bytes.Equal(s, form), !bytes.Contains(s, form):
			continue
		}
		s = bytes.ReplaceAll(s, form, []byte(redacted))
		changed = true
		r.count++
	}
	return s, changed
}

func (r *redactor) string(s string) string {
	if len(r.forms) == 0 {
		return s
	}
	if other, changed := r.text([]byte(s)); changed {
		return string(other)
	}
	return s
}

// binary overwrites the key with stars, so that the positions of a binary format stay right.
func (r *redactor) binary(b []byte) []byte {
	for _, form := range r.forms {
		if len(form) < minRedacted || !bytes.Contains(b, form) {
			continue
		}
		b = bytes.ReplaceAll(b, form, bytes.Repeat([]byte{'*'}, len(form)))
		r.count++
	}
	return b
}
