// Package auth says who calls and what they may do: API keys, passwords, one-time sign-in links, sessions, and
// the one table that gives each role its permissions. It knows nothing of HTTP routes: internal/api asks.
package auth

import "slices"

// Permission is what a route asks for. A closed set; every route of the API names exactly one.
type Permission string

// The permissions. Public and SignedIn are not given by roles: anybody has the first, every caller the second.
const (
	Public   Permission = "public"    // no credentials needed; the routes are an exact list
	SignedIn Permission = "signed_in" // any caller, for what concerns only the caller
	See      Permission = "see"       // read automations, runs, plugins, accounts without secrets
	Edit     Permission = "edit"      // drafts of automations
	Test     Permission = "test"      // runs of drafts
	Publish  Permission = "publish"   // versions of automations
	Run      Permission = "run"       // start, cancel and replay runs of versions
	Settle   Permission = "settle"    // decide unknown outcomes
	Approve  Permission = "approve"   // allow or deny what waits for a person
	Develop  Permission = "develop"   // plugins up to preview
	Release  Permission = "release"   // production, rollback, disable, enable, remove
	Account  Permission = "account"   // accounts and their keys
	Grant    Permission = "grant"     // standing grants
	Audit    Permission = "audit"     // the audit log
	Own      Permission = "own"       // projects
)

// Role is what a person is in a project, as the table member holds it.
type Role string

// The roles.
const (
	Viewer    Role = "viewer"
	Builder   Role = "builder"
	Operator  Role = "operator"
	Developer Role = "developer"
	Admin     Role = "admin"
	Owner     Role = "owner"
)

// Permissions lists what a role may do; nil for an unknown role.
func (r Role) Permissions() []Permission {
	switch r {
	case Viewer:
		return []Permission{See}
	case Builder:
		return []Permission{See, Edit, Test}
	case Operator:
		return []Permission{See, Edit, Test, Publish, Run, Settle, Approve}
	case Developer:
		return []Permission{See, Edit, Test, Develop}
	case Admin:
		return []Permission{See, Edit, Test, Publish, Run, Settle, Approve, Develop, Release, Account, Grant, Audit}
	case Owner:
		return []Permission{See, Edit, Test, Publish, Run, Settle, Approve, Develop, Release, Account, Grant, Audit, Own}
	default:
		return nil
	}
}

// May says whether the role has the permission.
func (r Role) May(p Permission) bool { return slices.Contains(r.Permissions(), p) }
