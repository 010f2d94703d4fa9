package genisys

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"pawl/connections"
	"pawl/internal/canon"
	"pawl/internal/fault"
)

// Decode reads and validates a plugin file that comes from outside. It reports every problem at once, each with a JSON
// pointer, and with line and column where the text itself is unsound; the plugin is nil when there is any. The kinds
// are invalid_input, too_large for what exceeds a size in bytes, and limit for what exceeds a count or a depth.
func Decode(data []byte) (*Plugin, fault.List) { return decode(data, admit) }

// Thaw reads a document that Decode has admitted, now or in an earlier version of Pawl: a draft or a frozen release.
// It leaves out what only admission asks, so that a rule which is tightened later never takes a release away, and so
// that reading one is cheap: the schemas of tools are not compiled and the logo's pixels are not looked at.
func Thaw(document []byte) (*Plugin, fault.List) {
	return decode(document, func(canon.Place, *Plugin) {})
}

func decode(data []byte, further func(top canon.Place, p *Plugin)) (*Plugin, fault.List) {
	top, report := canon.Open(data, fileLimits())
	if len(report.Problems()) > 0 {
		return nil, report.Problems()
	}
	p := file(top)
	if p != nil {
		further(top, p)
	}
	if len(report.Problems()) > 0 {
		return nil, report.Problems()
	}
	p.canonical = top.Value().Canonical()
	return p, nil
}

// admit checks what takes more than a look at the manifest.
func admit(top canon.Place, p *Plugin) {
	m := top.Member("manifest")
	if list := m.Member("tools"); list.Kind() == canon.List {
		for i := range p.Manifest.Tools {
			toolSchema(list.Element(i).Member("input"))
		}
	}
	if a := p.Manifest.App; a != nil && a.Logo != "" {
		picture(m.Member("app").Member("logo"), a.LogoPNG())
	}
}

func fileLimits() canon.Limits {
	return canon.Limits{Bytes: MaxFileBytes, Depth: MaxFileDepth, Values: MaxFileValues}
}

func file(top canon.Place) *Plugin {
	if !top.Object(fileShape().members...) {
		return nil
	}
	format := top.Need("format")
	if text, ok := format.Text(); ok && text != Format {
		format.Refuse("format", "This is not a plugin that Pawl reads: \"format\" must be %q.", Format)
	}
	return &Plugin{Manifest: manifest(top.Need("manifest")), Code: code(top.Need("code"))}
}

func code(p canon.Place) string {
	text, ok := p.Text()
	switch {
	case ok && len(text) > MaxCodeBytes:
		p.RefuseAs(fault.TooLarge, "bytes", "The code has %d bytes; at most %d are allowed.", len(text), MaxCodeBytes)
	case ok && strings.TrimSpace(text) == "":
		p.Refuse("blank", "The code is empty; a plugin without tools has \"export default {};\".")
	}
	return text
}

var (
	pluginID = regexp.MustCompile(`^[a-z][a-z0-9-]{1,40}$`)
	actionID = regexp.MustCompile(`^[a-z][a-z0-9_]{1,40}$`) // of tools too
	skillID  = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)
)

func manifest(p canon.Place) Manifest {
	if !p.Object(manifestShape().members...) {
		return Manifest{}
	}
	return Manifest{
		ID:          matched(p.Need("id"), pluginID, "a lower-case letter and then 1 to 40 lower-case letters, digits or hyphens, for instance word-tools"),
		Name:        line(p.Need("name"), 1, MaxNameLength),
		Version:     version(p.Need("version")),
		Description: prose(p.Member("description"), 0, MaxDescriptionLength),
		Tools:       tools(p.Member("tools")),
		Hosts:       hosts(p.Member("permissions")),
		Skills:      skills(p.Member("skills")),
		App:         app(p.Member("app")),
	}
}

func version(p canon.Place) connections.Version {
	text, ok := p.Text()
	if !ok {
		return connections.Version{}
	}
	v, err := connections.ParseVersion(text)
	if err != nil {
		p.Refuse("version", "%s is not a version: write three numbers without leading zeros, such as 1.2.0.", quote(text))
	}
	return v
}

// matched reads a name by its grammar.
func matched(p canon.Place, grammar *regexp.Regexp, words string) string {
	text, ok := p.Text()
	if ok && !grammar.MatchString(text) {
		p.Refuse("name", "%s is not allowed here: write %s.%s", quote(text), words, lookalike(text))
	}
	return text
}

// lookalike names the first character of a name that is beyond ASCII, because it may look as if it were not.
func lookalike(text string) string {
	i := strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
	if i < 0 {
		return ""
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return fmt.Sprintf(" It holds %s (%U), which is not an ASCII letter.", strconv.QuoteRune(r), r)
}

// line reads a text of one line, least to most characters long.
func line(p canon.Place, least, most int) string {
	text := measured(p, least, most)
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || turns(r) || r == '\u2028' || r == '\u2029' }) {
		p.Refuse("control_character", "This text holds a control character or a line break; write it on one line.")
	}
	return text
}

// turns says whether a character turns the direction of what follows (UAX #9), so that a name reads as another.
func turns(r rune) bool { return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' }

// prose reads a text that may have several lines.
func prose(p canon.Place, least, most int) string {
	text := measured(p, least, most)
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) }) {
		p.Refuse("control_character", "This text holds a control character; remove it.")
	}
	return text
}

func measured(p canon.Place, least, most int) string {
	text, ok := p.Text()
	switch n := utf8.RuneCountInString(text); {
	case !ok:
	case n > most:
		p.Refuse("length", "This text has %d characters; at most %d are allowed.", n, most)
	case least > 0 && strings.TrimSpace(text) == "":
		p.Refuse("blank", "This text is empty; write %d to %d characters.", least, most)
	}
	return text
}

// counted gives the elements of a list of at least least and at most most; what is wrong with their number is
// reported.
func counted(p canon.Place, least, most int, things string) []canon.Place {
	all := p.Elements()
	switch n := len(all); {
	case p.Kind() != canon.List:
	case n > most:
		p.RefuseAs(fault.Limit, "count", "There are %d %s; at most %d are allowed.", n, things, most)
		return all[:most]
	case n < least:
		p.Refuse("count", "There are no %s; declare %d to %d.", things, least, most)
	}
	return all
}

// once maps the names of a list to where they stand.
type once map[string]string

// see notes a name and says whether it is new; one that is used already is reported here.
func (o once) see(p canon.Place, name, things string) bool {
	if name == "" {
		return false
	}
	first, twice := o[name]
	if twice {
		p.Refuse("duplicate", "%s is used by two %s, here and at %s; rename one of them.", quote(name), things, first)
		return false
	}
	o[name] = p.Pointer()
	return true
}

// each reads every element of a list of objects.
func each[T any](list []canon.Place, read func(canon.Place) T) []T {
	all := make([]T, 0, len(list))
	for _, p := range list {
		all = append(all, read(p))
	}
	return all
}
