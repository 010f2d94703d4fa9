package store_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"pawl/connections/release"
)

func withSkill(id, version, text string) []byte {
	return fmt.Appendf(nil, `{"format":"genisys-plugin@1","manifest":{"id":%q,"name":"P","version":%q,"description":"For tests.",
		"tools":[],"skills":[{"name":"tone","description":"d","instructions":%q}],"permissions":{"hosts":[]}},"code":"export default {};"}`, id, version, text)
}

// Skills follow the stages: a test key sees the draft, a chosen project the preview, all others the production version.
func TestSkillsFollowTheStages(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	agents := release.Agents{Store: s.store}
	chosen, err := s.store.CreateProject(t.Context(), "chosen", "Chosen", "test")
	if err != nil {
		t.Fatal(err)
	}
	other := uuid.New()
	newID := func() uuid.UUID { return uuid.Must(uuid.NewV7()) }
	freeze := func(version, text string) {
		s.do("words", release.Push(decoded(t, withSkill("words", version, text)), nil))
		s.do("words", release.ToPreview([]uuid.UUID{chosen.ID}, newID))
	}
	freeze("1.0.0", "one")
	s.do("words", release.ToProduction(nil))
	freeze("1.1.0", "two")
	s.do("words", release.Push(decoded(t, withSkill("words", "1.2.0", "three")), nil))

	read := func(who release.Audience) string {
		k, err := agents.Skill(t.Context(), who, "words:tone")
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(k.Stage, " ", k.Version, " ", k.Instructions)
	}
	tests := []struct {
		name string
		who  release.Audience
		want string
	}{
		{"a test key", release.Audience{Project: other, Test: true}, "test 1.2.0 three"},
		{"a chosen project", release.Audience{Project: chosen.ID}, "preview 1.1.0 two"},
		{"another project", release.Audience{Project: other}, "production 1.0.0 one"},
	}
	for _, tt := range tests {
		if got := read(tt.who); got != tt.want {
			t.Errorf("%s reads %q, want %q", tt.name, got, tt.want)
		}
		list, err := agents.Skills(t.Context(), tt.who)
		if err != nil || len(list) != 1 || list[0].Name != "words:tone" {
			t.Errorf("%s lists %v, %v", tt.name, list, err)
		}
	}
	s.do("words", release.Disable())
	for _, tt := range tests {
		if list, err := agents.Skills(t.Context(), tt.who); err != nil || len(list) != 0 {
			t.Errorf("disabled, %s lists %v, %v", tt.name, list, err)
		}
	}
}
