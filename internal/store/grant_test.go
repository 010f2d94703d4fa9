package store_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"pawl/connections"
	"pawl/connections/release"
	"pawl/internal/fault"
)

func TestGrants(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	g := connections.Grants{Store: s.store, Declarations: release.Declared{Store: s.store}}
	p, other := s.project("p1"), s.project("p2")
	target := connections.GrantTarget{Kind: connections.GrantAction, Action: "developer.shop.v1-0-0.list_items"}

	first, err := g.Add(t.Context(), p, target, "ana")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := g.Add(t.Context(), p, target, "bob"); err != nil || again != first {
		t.Errorf("adding twice gives %+v, %v, want %+v", again, err, first)
	}
	if list, err := g.List(t.Context(), other, uuid.Nil, 10); err != nil || len(list) != 0 {
		t.Errorf("another project has %v, %v", list, err)
	}
	if _, err := g.Remove(t.Context(), other, target, "ana"); !fault.Is(err, fault.NotFound) {
		t.Errorf("removing another project's grant gives %v", err)
	}
	if _, err := g.Remove(t.Context(), p, target, "ana"); err != nil {
		t.Error(err)
	}
	if list, err := g.List(t.Context(), p, uuid.Nil, 10); err != nil || len(list) != 0 {
		t.Errorf("after removal %v, %v", list, err)
	}
	if second, err := g.Add(t.Context(), p, target, "ana"); err != nil || second.ID == first.ID {
		t.Errorf("a grant made anew has the id of the revoked one (%v)", err)
	}
	var verbs []string
	if err := s.pool.QueryRow(t.Context(), `select array_agg(verb order by id) from audit where object like 'grant:%'`).Scan(&verbs); err != nil {
		t.Fatal(err)
	}
	if want := []string{"grant.add", "grant.remove", "grant.add"}; !slices.Equal(verbs, want) {
		t.Errorf("audit %v, want %v", verbs, want)
	}
}

func TestGrantIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.release("shop", "1.0.0")
	s.push("desk", "1.0.0")
	g := connections.Grants{Store: s.store, Declarations: release.Declared{Store: s.store}}
	p := s.project("p1")
	tests := []struct {
		name   string
		target connections.GrantTarget
		want   fault.Kind // empty: accepted
	}{
		{"an action that there is not", connections.GrantTarget{Kind: "action", Action: "developer.shop.v1-0-0.none"}, fault.NotFound},
		{"an action of a draft", connections.GrantTarget{Kind: "action", Action: "developer.desk.v1-0-0.list_items"}, fault.NotFound},
		{"a connection", connections.GrantTarget{Kind: "action", Action: "developer.shop.v1-0-0"}, fault.InvalidInput},
		{"an action with a host", connections.GrantTarget{Kind: "action", Action: "developer.shop.v1-0-0.list_items", Host: "a.example"}, fault.InvalidInput},
		{"an undeclared host", connections.GrantTarget{Kind: "host", Plugin: "shop", Host: "evil.example"}, fault.NotFound},
		{"a host of no plugin", connections.GrantTarget{Kind: "host", Host: "api.example.com"}, fault.InvalidInput},
		{"agents of no plugin", connections.GrantTarget{Kind: "agents", Plugin: "none"}, fault.NotFound},
		{"agents of a plugin", connections.GrantTarget{Kind: "agents", Plugin: "shop"}, ""},
		{"no kind", connections.GrantTarget{}, fault.InvalidInput},
	}
	for _, tt := range tests {
		_, err := g.Add(t.Context(), p, tt.target, "ana")
		if tt.want == "" && err != nil || tt.want != "" && !fault.Is(err, tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestGrantsAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.project("p1")
	target := connections.GrantTarget{Kind: connections.GrantAgents, Plugin: "shop"}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			ctx := context.WithoutCancel(t.Context())
			var err error
			if i%2 == 0 {
				_, err = s.store.AddGrant(ctx, p, target, "ana")
			} else if _, err = s.store.RevokeGrant(ctx, p, target, "bob"); fault.Is(err, fault.NotFound) {
				err = nil
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var rows, standing int
	err := s.pool.QueryRow(t.Context(), `select (select count(*) from audit where verb = 'grant.add') - (select count(*) from standing_grant),
		(select count(*) from standing_grant where revoked_at is null)`).Scan(&rows, &standing)
	if err != nil || rows != 0 || standing > 1 {
		t.Errorf("audit rows less grants: %d, standing: %d, %v", rows, standing, err)
	}
}
