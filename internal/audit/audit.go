// Package audit says who did what to which object. Entries are written in the transaction of the change that
// they tell of (internal/store), never beside it.
package audit

import (
	"time"

	"github.com/google/uuid"
)

// Actor is who makes a change. Name is shown to people, as in "withdrawn by Ana"; ID is the person's or API key's
// id and stays the same when the name changes. System actors have no ID.
type Actor struct{ ID, Name string }

// System is a part of Pawl that acts by itself, for instance when a date has passed.
func System(name string) Actor { return Actor{Name: name} }

// Entry is one change. Project is the nil UUID for a change of the whole installation. Detail is a small,
// JSON-serialisable value without secrets; nil means none.
type Entry struct {
	Verb    string // "plugin.promote"
	Object  string // "plugin:shop"
	Project uuid.UUID
	Detail  any
}

// Record is an entry as it was written.
type Record struct {
	ID      int64
	At      time.Time
	Actor   Actor
	Project uuid.UUID
	Verb    string
	Object  string
	Detail  string // JSON
}
