package auth

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"pawl/internal/fault"
)

// KeyKind is what an API key is for. A closed set.
type KeyKind string

// The kinds of API keys.
const (
	TestKey     KeyKind = "test"     // works in the stage test alone: drafts and their runs
	LiveKey     KeyKind = "live"     // does what its person may do; a start without a word about it is one of the live version
	ResearchKey KeyKind = "research" // reads only, and only functions with reading effects
)

// Person is somebody who can sign in.
type Person struct {
	ID           uuid.UUID
	Email        string
	Name         string
	PasswordHash string // empty: no password set
	Owner        bool   // owner of the installation: every role in every project
	Disabled     bool
	Roles        map[uuid.UUID]Role // by project
}

// Key is an API key without its text.
type Key struct {
	ID         uuid.UUID
	PersonID   uuid.UUID
	ProjectID  *uuid.UUID // set: the key works in this project only
	Kind       KeyKind
	Name       string
	Prefix     string
	CreatedAt  time.Time
	LastUsedAt *time.Time
	ExpiresAt  *time.Time
	RevokedAt  *time.Time
}

// Caller is who makes a request, and by what: a session (Key is nil) or an API key.
type Caller struct {
	Person Person
	Key    *Key
}

// Actor is the text that goes into audit rows and "by" fields: the person's e-mail address, and the key's
// prefix where a key was used.
func (c *Caller) Actor() string {
	if c.Key != nil {
		return c.Person.Email + " (" + c.Key.Prefix + ")"
	}
	return c.Person.Email
}

// roleIn is the caller's role in a project; empty where there is none.
func (c *Caller) roleIn(project uuid.UUID) Role {
	if c.Key != nil && c.Key.ProjectID != nil && *c.Key.ProjectID != project {
		return ""
	}
	if c.Person.Owner {
		return Owner
	}
	return c.Person.Roles[project]
}

// InProject says whether the caller can know that the project exists.
func (c *Caller) InProject(project uuid.UUID) bool { return c.roleIn(project) != "" }

// MayIn says whether the caller has a permission in a project.
func (c *Caller) MayIn(project uuid.UUID, p Permission) bool {
	return c.kindAllows(p) && (p == SignedIn || c.roleIn(project).May(p))
}

// May says whether the caller has a permission for what belongs to the whole installation, such as plugins:
// any of the caller's roles will do, but a key that is bound to one project only reads there.
func (c *Caller) May(p Permission) bool {
	switch {
	case !c.kindAllows(p):
		return false
	case p == SignedIn:
		return true
	case c.Key != nil && c.Key.ProjectID != nil:
		return p == See && c.InProject(*c.Key.ProjectID)
	case c.Person.Owner:
		return Owner.May(p)
	}
	for _, r := range c.Person.Roles {
		if r.May(p) {
			return true
		}
	}
	return false
}

// kindAllows keeps research keys to reading, and test keys to what the stage test needs: Run and Settle are about runs of
// drafts then, Develop about the drafts of plugins.
func (c *Caller) kindAllows(p Permission) bool {
	if c.Key == nil || c.Key.Kind == LiveKey {
		return true
	}
	allowed := []Permission{SignedIn, See}
	if c.Key.Kind == TestKey {
		allowed = append(allowed, Edit, Test, Run, Settle, Develop)
	}
	return slices.Contains(allowed, p)
}

// TestOnly says whether the caller is kept to the stage test.
func (c *Caller) TestOnly() bool { return c.Key != nil && c.Key.Kind == TestKey }

// Unrestricted says whether the caller has all that the person has: a session, or a live key that is not bound to a
// project. Only such a caller changes how the person signs in.
func (c *Caller) Unrestricted() bool {
	return c.Key == nil || (c.Key.Kind == LiveKey && c.Key.ProjectID == nil)
}

// Need is the forbidden fault of a caller that lacks a permission: by the kind of its key, or else by its role.
func (c *Caller) Need(p Permission) error {
	switch {
	case c.kindAllows(p):
		return Need(p)
	case c.TestOnly():
		return NotForTestKeys()
	}
	return fault.New(fault.Forbidden, "key_kind", "A %s key only reads, and this needs the permission %q. Use a live key, or sign in.", c.Key.Kind, p).
		With("permission", string(p))
}

// NotForTestKeys is the forbidden fault of a test key that asks for something outside of the stage test.
func NotForTestKeys() *fault.Error {
	return fault.New(fault.Forbidden, "test_key", "A test key works with drafts and with runs of drafts alone. Use a live key for this, or sign in.")
}

// Need is the forbidden fault that names a permission which the caller's role does not give.
func Need(p Permission) error {
	return fault.New(fault.Forbidden, "permission", "You may not do this: it needs the permission %q. Ask an owner of the project for a role that has it.", p).
		With("permission", string(p))
}

type callerKey struct{}

// WithCaller returns a context that knows the caller.
func WithCaller(ctx context.Context, c *Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf is the caller of a request, nil for a request without credentials.
func CallerOf(ctx context.Context) *Caller {
	c, _ := ctx.Value(callerKey{}).(*Caller)
	return c
}
