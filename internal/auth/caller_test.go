package auth_test

import (
	"testing"

	"github.com/google/uuid"

	"pawl/internal/auth"
)

func TestWhatACallerMay(t *testing.T) {
	t.Parallel()
	here, there := uuid.New(), uuid.New()
	operator := auth.Person{Email: "o@example.org", Roles: map[uuid.UUID]auth.Role{here: auth.Operator}}
	admin := auth.Person{Email: "a@example.org", Roles: map[uuid.UUID]auth.Role{here: auth.Admin}}
	owner := auth.Person{Email: "w@example.org", Owner: true}
	research := &auth.Key{Kind: auth.ResearchKey}
	bound := &auth.Key{Kind: auth.LiveKey, ProjectID: &here}
	test := &auth.Key{Kind: auth.TestKey}
	tests := []struct {
		name    string
		caller  auth.Caller
		project uuid.UUID // the nil UUID for the installation
		needs   auth.Permission
		want    bool
	}{
		{name: "operator runs here", caller: auth.Caller{Person: operator}, project: here, needs: auth.Run, want: true},
		{name: "operator does not run there", caller: auth.Caller{Person: operator}, project: there, needs: auth.Run, want: false},
		{name: "operator has no say in plugins", caller: auth.Caller{Person: operator}, needs: auth.Develop, want: false},
		{name: "operator sees plugins", caller: auth.Caller{Person: operator}, needs: auth.See, want: true},
		{name: "admin releases plugins", caller: auth.Caller{Person: admin}, needs: auth.Release, want: true},
		{name: "admin makes no projects", caller: auth.Caller{Person: admin}, needs: auth.Own, want: false},
		{name: "owner everywhere", caller: auth.Caller{Person: owner}, project: there, needs: auth.Own, want: true},
		{name: "nobody", caller: auth.Caller{}, needs: auth.See, want: false},
		{name: "nobody is still signed in", caller: auth.Caller{}, needs: auth.SignedIn, want: true},
		{name: "research key reads", caller: auth.Caller{Person: owner, Key: research}, project: here, needs: auth.See, want: true},
		{name: "research key does not run", caller: auth.Caller{Person: owner, Key: research}, project: here, needs: auth.Run, want: false},
		{name: "research key does not release", caller: auth.Caller{Person: owner, Key: research}, needs: auth.Release, want: false},
		{name: "test key edits drafts", caller: auth.Caller{Person: owner, Key: test}, project: here, needs: auth.Edit, want: true},
		{name: "test key starts drafts", caller: auth.Caller{Person: owner, Key: test}, project: here, needs: auth.Test, want: true},
		{name: "test key does not publish", caller: auth.Caller{Person: owner, Key: test}, project: here, needs: auth.Publish, want: false},
		{name: "test key gives no grants", caller: auth.Caller{Person: owner, Key: test}, project: here, needs: auth.Grant, want: false},
		{name: "test key keeps no accounts", caller: auth.Caller{Person: owner, Key: test}, project: here, needs: auth.Account, want: false},
		{name: "test key writes plugin drafts", caller: auth.Caller{Person: owner, Key: test}, needs: auth.Develop, want: true},
		{name: "test key does not release", caller: auth.Caller{Person: owner, Key: test}, needs: auth.Release, want: false},
		{name: "test key has no more than its person", caller: auth.Caller{Person: operator, Key: test}, needs: auth.Develop, want: false},
		{name: "bound key in its project", caller: auth.Caller{Person: owner, Key: bound}, project: here, needs: auth.Grant, want: true},
		{name: "bound key elsewhere", caller: auth.Caller{Person: owner, Key: bound}, project: there, needs: auth.See, want: false},
		{name: "bound key and plugins", caller: auth.Caller{Person: owner, Key: bound}, needs: auth.Develop, want: false},
		{name: "bound key sees plugins", caller: auth.Caller{Person: owner, Key: bound}, needs: auth.See, want: true},
	}
	for _, tt := range tests {
		got := tt.caller.May(tt.needs)
		if tt.project != uuid.Nil {
			got = tt.caller.MayIn(tt.project, tt.needs)
		}
		if got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}

func TestRolesOnlyGrow(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]auth.Role{{auth.Viewer, auth.Builder}, {auth.Builder, auth.Operator}, {auth.Builder, auth.Developer}, {auth.Operator, auth.Admin}, {auth.Developer, auth.Admin}, {auth.Admin, auth.Owner}} {
		for _, p := range pair[0].Permissions() {
			if !pair[1].May(p) {
				t.Errorf("%s may %s, and %s may not", pair[0], p, pair[1])
			}
		}
	}
	if auth.Role("root").Permissions() != nil {
		t.Error("an unknown role may something")
	}
}
