package release

import (
	"regexp"
	"strconv"
	"time"

	"pawl/connections/genisys"
	"pawl/internal/canon"
	"pawl/internal/fault"
)

// SettingsFormat is the value of the member "format" of every settings file.
const SettingsFormat = "pawl-release@1"

const (
	// MaxSettingsBytes is the largest settings file: 256 KiB, far more than thirty actions need.
	MaxSettingsBytes = 256 << 10
	// settingsDepth and settingsValues bound its shape; the format itself is four deep.
	settingsDepth, settingsValues = 16, 10_000

	// DefaultKeyWindow is how long a provider honours an Idempotency-Key unless the settings say otherwise.
	DefaultKeyWindow = 24 * time.Hour
	// MinKeyWindow is the shortest: below a minute a repeat comes too late.
	MinKeyWindow = time.Minute
	// MaxKeyWindow is the longest: beyond 30 days no provider is known to remember.
	MaxKeyWindow = 30 * 24 * time.Hour
)

// Settings are what a release says beside its plugin file, because the seed's format allows no more members.
// docs/formats/pawl-release.md describes the file. A nil *Settings is a release without any.
type Settings struct {
	// Verify is the id of the action that proves a key; empty when none does.
	Verify  string
	actions map[string]*ActionSettings

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
}

// DecodeSettings reads the settings of a frozen release; nil data are a release without any, which gives nil.
// Its error is a fault.List of all problems.
func DecodeSettings(data []byte) (*Settings, error) {
	if data == nil {
		return nil, nil
	}
	s, problems := readSettings(data)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// ReadSettings reads a settings file for a plugin and holds it against the app's actions. It reports every
// problem at once, each with a JSON pointer; app is nil for a plugin without one.
func ReadSettings(data []byte, app *genisys.App) (*Settings, fault.List) {
	s, problems := readSettings(data)
	if s == nil {
		return nil, problems
	}
	if problems = append(problems, s.Check(app)...); len(problems) > 0 {
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

// Canonical gives the RFC 8785 form, nil for a release without settings: what is frozen and digested.
func (s *Settings) Canonical() []byte {
	if s == nil {
		return nil
	}
	return append([]byte(nil), s.canonical...)
}

// readSettings gives what could be read together with all problems of the file by itself; nil when the text is
// unsound.
func readSettings(data []byte) (*Settings, fault.List) {
	top, report := canon.Open(data, canon.Limits{Bytes: MaxSettingsBytes, Depth: settingsDepth, Values: settingsValues})
	if len(report.Problems()) > 0 {
		return nil, report.Problems()
	}
	if !top.Object("format", "verify", "actions") {
		return nil, report.Problems()
	}
	format := top.Need("format")
	if text, ok := format.Text(); ok && text != SettingsFormat {
		format.Refuse("format", "These are not settings that Pawl reads: \"format\" must be %q.", SettingsFormat)
	}
	s := &Settings{Verify: verifyAction(top.Member("verify")), actions: make(map[string]*ActionSettings)}
	if actions := top.Member("actions"); actions.Is(canon.Object) {
		for _, p := range actions.Members() {
			s.actions[p.Value().Name()] = actionSettings(p)
		}
	}
	s.canonical = top.Value().Canonical()
	return s, report.Problems()
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

func actionSettings(p canon.Place) *ActionSettings {
	s := &ActionSettings{}
	if !p.Object("idempotency", "safe", "effect") {
		return s
	}
	s.KeyWindow = keyWindow(p.Member("idempotency"))
	s.Unsafe = unsafe(p.Member("safe"))
	effect, _ := p.Member("effect").Choice(effectNames()...)
	s.Effect = Effect(effect)
	return s
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
	return windowLength(window)
}

var windowText = regexp.MustCompile(`^([1-9][0-9]{0,6})([smhd])$`)

func windowLength(p canon.Place) time.Duration {
	text, ok := p.Text()
	if !ok {
		return 0
	}
	m := windowText.FindStringSubmatch(text)
	if m == nil {
		p.Refuse("window", "%s is not a length of time: write a whole number and s, m, h or d, such as 24h.", canon.Quote(text))
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // seven digits at most
	length := time.Duration(n) * map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[m[2]]
	if length < MinKeyWindow || length > MaxKeyWindow {
		p.Refuse("window", "%s is outside what is allowed: 1m to 30d.", canon.Quote(text))
		return 0
	}
	return length
}
