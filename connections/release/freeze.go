package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/connections/genisys"
	"pawl/internal/fault"
)

func hexText(digest []byte) string { return hex.EncodeToString(digest) }

// Digest is the SHA-256 over the canonical form of {document, settings}; settings nil leaves the member out. Both
// are canonical already, and the two members stand in their canonical order.
func Digest(document, settings []byte) []byte {
	h := sha256.New()
	h.Write([]byte(`{"document":`))
	h.Write(document)
	if settings != nil {
		h.Write([]byte(`,"settings":`))
		h.Write(settings)
	}
	h.Write([]byte(`}`))
	return h.Sum(nil)
}

// Push makes a plugin file the draft; the draft's settings stay, and what of them no longer fits the file is given
// as warnings, for it has to be mended before the draft can be frozen. The same content again changes nothing.
// expect is the draft revision that the caller saw; nil takes whichever there is, 0 means that there is none yet. A
// removed plugin comes back as a draft, in no other stage.
func Push(p *genisys.Plugin, expect *int64) Move {
	return func(s State) (Change, error) {
		settings, err := DecodeSettings(s.Draft.Settings)
		if err != nil {
			return Change{}, err
		}
		c, err := s.draft("plugin.push", p.Canonical(), s.Draft.Settings, p.Manifest.Version, expect)
		c.Warnings = settings.Check(&p.Manifest)
		return c, err
	}
}

// PutSettings gives the draft the settings of a pawl-release@1 file, which must fit the draft; an empty file takes
// them away. expect is as for Push.
func PutSettings(file []byte, expect *int64) Move {
	return func(s State) (Change, error) {
		if err := s.mustStand(); err != nil {
			return Change{}, err
		}
		p, problems := genisys.Thaw(s.Draft.Document)
		if err := problems.Err(); err != nil {
			return Change{}, err
		}
		var settings *Settings
		if len(file) > 0 {
			if settings, problems = ReadSettings(file, &p.Manifest); len(problems) > 0 {
				return Change{}, problems
			}
		}
		return s.draft("plugin.settings", s.Draft.Document, settings.Canonical(), p.Manifest.Version, expect)
	}
}

func (s *State) draft(verb string, document, settings []byte, v connections.Version, expect *int64) (Change, error) {
	if expect != nil && *expect != s.Draft.Rev {
		return Change{}, staleDraft(s)
	}
	digest := Digest(document, settings)
	if s.Exists && s.RemovedAt == nil && bytes.Equal(s.Draft.Digest, digest) {
		return Change{}, nil
	}
	c := Change{Verb: verb, Plugin: s.Plugin, Detail: map[string]any{"version": v.String(), "digest": hexText(digest)}}
	c.Plugin.Draft = Draft{document, settings, digest, s.Draft.Rev + 1}
	c.Plugin.RemovedAt = nil
	c.Plugin.Enabled = s.Enabled || !s.Exists
	return c, nil
}

func staleDraft(s *State) error {
	return fault.New(fault.Conflict, "stale_draft",
		"The draft of %s has changed since you read it: it is at revision %d. Read it again, then push.", s.ID, s.Draft.Rev).With("rev", s.Draft.Rev)
}

// ToPreview freezes the draft and serves it in the chosen projects; projects nil leaves the choice as it is. The
// draft must be new and higher than every frozen version. When exactly this draft is the preview version already,
// only the projects change. newID makes the id of the frozen release.
func ToPreview(projects []uuid.UUID, newID func() uuid.UUID) Move {
	return func(s State) (Change, error) {
		if err := s.mustStand(); err != nil {
			return Change{}, err
		}
		if len(projects) > maxPreviewProjects {
			return Change{}, fault.New(fault.Limit, "preview_projects", "At most %d projects can be chosen for a preview.", maxPreviewProjects)
		}
		p, problems := genisys.Decode(s.Draft.Document) // by today's rules, which may be stricter than when it was pushed
		if err := problems.Err(); err != nil {
			return Change{}, err
		}
		if s.isPreview(p.Manifest.Version) {
			return s.rechoose(projects), nil
		}
		if err := s.mustBeNew(p.Manifest.Version); err != nil {
			return Change{}, err
		}
		if err := s.mustFit(p); err != nil {
			return Change{}, err
		}
		return s.freeze(p, projects, newID()), nil
	}
}

// isPreview says whether the draft, of version v, is exactly what the preview stage serves.
func (s *State) isPreview(v connections.Version) bool {
	if s.Preview == nil || *s.Preview != v {
		return false
	}
	f := s.release(v)
	return f != nil && bytes.Equal(f.Digest, s.Draft.Digest)
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

func (s *State) mustBeNew(v connections.Version) error {
	if old := s.release(v); old != nil {
		what := "with other content"
		if bytes.Equal(old.Digest, s.Draft.Digest) {
			what = "with exactly this content"
		}
		return fault.New(fault.Conflict, "version_frozen",
			"%s %s is frozen already, %s, and a frozen version never changes. Give the draft a version higher than %s and push it again.",
			s.ID, v, what, s.highestText()).At("/manifest/version")
	}
	if h := s.highest(); h != nil && v.Compare(h.Version) < 0 {
		return fault.New(fault.Conflict, "version_not_higher",
			"The draft of %s has version %s, but %s is frozen already. Give it a version higher than that and push it again.",
			s.ID, v, h.Version).At("/manifest/version")
	}
	return nil
}

// mustFit refuses settings that name what the plugin file no longer has.
func (s *State) mustFit(p *genisys.Plugin) error {
	settings, err := DecodeSettings(s.Draft.Settings)
	if err != nil {
		return err
	}
	return settings.Check(&p.Manifest).Err()
}

func (s *State) freeze(p *genisys.Plugin, projects []uuid.UUID, id uuid.UUID) Change {
	v := p.Manifest.Version
	c := Change{
		Verb: "plugin.preview", Plugin: s.Plugin, PreviewProjects: projects,
		Detail: map[string]any{"version": v.String(), "digest": hexText(s.Draft.Digest)},
	}
	if projects != nil {
		c.Detail["projects"] = projects
	}
	c.Plugin.Preview = &v
	c.Freeze = &Freeze{
		Frozen:   Frozen{ID: id, Version: v, Digest: s.Draft.Digest, App: p.Manifest.App != nil, Tools: len(p.Manifest.Tools) > 0},
		Document: s.Draft.Document,
		Settings: s.Draft.Settings,
	}
	return c
}
