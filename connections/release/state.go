// Package release moves plugins through their stages: an editable draft (test), a frozen preview version and a
// frozen production version (docs/releases.md). What a move means is decided here, by pure functions over the
// state of one plugin; the store runs each decision in one transaction that holds the plugin's row.
package release

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/internal/fault"
)

// BindingState is whether calls are routed. A closed set.
type BindingState string

// The states of a binding. A binding past its KeptUntil is not routed although it is active.
const (
	Active    BindingState = "active"
	Withdrawn BindingState = "withdrawn"
)

// Reason is why a binding has its state. A closed set.
type Reason string

// The reasons of plugin bindings; imports have Drift and Accepted besides.
const (
	Promoted        Reason = "promoted"
	Superseded      Reason = "superseded" // with Active: kept beside the newer version until KeptUntil
	RolledBack      Reason = "rolled_back"
	Disabled        Reason = "disabled" // enabling the plugin restores exactly these
	Enabled         Reason = "enabled"
	Removed         Reason = "removed"
	KeptUntilPassed Reason = "kept_until_passed"
	Drift           Reason = "drift"
	Accepted        Reason = "accepted"
)

// Installation is the scope of bindings that hold for every project.
var Installation = uuid.Nil //nolint:gochecknoglobals // an array can't be a constant

// Binding is the routing fact of one connection identity.
type Binding struct {
	Identity  connections.ConnectionIdentity
	State     BindingState
	Gen       int64 // grows with every change
	ReleaseID uuid.UUID
	KeptUntil *time.Time
	ChangedAt time.Time
	ChangedBy string
	Reason    Reason
}

// admitted says whether the binding counts towards MaxProductionApps and is served when its plugin is enabled.
func (b *Binding) admitted() bool { return b.State == Active || b.Reason == Disabled }

// counted says whether an identity is of those that MaxProductionApps counts: apps, not tools.
func counted(identity connections.ConnectionIdentity) bool {
	return strings.HasPrefix(string(identity), string(connections.SourceDeveloper)+".")
}

// over says whether the date until which an older version was kept has passed.
func (b *Binding) over(now time.Time) bool { return b.KeptUntil != nil && !b.KeptUntil.After(now) }

// Routable says whether calls are routed at the instant now.
func (b *Binding) Routable(now time.Time) bool { return b.State == Active && !b.over(now) }

// Frozen is one immutable version of a plugin, without its bytes.
type Frozen struct {
	ID       uuid.UUID
	Version  connections.Version
	Digest   []byte // SHA-256 over the canonical form of {document, settings}
	App      bool   // publishes developer.<id>.vX-Y-Z when in production
	Tools    bool   // publishes plugin.<id>.vX-Y-Z when in production
	FrozenAt time.Time
	FrozenBy string
}

// Draft is the editable version of a plugin: canonical bytes, and a revision that grows with every change.
type Draft struct {
	Document []byte
	Settings []byte // pawl-release@1, nil if there are none
	Digest   []byte
	Rev      int64
}

// Plugin is the row of one plugin.
type Plugin struct {
	ID         string
	Draft      Draft
	Preview    *connections.Version
	Production *connections.Version
	// Peak is the highest version that has ever been in production.
	Peak      *connections.Version
	Enabled   bool
	CreatedAt time.Time
	UpdatedAt time.Time
	UpdatedBy string
	RemovedAt *time.Time
}

// State is all that a decision about one plugin may depend on, read under the lock of its row.
type State struct {
	Plugin
	// Exists is false where the id was never pushed.
	Exists          bool
	PreviewProjects []uuid.UUID
	Releases        []Frozen // ascending by version
	Bindings        []Binding
	Now             time.Time // the database's clock
}

func (s *State) release(v connections.Version) *Frozen {
	for i := range s.Releases {
		if s.Releases[i].Version == v {
			return &s.Releases[i]
		}
	}
	return nil
}

func (s *State) highest() *Frozen {
	if len(s.Releases) == 0 {
		return nil
	}
	return &s.Releases[len(s.Releases)-1]
}

// publishes gives the connection identities that a version has in production: that of its app, and that of its tools.
func (s *State) publishes(f *Frozen) []connections.ConnectionIdentity {
	var list []connections.ConnectionIdentity
	if f.App {
		list = append(list, connections.Identity{Source: connections.SourceDeveloper, ID: s.ID, Version: f.Version}.Connection())
	}
	if f.Tools {
		list = append(list, connections.Identity{Source: connections.SourcePlugin, ID: s.ID, Version: f.Version}.Connection())
	}
	return list
}

// Freeze is a version to be frozen.
type Freeze struct {
	Frozen
	Document []byte
	Settings []byte
}

// Change is what a decision asks the store to do, in one transaction. The zero Change does nothing.
type Change struct {
	// Verb names the change in the audit log; empty for no change.
	Verb   string
	Detail map[string]any
	// Plugin is the row as it shall be; its times and UpdatedBy are the store's to set.
	Plugin Plugin
	// PreviewProjects replaces the projects of the preview stage unless nil.
	PreviewProjects []uuid.UUID
	Freeze          *Freeze
	// Bindings are the bindings that change, as they shall be; Gen, ChangedAt and ChangedBy are the store's.
	Bindings []Binding
	// Admits says that the binding of an app is among them that was not admitted before, so the store checks the limit.
	Admits bool
	// Warnings are what has to be mended before a later move.
	Warnings fault.List
}

// Routing gives the identities whose routing the change begins and ends, each in ascending order.
func (c *Change) Routing(was []Binding) (published, withdrawn []connections.ConnectionIdentity) {
	for _, b := range c.Bindings {
		routed := slices.ContainsFunc(was, func(o Binding) bool { return o.Identity == b.Identity && o.State == Active })
		switch {
		case b.State == Active && !routed:
			published = append(published, b.Identity)
		case b.State == Withdrawn && routed:
			withdrawn = append(withdrawn, b.Identity)
		}
	}
	slices.Sort(published)
	slices.Sort(withdrawn)
	return published, withdrawn
}

// OnWire is an attempt whose request may still be on its way.
type OnWire struct {
	RunID      uuid.UUID
	Path       string
	N          int
	Action     connections.ActionIdentity
	ClaimedAt  time.Time
	LeaseUntil *time.Time
}

// Done is what a move did. A refused move gives an error and changes nothing.
type Done struct {
	// Changed is false where everything was so already.
	Changed   bool
	Plugin    Plugin
	Published []connections.ConnectionIdentity
	Withdrawn []connections.ConnectionIdentity
	// Warnings are what has to be mended before the draft can be frozen.
	Warnings fault.List
	// OnTheWire lists the attempts of withdrawn identities that were claimed before and not answered yet. A
	// request among them may start at most two seconds later; no new one is claimed.
	OnTheWire []OnWire
}
