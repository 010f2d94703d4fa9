package release_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/connections/release"
)

// model applies changes in memory as the store does.
type model struct{ release.State }

func (m *model) apply(t *rapid.T, move release.Move) bool {
	c, err := move(m.State)
	if err != nil || c.Verb == "" {
		return false
	}
	m.Plugin, m.Exists = c.Plugin, true
	if c.Freeze != nil {
		m.Releases = append(m.Releases, c.Freeze.Frozen)
	}
	if c.PreviewProjects != nil {
		m.PreviewProjects = c.PreviewProjects
	}
	for _, b := range c.Bindings {
		i := slices.IndexFunc(m.Bindings, func(o release.Binding) bool { return o.Identity == b.Identity })
		if i < 0 {
			b.Gen = 1
			m.Bindings = append(m.Bindings, b)
			continue
		}
		b.Gen = m.Bindings[i].Gen + 1
		m.Bindings[i] = b
	}
	return true
}

func (m *model) routed() []connections.ConnectionIdentity {
	var ids []connections.ConnectionIdentity
	for _, b := range m.Bindings {
		if b.Routable(m.Now) {
			ids = append(ids, b.Identity)
		}
	}
	return ids
}

// check holds what must be true after every move.
func (m *model) check(t *rapid.T) {
	var production connections.ConnectionIdentity
	if m.Production != nil {
		production = connections.Identity{Source: connections.SourceDeveloper, ID: m.ID, Version: *m.Production}.Connection()
	}
	for _, b := range m.Bindings {
		serving := b.State == release.Active || b.Reason == release.Disabled
		switch {
		case serving && m.Production == nil:
			t.Fatalf("%s is served without a production version", b.Identity)
		case serving && m.Enabled != (b.State == release.Active):
			t.Fatalf("%s is %s while enabled is %v", b.Identity, b.State, m.Enabled)
		case b.Identity == production && (!serving || b.KeptUntil != nil):
			t.Fatalf("the production version %s is %s %s until %v", b.Identity, b.State, b.Reason, b.KeptUntil)
		case serving && b.Identity != production && b.KeptUntil == nil:
			t.Fatalf("%s is served beside production without an end", b.Identity)
		}
	}
	for i := 1; i < len(m.Releases); i++ {
		if m.Releases[i-1].Version.Compare(m.Releases[i].Version) >= 0 {
			t.Fatalf("%s was frozen after %s", m.Releases[i].Version, m.Releases[i-1].Version)
		}
	}
}

// TestAnyOrderOfMoves makes moves in any order, with time passing, and checks what must always hold.
func TestAnyOrderOfMoves(t *testing.T) {
	t.Parallel()
	versions := []string{"1.0.0", "1.0.1", "1.1.0", "2.0.0", "10.0.0"}
	files := map[string]*genisys.Plugin{}
	for _, v := range versions {
		files[v] = appPlugin(t, v)
	}
	rapid.Check(t, func(t *rapid.T) {
		m := &model{State: release.State{Plugin: release.Plugin{ID: "shop"}, Now: now()}}
		someVersion := rapid.SampledFrom(versions)
		moves := map[string]func(*rapid.T){
			"push":    func(t *rapid.T) { m.apply(t, release.Push(files[someVersion.Draw(t, "version")], nil)) },
			"preview": func(t *rapid.T) { m.apply(t, release.ToPreview(nil, uuid.New)) },
			"promote": func(t *rapid.T) { m.apply(t, release.ToProduction(nil)) },
			"keep": func(t *rapid.T) {
				until := m.Now.Add(time.Duration(rapid.IntRange(1, 20).Draw(t, "hours")) * time.Hour)
				m.apply(t, release.ToProduction(&until))
			},
			"rollback": func(t *rapid.T) {
				v, _ := connections.ParseVersion(someVersion.Draw(t, "version"))
				m.apply(t, release.Rollback(v))
			},
			"disable": func(t *rapid.T) { m.apply(t, release.Disable()) },
			"enable":  func(t *rapid.T) { m.apply(t, release.Enable()) },
			"disable and enable": func(t *rapid.T) {
				before := m.routed()
				if m.apply(t, release.Disable()) && len(m.routed()) != 0 {
					t.Fatal("a disabled plugin is routed")
				} else if m.apply(t, release.Enable()); m.Enabled && len(before) > 0 {
					if diff := cmp.Diff(before, m.routed()); diff != "" {
						t.Fatal(diff)
					}
				}
			},
			"remove": func(t *rapid.T) { m.apply(t, release.Remove()) },
			"expire": func(t *rapid.T) {
				before := m.routed()
				m.apply(t, release.Expire())
				if diff := cmp.Diff(before, m.routed()); diff != "" {
					t.Fatalf("writing down what has passed changes the routing: %s", diff)
				}
			},
			"time": func(t *rapid.T) { m.Now = m.Now.Add(time.Duration(rapid.IntRange(1, 10).Draw(t, "hours")) * time.Hour) },
			"":     m.check,
		}
		t.Repeat(moves)
	})
}

func appPlugin(t testing.TB, version string) *genisys.Plugin {
	t.Helper()
	p, problems := genisys.Decode([]byte(`{"format":"genisys-plugin@1","manifest":{"id":"shop","name":"Shop","version":"` + version + `",
		"description":"","tools":[],"skills":[],"permissions":{"hosts":[]},
		"app":{"baseUrl":"https://api.example.com","auth":"bearer","actions":[{"id":"list_items","name":"List","description":"","method":"GET","path":"/items","inputs":[]}]}},
		"code":"export default {};"}`))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return p
}
