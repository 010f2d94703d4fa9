package release

import (
	"encoding/json"
	"regexp"
	"strconv"
	"time"

	"pawl/connections/genisys"
	"pawl/internal/canon"
	"pawl/internal/fault"
	"pawl/internal/schema"
)

// SettingsFormat is the value of the member "format" of every settings file.
const SettingsFormat = "pawl-release@1"

// Settings are what a release says beside its plugin file, because the seed's format allows no more members.
// docs/formats/pawl-release.md describes the file. A nil *Settings is a release without any.
type Settings struct {
	// Verify is the id of the action that proves a key; empty when none does.
	Verify string
	// Account limits what is sent with one account, Host what is sent to the app with all accounts; nil for no limit.
	Account, Host *Rate

	actions   map[string]*ActionSettings
	tools     map[string]*ToolSettings
	canonical []byte
}

// ActionSettings are what is said of one action.
type ActionSettings struct {
	// KeyWindow is how long after the first send the provider honours the Idempotency-Key; 0 when it does not.
	KeyWindow time.Duration
	// Unsafe says of a PUT or DELETE that sending it again is not harmless.
	Unsafe bool
	// Effect is what the action is declared to do, empty when nothing is said.
	Effect Effect
	// Rate limits what is sent by this action with one account, beside the limits of the whole; nil for no limit.
	Rate *Rate
	// Paging says how one page leads to the next; nil for an action that answers at once.
	Paging *Paging
	// Output is the JSON Schema of the body of an answer with a status of 2xx, in canonical form; nil when nothing is
	// said. schema.Compile with schema.Open compiles it.
	Output json.RawMessage
}

// ToolSettings are what is said of one tool of the module.
type ToolSettings struct {
	// Effect is what the tool is declared to do, empty when nothing is said.
	Effect Effect
	// Output is the JSON Schema of the value that the tool returns, in canonical form; nil when nothing is said.
	// schema.Compile with schema.Open compiles it.
	Output json.RawMessage
}

// DecodeSettings reads the settings of a frozen release; nil data are a release without any, which gives nil.
// Its error is a fault.List of all problems.
func DecodeSettings(data []byte) (*Settings, error) {
	if data == nil {
		return nil, nil
	}
	s, problems := readSettings(data, reader{})
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// ReadSettings reads a settings file from outside and holds it against the declarations of the plugin that it belongs
// to. It reports every problem at once, each with a JSON pointer; a nil manifest is a plugin that is not known, and only
// the file by itself is checked.
func ReadSettings(data []byte, m *genisys.Manifest) (*Settings, fault.List) {
	s, problems := readSettings(data, reader{compiles: true})
	if s == nil {
		return nil, problems
	}
	if m != nil {
		problems = append(problems, s.Check(m)...)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return s, nil
}

// Action gives what is said of an action, nil for nothing.
func (s *Settings) Action(id string) *ActionSettings {
	if s == nil {
		return nil
	}
	return s.actions[id]
}

// Tool gives what is said of a tool, nil for nothing.
func (s *Settings) Tool(name string) *ToolSettings {
	if s == nil {
		return nil
	}
	return s.tools[name]
}

// Canonical gives the RFC 8785 form, nil for a release without settings: what is frozen and digested.
func (s *Settings) Canonical() []byte {
	if s == nil {
		return nil
	}
	return append([]byte(nil), s.canonical...)
}

// reader reads a settings file. Only what comes from outside is proved to hold schemas that can be used: what is frozen
// has been, and rules that are tightened later take nothing away.
type reader struct{ compiles bool }

// readSettings gives what could be read together with all problems of the file by itself; nil when the text is
// unsound.
func readSettings(data []byte, r reader) (*Settings, fault.List) {
	top, report := canon.Open(data, canon.Limits{Bytes: MaxSettingsBytes, Depth: settingsDepth, Values: settingsValues})
	if len(report.Problems()) > 0 {
		return nil, report.Problems()
	}
	if !top.Object("format", "verify", "limits", "actions", "tools") {
		return nil, report.Problems()
	}
	format := top.Need("format")
	if text, ok := format.Text(); ok && text != SettingsFormat {
		format.Refuse("format", "These are not settings that Pawl reads: \"format\" must be %q.", SettingsFormat)
	}
	s := &Settings{Verify: verifyAction(top.Member("verify"))}
	if limits := top.Member("limits"); limits.Object("account", "host") {
		s.Account, s.Host = rate(limits.Member("account")), rate(limits.Member("host"))
	}
	s.actions = named(top.Member("actions"), r.action)
	s.tools = named(top.Member("tools"), r.tool)
	s.canonical = top.Value().Canonical()
	return s, report.Problems()
}

// named reads an object from names to what is said of each.
func named[T any](p canon.Place, read func(canon.Place) *T) map[string]*T {
	all := make(map[string]*T)
	if p.Is(canon.Object) {
		for _, m := range p.Members() {
			all[m.Value().Name()] = read(m)
		}
	}
	return all
}

func verifyAction(p canon.Place) string {
	if !p.Object("action") {
		return ""
	}
	action := p.Need("action")
	id, ok := action.Text()
	if ok && id == "" {
		action.Refuse("blank", "This id is empty; name an action, or leave \"verify\" out.")
	}
	return id
}

func (r reader) action(p canon.Place) *ActionSettings {
	if !p.Object("idempotency", "safe", "effect", "limits", "paging", "output") {
		return &ActionSettings{}
	}
	return &ActionSettings{
		KeyWindow: keyWindow(p.Member("idempotency")),
		Unsafe:    unsafe(p.Member("safe")),
		Effect:    effect(p.Member("effect")),
		Rate:      rate(p.Member("limits")),
		Paging:    paging(p.Member("paging")),
		Output:    r.output(p.Member("output")),
	}
}

func (r reader) tool(p canon.Place) *ToolSettings {
	if !p.Object("effect", "output") {
		return &ToolSettings{}
	}
	return &ToolSettings{Effect: effect(p.Member("effect")), Output: r.output(p.Member("output"))}
}

func effect(p canon.Place) Effect {
	name, _ := p.Choice(effectNames()...)
	return Effect(name)
}

// output reads a schema of outputs, which may be true or false too.
func (r reader) output(p canon.Place) json.RawMessage {
	switch {
	case !p.Present():
		return nil
	case p.Value().Depth() > MaxOutputDepth:
		p.RefuseAs(fault.Limit, "depth", "This schema is nested %d deep; at most %d levels are allowed.", p.Value().Depth(), MaxOutputDepth)
		return nil
	case r.compiles:
		schema.Read(p, schema.Open)
	}
	return p.Value().Canonical()
}

// unsafe reads "safe": false. Nothing becomes safe by being called so.
func unsafe(p canon.Place) bool {
	if p.Is(canon.Bool) && p.Bool() {
		p.Refuse("safe", "Settings can only call an action unsafe; a POST or PATCH becomes safe by \"idempotency\". Write false or leave \"safe\" out.")
	}
	return p.Kind() == canon.Bool && !p.Bool()
}

// keyWindow reads {"honours": true, "window": "24h"}.
func keyWindow(p canon.Place) time.Duration {
	if !p.Object("honours", "window") {
		return 0
	}
	window := p.Member("window")
	honours := p.Need("honours")
	switch {
	case !honours.Is(canon.Bool):
		return 0
	case !honours.Bool() && window.Present():
		window.Refuse("window", "A key that is not honoured has no window; leave \"window\" out.")
		return 0
	case !honours.Bool():
		return 0
	case !window.Present():
		return DefaultKeyWindow
	}
	return length(window, "window", MinKeyWindow, MaxKeyWindow)
}

var lengthText = regexp.MustCompile(`^([1-9][0-9]{0,6})([smhd])$`)

// length reads a length of time, such as 24h; reason is that of its problems.
func length(p canon.Place, reason string, least, most time.Duration) time.Duration {
	text, ok := p.Text()
	if !ok {
		return 0
	}
	m := lengthText.FindStringSubmatch(text)
	if m == nil {
		p.Refuse(reason, "%s is not a length of time: write a whole number and s, m, h or d, such as 24h.", canon.Quote(text))
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // seven digits at most
	d := time.Duration(n) * map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[m[2]]
	if d < least || d > most {
		p.Refuse(reason, "%s is outside what is allowed: %s to %s.", canon.Quote(text), inWords(least), inWords(most))
		return 0
	}
	return d
}

// inWords writes a length of time as the format does.
func inWords(d time.Duration) string {
	switch {
	case d >= 24*time.Hour:
		return strconv.Itoa(int(d/(24*time.Hour))) + "d"
	case d >= time.Minute:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	}
	return strconv.Itoa(int(d/time.Second)) + "s"
}
