package release

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/internal/fault"
)

// Move is a decision about one plugin: pure, so that it can be tried for its impact as well as done.
type Move func(State) (Change, error)

// Named is a move of one plugin among several.
type Named struct {
	ID   string
	Move Move
}

// ToProduction copies the preview version to production. The version before is withdrawn as superseded, or kept
// beside the new one until keep, which may be nil. When the preview version is in production already, nothing
// changes.
func ToProduction(keep *time.Time) Move {
	return func(s State) (Change, error) {
		if err := s.mustStand(); err != nil {
			return Change{}, err
		}
		if s.Preview == nil {
			return Change{}, fault.New(fault.Conflict, "no_preview",
				"%s has no preview version to promote. Freeze the draft first: pawl plugin promote %s --to preview", s.ID, s.ID)
		}
		if err := s.checkKeep(keep); err != nil {
			return Change{}, err
		}
		return s.point(s.release(*s.Preview), "plugin.promote", Superseded, keep)
	}
}

func (s *State) checkKeep(keep *time.Time) error {
	if keep == nil || keep.After(s.Now) && !keep.After(s.Now.Add(MaxKeep)) {
		return nil
	}
	return fault.New(fault.InvalidInput, "keep_previous",
		"The previous version can be kept until a date in the future, at most %d days ahead; %s is not.", int(MaxKeep.Hours()/24), keep.UTC().Format(time.RFC3339))
}

// Rollback points production at an earlier frozen version: any up to the highest that has ever been in
// production. What it replaces is withdrawn as rolled back. The version that is in production already stays.
func Rollback(to connections.Version) Move {
	return func(s State) (Change, error) {
		if err := s.mustStand(); err != nil {
			return Change{}, err
		}
		target := s.release(to)
		switch {
		case target == nil:
			return Change{}, fault.New(fault.NotFound, "version", "%s has no frozen version %s. See which there are: pawl plugin show %s", s.ID, to, s.ID)
		case s.Peak == nil:
			return Change{}, fault.New(fault.Conflict, "never_in_production", "%s has never been in production, so there is nothing to roll back to.", s.ID)
		case to.Compare(*s.Peak) > 0:
			return Change{}, fault.New(fault.Conflict, "not_earlier",
				"%s %s is newer than anything that was in production (%s). Promote it instead: pawl plugin promote %s --to production", s.ID, to, *s.Peak, s.ID)
		}
		return s.point(target, "plugin.rollback", RolledBack, nil)
	}
}

// point makes target the production version.
func (s *State) point(target *Frozen, verb string, leaving Reason, keep *time.Time) (Change, error) {
	if s.Production != nil && *s.Production == target.Version {
		return Change{}, nil
	}
	c := Change{Verb: verb, Plugin: s.Plugin, Detail: map[string]any{"to": target.Version.String(), "digest": hexText(target.Digest)}}
	if s.Production != nil {
		c.Detail["from"] = s.Production.String()
	}
	if keep != nil {
		c.Detail["keep_previous_until"] = keep.UTC().Format(time.RFC3339)
	}
	c.Plugin.Production = &target.Version
	if s.Peak == nil || s.Peak.Compare(target.Version) < 0 {
		c.Plugin.Peak = &target.Version
	}
	served := s.publishes(target)
	for _, b := range s.Bindings {
		if !slices.Contains(served, b.Identity) && b.admitted() && s.leave(&b, leaving, keep) {
			c.Bindings = append(c.Bindings, b)
		}
	}
	for _, identity := range served {
		s.publish(&c, target, identity)
	}
	return c, nil
}

// leave changes the binding of a version that is no longer the production one, and says whether it did. An older
// version that was kept until a date still to come stays kept.
func (s *State) leave(b *Binding, leaving Reason, keep *time.Time) bool {
	switch {
	case b.over(s.Now):
		b.State, b.Reason = Withdrawn, KeptUntilPassed
	case b.KeptUntil != nil:
		return false
	case keep != nil:
		b.KeptUntil = keep
		if b.State == Active {
			b.Reason = Superseded
		}
	default:
		b.State, b.Reason = Withdrawn, leaving
	}
	return true
}

// publish makes a binding of the new production version active, or ready to be enabled while its plugin is disabled.
func (s *State) publish(c *Change, target *Frozen, identity connections.ConnectionIdentity) {
	b := Binding{Identity: identity, State: Active, ReleaseID: target.ID, Reason: Promoted}
	if !s.Enabled {
		b.State, b.Reason = Withdrawn, Disabled
	}
	i := slices.IndexFunc(s.Bindings, func(o Binding) bool { return o.Identity == identity })
	c.Admits = c.Admits || counted(identity) && (i < 0 || !s.Bindings[i].admitted())
	c.Bindings = append(c.Bindings, b)
}

// Disable withdraws every routed version of the plugin until Enable. Disabling twice changes nothing.
func Disable() Move {
	return func(s State) (Change, error) {
		if err := s.mustStand(); err != nil {
			return Change{}, err
		}
		if !s.Enabled {
			return Change{}, nil
		}
		c := Change{Verb: "plugin.disable", Plugin: s.Plugin}
		c.Plugin.Enabled = false
		for _, b := range s.Bindings {
			if b.State == Active {
				b.State, b.Reason = Withdrawn, Disabled
				if b.over(s.Now) {
					b.Reason = KeptUntilPassed
				}
				c.Bindings = append(c.Bindings, b)
			}
		}
		return c, nil
	}
}

// Enable restores exactly what Disable withdrew, but for older versions whose date has passed meanwhile and for
// what a rollback or promotion replaced meanwhile. Enabling twice changes nothing.
func Enable() Move {
	return func(s State) (Change, error) {
		if err := s.mustStand(); err != nil {
			return Change{}, err
		}
		if s.Enabled {
			return Change{}, nil
		}
		c := Change{Verb: "plugin.enable", Plugin: s.Plugin}
		c.Plugin.Enabled = true
		for _, b := range s.Bindings {
			if b.Reason == Disabled {
				b.State, b.Reason = Active, Enabled
				if b.over(s.Now) {
					b.State, b.Reason = Withdrawn, KeptUntilPassed
				}
				c.Bindings = append(c.Bindings, b)
			}
		}
		return c, nil
	}
}

// Remove withdraws the plugin from all stages and keeps its frozen versions, its draft, accounts and keys. The
// id can be pushed again; its next version must be higher than every frozen one.
func Remove() Move {
	return func(s State) (Change, error) {
		if !s.Exists {
			return Change{}, NoPlugin(s.ID)
		}
		if s.RemovedAt != nil {
			return Change{}, nil
		}
		c := Change{Verb: "plugin.remove", Plugin: s.Plugin, PreviewProjects: []uuid.UUID{}}
		c.Plugin.Preview, c.Plugin.Production, c.Plugin.RemovedAt = nil, nil, &s.Now
		for _, b := range s.Bindings {
			if b.admitted() {
				b.State, b.Reason, b.KeptUntil = Withdrawn, Removed, nil
				c.Bindings = append(c.Bindings, b)
			}
		}
		return c, nil
	}
}

// Expire writes into the bindings that the date until which they were kept has passed. Routing needs it not:
// it looks at the date itself.
func Expire() Move {
	return func(s State) (Change, error) {
		c := Change{Verb: "plugin.expire", Plugin: s.Plugin}
		for _, b := range s.Bindings {
			if b.State == Active && b.over(s.Now) {
				b.State, b.Reason = Withdrawn, KeptUntilPassed
				c.Bindings = append(c.Bindings, b)
			}
		}
		if len(c.Bindings) == 0 {
			return Change{}, nil
		}
		return c, nil
	}
}

// mustStand refuses what needs a plugin that was pushed and not removed.
func (s *State) mustStand() error {
	if !s.Exists {
		return NoPlugin(s.ID)
	}
	if s.RemovedAt != nil {
		return fault.New(fault.Conflict, "removed",
			"%s was removed at %s. Push a version higher than %s to bring it back.", s.ID, s.RemovedAt.UTC().Format(time.RFC3339), s.highestText())
	}
	return nil
}

func (s *State) highestText() string {
	if h := s.highest(); h != nil {
		return h.Version.String()
	}
	return "0.0.0"
}

// NoPlugin is the not_found fault for an id that was never pushed.
func NoPlugin(id string) *fault.Error {
	return fault.New(fault.NotFound, "plugin", "There is no plugin %q. See which there are: pawl plugin list", id)
}
