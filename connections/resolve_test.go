package connections_test

import (
	"strings"
	"testing"
	"time"

	"pawl/connections"
	"pawl/internal/fault"
)

func at(hour int) time.Time { return time.Date(2026, 11, 30, hour, 0, 0, 0, time.UTC) }

func TestUnavailable(t *testing.T) {
	t.Parallel()
	before, noon, after := at(11), at(12), at(13)
	tests := []struct {
		name  string
		facts *connections.BindingFacts
		want  []string // parts of the sentence; none for a routable binding
	}{
		{"active", &connections.BindingFacts{Active: true, Now: noon}, nil},
		{"kept still", &connections.BindingFacts{Active: true, KeptUntil: &after, Now: noon}, nil},
		{"never published", nil, []string{"developer.shop.v1-0-0", "never in production", "promote", "edit the step"}},
		{
			"kept until now", &connections.BindingFacts{Active: true, KeptUntil: &noon, ChangedBy: "ana", Now: noon},
			[]string{"since 2026-11-30T12:00:00Z", "ana", "kept until then", "pawl plugin rollback shop --to 1.0.0"},
		},
		{
			"superseded", &connections.BindingFacts{ChangedAt: before, ChangedBy: "ana", Reason: "superseded", Current: "developer.shop.v1-1-0", Now: noon},
			[]string{"since 2026-11-30T11:00:00Z", "ana promoted a newer version", "pawl plugin rollback shop --to 1.0.0", "edit the step to the current one, developer.shop.v1-1-0"},
		},
		{"rolled back", &connections.BindingFacts{ChangedAt: before, ChangedBy: "ana", Reason: "rolled_back", Now: noon}, []string{"ana rolled back"}},
		{
			"disabled", &connections.BindingFacts{ChangedAt: before, ChangedBy: "ana", Reason: "disabled", Now: noon},
			[]string{"ana disabled it", "pawl plugin enable shop", "an identity of the catalog"},
		},
		{"removed", &connections.BindingFacts{ChangedAt: before, ChangedBy: "ana", Reason: "removed", Now: noon}, []string{"ana removed it", "push shop again"}},
		{"date written down", &connections.BindingFacts{ChangedAt: before, ChangedBy: "pawl", Reason: "kept_until_passed", Now: noon}, []string{"date until which it was kept"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := connections.Unavailable("developer.shop.v1-0-0", tt.facts)
			if (got == nil) != (tt.want == nil) {
				t.Fatalf("got %v", got)
			}
			if got == nil {
				return
			}
			if got.Kind != fault.Unavailable || got.Reason == "" || got.Retryable() {
				t.Errorf("kind %s, reason %q", got.Kind, got.Reason)
			}
			for _, part := range tt.want {
				if !strings.Contains(got.Message, part) {
					t.Errorf("%q lacks %q", got.Message, part)
				}
			}
		})
	}
}

func TestUnavailableDetails(t *testing.T) {
	t.Parallel()
	f := connections.Unavailable("developer.shop.v1-0-0", &connections.BindingFacts{ChangedAt: at(12), ChangedBy: "ana", Reason: "superseded", Current: "developer.shop.v1-1-0", Now: at(13)})
	want := `{"kind":"unavailable","reason":"superseded","message":"developer.shop.v1-0-0 is not available since 2026-11-30T12:00:00Z: ana promoted a newer version. To mend it, ask an admin to restore it (pawl plugin rollback shop --to 1.0.0), or edit the step to the current one, developer.shop.v1-1-0.","details":{"by":"ana","current":"developer.shop.v1-1-0","identity":"developer.shop.v1-0-0","reason":"superseded","since":"2026-11-30T12:00:00Z"}}`
	if got := string(f.JSON()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		got  *fault.Error
		kind fault.Kind
		want string
	}{
		{"grant", connections.MissingGrant("developer.shop.v1-0-0.create_order"), fault.PermissionRequired, "pawl grant add --action developer.shop.v1-0-0.create_order"},
		{"host", connections.MissingHostGrant("shop", "api.example.com"), fault.PermissionRequired, "pawl grant add --plugin shop --host api.example.com"},
		{"account of a name", connections.MissingAccount("developer.shop.v1-0-0", "main", 3), fault.NotFound, `pawl account set "main" --identity developer.shop.v1-0-0`},
		{"no account", connections.MissingAccount("developer.shop.v1-0-0", "", 0), fault.NotFound, "pawl account set NAME --identity developer.shop.v1-0-0"},
		{"several accounts", connections.MissingAccount("developer.shop.v1-0-0", "", 2), fault.NotFound, "has 2 for developer.shop.v1-0-0"},
	}
	for _, tt := range tests {
		if tt.got.Kind != tt.kind || !strings.Contains(tt.got.Message, tt.want) {
			t.Errorf("%s: %v, want %s with %q", tt.name, tt.got, tt.kind, tt.want)
		}
	}
}
