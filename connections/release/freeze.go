package release

import (
	"bytes"
	"encoding/hex"
	"slices"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/internal/fault"
)

func hexText(digest []byte) string { return hex.EncodeToString(digest) }

// Content is what a valid plugin file says of itself, as far as the stages need to know.
type Content struct {
	ID      string
	Version connections.Version
	App     bool
	// Digest is the SHA-256 over the canonical form of {document, settings}.
	Digest []byte
}

// Push makes content, with its canonical bytes, the draft. The same bytes again change nothing. expect is the
// draft revision that the caller saw; nil takes whichever there is, 0 means that there is none yet. A removed
// plugin comes back as a draft, in no other stage.
func Push(content Content, document, settings []byte, expect *int64) Move {
	return func(s State) (Change, error) {
		if expect != nil && *expect != s.Draft.Rev {
			return Change{}, staleDraft(&s)
		}
		if s.Exists && s.RemovedAt == nil && bytes.Equal(s.Draft.Digest, content.Digest) {
			return Change{}, nil
		}
		c := Change{Verb: "plugin.push", Plugin: s.Plugin,
			Detail: map[string]any{"version": content.Version.String(), "digest": hexText(content.Digest)}}
		c.Plugin.Draft = Draft{document, settings, content.Digest, s.Draft.Rev + 1}
		c.Plugin.RemovedAt = nil
		if !s.Exists {
			c.Plugin.Enabled = true
		}
		return c, nil
	}
}

func staleDraft(s *State) error {
	return fault.New(fault.Conflict, "stale_draft",
		"The draft of %s has changed since you read it: it is at revision %d. Read it again, then push.", s.ID, s.Draft.Rev).With("rev", s.Draft.Rev)
}

// ToPreview freezes the draft and serves it in the chosen projects; projects nil leaves the choice as it is. The
// draft must be new and higher than every frozen version. When exactly this draft is the preview version already,
// only the projects change. newID makes the id of the frozen release.
func ToPreview(content Content, projects []uuid.UUID, newID func() uuid.UUID) Move {
	return func(s State) (Change, error) {
		if err := s.mustStand(); err != nil {
			return Change{}, err
		}
		if !bytes.Equal(s.Draft.Digest, content.Digest) { // pushed again between our read and our lock
			return Change{}, staleDraft(&s)
		}
		if len(projects) > maxPreviewProjects {
			return Change{}, fault.New(fault.Limit, "preview_projects", "At most %d projects can be chosen for a preview.", maxPreviewProjects)
		}
		if old := s.release(content.Version); old != nil && s.Preview != nil && *s.Preview == old.Version && bytes.Equal(old.Digest, content.Digest) {
			return s.rechoose(projects), nil
		}
		if err := s.mustBeNew(content); err != nil {
			return Change{}, err
		}
		return s.freeze(content, projects, newID()), nil
	}
}

// rechoose changes the preview projects alone.
func (s *State) rechoose(projects []uuid.UUID) Change {
	if projects == nil || sameProjects(projects, s.PreviewProjects) {
		return Change{}
	}
	return Change{Verb: "plugin.preview_projects", Plugin: s.Plugin, PreviewProjects: projects, Detail: map[string]any{"projects": projects}}
}

func sameProjects(a, b []uuid.UUID) bool {
	sorted := func(ids []uuid.UUID) []uuid.UUID {
		ids = slices.Clone(ids)
		slices.SortFunc(ids, func(x, y uuid.UUID) int { return bytes.Compare(x[:], y[:]) })
		return slices.Compact(ids)
	}
	return slices.Equal(sorted(a), sorted(b))
}

func (s *State) mustBeNew(content Content) error {
	if old := s.release(content.Version); old != nil {
		what := "with other content"
		if bytes.Equal(old.Digest, content.Digest) {
			what = "with exactly this content"
		}
		return fault.New(fault.Conflict, "version_frozen",
			"%s %s is frozen already, %s, and a frozen version never changes. Give the draft a version higher than %s and push it again.",
			s.ID, content.Version, what, s.highestText()).At("/manifest/version")
	}
	if h := s.highest(); h != nil && content.Version.Compare(h.Version) < 0 {
		return fault.New(fault.Conflict, "version_not_higher",
			"The draft of %s has version %s, but %s is frozen already. Give it a version higher than that and push it again.",
			s.ID, content.Version, h.Version).At("/manifest/version")
	}
	return nil
}

func (s *State) freeze(content Content, projects []uuid.UUID, id uuid.UUID) Change {
	c := Change{Verb: "plugin.preview", Plugin: s.Plugin, PreviewProjects: projects,
		Detail: map[string]any{"version": content.Version.String(), "digest": hexText(content.Digest)}}
	if projects != nil {
		c.Detail["projects"] = projects
	}
	c.Plugin.Preview = &content.Version
	c.Freeze = &Freeze{
		Frozen:   Frozen{ID: id, Version: content.Version, Digest: content.Digest, App: content.App},
		Document: s.Draft.Document,
		Settings: s.Draft.Settings,
	}
	return c
}
