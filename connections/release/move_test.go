package release_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/connections/release"
	"pawl/internal/fault"
)

// now is the instant at which all moves are made.
func now() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func ver(t testing.TB, text string) *connections.Version {
	t.Helper()
	v, err := connections.ParseVersion(text)
	if err != nil {
		t.Fatal(err)
	}
	return &v
}

func plugin(t testing.TB, version string) *genisys.Plugin {
	t.Helper()
	p, problems := genisys.Decode(fmt.Appendf(nil, `{"format":"genisys-plugin@1","manifest":{"id":"shop","name":"Shop","version":%q,
		"description":"","tools":[],"skills":[],"permissions":{"hosts":[]}},"code":"export default {};"}`, version))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return p
}

// state is a plugin with a draft of the version, frozen versions and stages; an empty text means none.
func state(t testing.TB, draft string, frozen []string, preview, production, peak string) release.State {
	t.Helper()
	doc := plugin(t, draft).Canonical()
	s := release.State{Plugin: release.Plugin{ID: "shop", Enabled: true}, Exists: true, Now: now()}
	s.Draft = release.Draft{Document: doc, Digest: release.Digest(doc, nil), Rev: 4}
	for _, f := range frozen {
		c := plugin(t, f).Canonical()
		s.Releases = append(s.Releases, release.Frozen{ID: uuid.New(), Version: *ver(t, f), Digest: release.Digest(c, nil)})
	}
	for _, at := range []struct {
		version **connections.Version
		text    string
	}{{&s.Preview, preview}, {&s.Production, production}, {&s.Peak, peak}} {
		if at.text != "" {
			*at.version = ver(t, at.text)
		}
	}
	return s
}

func TestRefusedMoves(t *testing.T) {
	t.Parallel()
	past, far := now(), now().Add(release.MaxKeep+time.Hour)
	removed := state(t, "1.2.0", []string{"1.0.0"}, "", "", "1.0.0")
	removed.RemovedAt = &past
	stale := int64(3)
	full := state(t, "1.1.0", []string{"1.0.0", "1.2.0", "1.3.0"}, "1.3.0", "", "1.2.0")
	full.Production = ver(t, "1.2.0")
	preview := release.ToPreview(nil, uuid.New)
	tests := []struct {
		name       string
		state      release.State
		move       release.Move
		wantKind   fault.Kind
		wantReason string
	}{
		{"freeze a lower version", full, preview, fault.Conflict, "version_not_higher"},
		{"freeze a frozen version with its content", state(t, "1.0.0", []string{"1.0.0", "1.1.0"}, "1.1.0", "", ""), preview, fault.Conflict, "version_frozen"},
		{"freeze nothing", release.State{Plugin: release.Plugin{ID: "shop"}}, preview, fault.NotFound, "plugin"},
		{"freeze for too many projects", full, release.ToPreview(make([]uuid.UUID, 1001), uuid.New), fault.Limit, "preview_projects"},
		{"promote without a preview", state(t, "1.0.0", nil, "", "", ""), release.ToProduction(nil), fault.Conflict, "no_preview"},
		{"keep until now", full, release.ToProduction(&past), fault.InvalidInput, "keep_previous"},
		{"keep too long", full, release.ToProduction(&far), fault.InvalidInput, "keep_previous"},
		{"roll back to nothing", full, release.Rollback(*ver(t, "0.9.0")), fault.NotFound, "version"},
		{"roll forward", full, release.Rollback(*ver(t, "1.3.0")), fault.Conflict, "not_earlier"},
		{"roll back what never was", state(t, "1.1.0", []string{"1.0.0"}, "1.0.0", "", ""), release.Rollback(*ver(t, "1.0.0")), fault.Conflict, "never_in_production"},
		{"promote a removed plugin", removed, release.ToProduction(nil), fault.Conflict, "removed"},
		{"enable a removed plugin", removed, release.Enable(), fault.Conflict, "removed"},
		{"remove nothing", release.State{Plugin: release.Plugin{ID: "shop"}}, release.Remove(), fault.NotFound, "plugin"},
		{"push over another's push", full, release.Push(plugin(t, "1.4.0"), &stale), fault.Conflict, "stale_draft"},
		{"settings over another's push", full, release.PutSettings([]byte(`{"format":"pawl-release@1"}`), &stale), fault.Conflict, "stale_draft"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := tt.move(tt.state)
			var f *fault.Error
			if !errors.As(err, &f) || f.Kind != tt.wantKind || f.Reason != tt.wantReason {
				t.Fatalf("got %v, want %s (%s)", err, tt.wantKind, tt.wantReason)
			}
			if c.Verb != "" || len(c.Bindings) > 0 || c.Freeze != nil {
				t.Errorf("a refused move wants a change: %+v", c)
			}
			if !strings.HasSuffix(f.Message, ".") && !strings.Contains(f.Message, "pawl ") {
				t.Errorf("the sentence does not say how to mend it: %q", f.Message)
			}
		})
	}
}

func TestMovesThatChangeNothing(t *testing.T) {
	t.Parallel()
	s := state(t, "1.1.0", []string{"1.0.0", "1.1.0"}, "1.1.0", "1.1.0", "1.1.0")
	projects := []uuid.UUID{uuid.New(), uuid.New()}
	s.PreviewProjects = projects
	disabled, removed := s, s
	disabled.Enabled = false
	at := now()
	removed.RemovedAt = &at
	tests := []struct {
		name  string
		state release.State
		move  release.Move
	}{
		{"push the draft again", s, release.Push(plugin(t, "1.1.0"), nil)},
		{"freeze the preview again", s, release.ToPreview(nil, uuid.New)},
		{"choose the same projects", s, release.ToPreview([]uuid.UUID{projects[1], projects[0], projects[1]}, uuid.New)},
		{"promote what is in production", s, release.ToProduction(nil)},
		{"roll back to what is in production", s, release.Rollback(*ver(t, "1.1.0"))},
		{"enable what is enabled", s, release.Enable()},
		{"disable what is disabled", disabled, release.Disable()},
		{"remove what is removed", removed, release.Remove()},
		{"take away settings that are not there", s, release.PutSettings(nil, nil)},
		{"expire nothing", s, release.Expire()},
	}
	for _, tt := range tests {
		if c, err := tt.move(tt.state); err != nil || c.Verb != "" {
			t.Errorf("%s: %+v, %v", tt.name, c, err)
		}
	}
}

func TestFreezeCopiesTheDraft(t *testing.T) {
	t.Parallel()
	s := state(t, "1.1.0", []string{"1.0.0"}, "1.0.0", "1.0.0", "1.0.0")
	s.Draft.Settings = []byte(`{"format":"pawl-release@1"}`)
	s.Draft.Digest = release.Digest(s.Draft.Document, s.Draft.Settings)
	id := uuid.New()
	c, err := release.ToPreview([]uuid.UUID{id}, func() uuid.UUID { return id })(s)
	if err != nil {
		t.Fatal(err)
	}
	f := c.Freeze
	if f == nil || f.ID != id || f.Version != *ver(t, "1.1.0") || f.App || string(f.Document) != string(s.Draft.Document) || string(f.Settings) != string(s.Draft.Settings) || string(f.Digest) != string(s.Draft.Digest) {
		t.Errorf("frozen %+v", f)
	}
	if *c.Plugin.Preview != f.Version || *c.Plugin.Production != *ver(t, "1.0.0") || len(c.Bindings) != 0 {
		t.Errorf("freezing touches more than the preview: %+v", c)
	}
}

// TestSettingsMustFit: settings that name an action are refused where the draft has none of that id, warned of when
// the file changes under them, and keep it from being frozen.
func TestSettingsMustFit(t *testing.T) {
	t.Parallel()
	file := []byte(`{"actions":{"list_items":{"effect":"payment"}}, "format":"pawl-release@1"}`)
	bare := state(t, "1.0.0", nil, "", "", "")
	if _, err := release.PutSettings(file, nil)(bare); !errors.As(err, new(fault.List)) {
		t.Errorf("settings of an action that is not there give %v", err)
	}
	fits := bare
	fits.Draft.Document = appPlugin(t, "1.0.0").Canonical()
	c, err := release.PutSettings(file, nil)(fits)
	if want := `{"actions":{"list_items":{"effect":"payment"}},"format":"pawl-release@1"}`; err != nil || string(c.Plugin.Draft.Settings) != want {
		t.Fatalf("the draft has the settings %s, %v, want %s", c.Plugin.Draft.Settings, err, want)
	}
	fits.Plugin = c.Plugin
	c, err = release.Push(plugin(t, "1.0.1"), nil)(fits)
	if err != nil || len(c.Warnings) != 1 || c.Verb == "" {
		t.Fatalf("pushing a file without the action gives the warnings %v, %v", c.Warnings, err)
	}
	fits.Plugin = c.Plugin
	if _, err := release.ToPreview(nil, uuid.New)(fits); !errors.As(err, new(fault.List)) {
		t.Errorf("settings that no longer fit are frozen: %v", err)
	}
}

func TestDigestTellsDocumentAndSettingsApart(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, d := range [][2]string{{`{}`, ""}, {`{}`, `{}`}, {`{"a":1}`, ""}, {`{}`, `{"a":1}`}} {
		var settings []byte
		if d[1] != "" {
			settings = []byte(d[1])
		}
		key := string(release.Digest([]byte(d[0]), settings))
		if old, twice := seen[key]; twice {
			t.Errorf("%v and %s have one digest", d, old)
		}
		seen[key] = fmt.Sprint(d)
	}
}

func TestStepsNaming(t *testing.T) {
	t.Parallel()
	doc := []byte(`{"steps":[
		{"id":"a","type":"action","action":"developer.shop.v1-0-0.list","input":{"action":"developer.shop.v1-0-0.no"}},
		{"id":"r","type":"retry","steps":[{"id":"b","action":"developer.shop.v1-1-0.list"}]},
		{"id":"c","type":"branch","cases":[{"when":"{{ true }}","steps":[{"id":"d","action":"developer.\u0073hop.v1-0-0.get"}]}],
			"otherwise":[{"id":"e","action":"developer.shopping.v1-0-0.list"}]},
		{"id":"t","type":"try","steps":[],"catch":[{"id":"f","action":"developer.shop.v1-0-0.x"}],"finally":[{"id":"g","action":"developer.shop.v1-0-0"}]},
		{"id":"s","type":"set","value":{"steps":[{"id":"h","action":"developer.shop.v1-0-0.list"}]}}]}`)
	var got []string
	for _, s := range release.StepsNaming(doc, []connections.ConnectionIdentity{"developer.shop.v1-0-0"}) {
		got = append(got, s.ID)
	}
	if want := "[a d f]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if steps := release.StepsNaming([]byte(`{"steps":[`), nil); steps != nil {
		t.Errorf("an unfinished draft names %v", steps)
	}
}
