package connections

import (
	"fmt"
	"time"

	"pawl/internal/fault"
)

// BindingFacts is what the database says of one binding at one instant.
type BindingFacts struct {
	Active    bool
	Gen       int64
	KeptUntil *time.Time
	ChangedAt time.Time
	ChangedBy string
	Reason    string // of the binding: superseded, rolled_back, disabled, removed, drift, …
	// Current is the routable identity of the same source entry, empty if there is none.
	Current ConnectionIdentity
	// Now is the database's clock at the reading.
	Now time.Time
}

// Routable says whether calls are routed: active, and not past the date until which it was kept.
func (b *BindingFacts) Routable() bool {
	return b != nil && b.Active && (b.KeptUntil == nil || b.KeptUntil.After(b.Now))
}

// Unavailable is nil for a routable binding, else the fault that a step of it ends with. Its sentence says what
// is withdrawn, since when, by whom and why, and the two ways to mend it; Details has the same as members. b is nil
// where the identity was never in production.
func Unavailable(identity ConnectionIdentity, b *BindingFacts) *fault.Error {
	if b.Routable() {
		return nil
	}
	if b == nil {
		return fault.New(fault.Unavailable, "never_published",
			"%s is not available: it was never in production here. An admin can promote it, or edit the step to an identity of the catalog.", identity).
			With("identity", identity)
	}
	since, by, why := b.ended()
	text := fmt.Sprintf("%s is not available since %s: %s. To mend it, %s, or edit the step to %s.",
		identity, since.UTC().Format(time.RFC3339), why, restoring(identity, b), instead(b.Current))
	f := fault.New(fault.Unavailable, b.reason(), "%s", text).
		With("identity", identity).With("since", since.UTC().Format(time.RFC3339Nano)).With("by", by).With("reason", b.reason())
	if b.Current != "" {
		f = f.With("current", b.Current)
	}
	return f
}

// reason is the binding's, but for one whose date has passed before anybody wrote that down.
func (b *BindingFacts) reason() string {
	if b.Active {
		return "kept_until_passed"
	}
	return b.Reason
}

func (b *BindingFacts) ended() (since time.Time, by, why string) {
	if b.Active {
		return *b.KeptUntil, b.ChangedBy, "it was replaced by " + b.ChangedBy + " and kept until then"
	}
	return b.ChangedAt, b.ChangedBy, because(b.Reason, b.ChangedBy)
}

func because(reason, by string) string {
	switch reason {
	case "superseded":
		return by + " promoted a newer version"
	case "rolled_back":
		return by + " rolled back to an earlier version"
	case "disabled":
		return by + " disabled it"
	case "removed":
		return by + " removed it"
	case "kept_until_passed":
		return "the date until which it was kept beside the newer version has passed"
	case "drift":
		return "the remote server no longer offers what was accepted"
	default:
		return by + " withdrew it"
	}
}

// restoring says what an admin does to route the identity again.
func restoring(identity ConnectionIdentity, b *BindingFacts) string {
	id, err := ParseIdentity(string(identity))
	if err != nil {
		return "ask an admin to restore it"
	}
	what := "plugin"
	if id.Source == SourceOpenAPI || id.Source == SourceMCP {
		what = "source"
	}
	switch b.reason() {
	case "disabled":
		return fmt.Sprintf("ask an admin to enable it (pawl %s enable %s)", what, id.ID)
	case "removed":
		return fmt.Sprintf("ask an admin to push %s again and to roll back to %s", id.ID, id.Version)
	case "drift":
		return fmt.Sprintf("ask an admin to look at the change and accept it (pawl source accept %s)", id.ID)
	default:
		return fmt.Sprintf("ask an admin to restore it (pawl %s rollback %s --to %s)", what, id.ID, id.Version)
	}
}

func instead(current ConnectionIdentity) string {
	if current == "" {
		return "an identity of the catalog"
	}
	return "the current one, " + string(current)
}

// MissingGrant is the fault of a step whose project has no standing grant for its action.
func MissingGrant(action ActionIdentity) *fault.Error {
	return fault.New(fault.PermissionRequired, "grant",
		"%s changes something outside and this project has not granted it. Someone who may can run: pawl grant add --action %s", action, action).
		With("action", action)
}

// MissingAgentsGrant is the fault of an agent's call of a plugin's tool that nobody has permitted.
func MissingAgentsGrant(action ActionIdentity, plugin string) *fault.Error {
	return fault.New(fault.PermissionRequired, "agents_grant",
		"%s is a tool of the plugin %s, which this project has not granted to agents. Someone who may can run: pawl grant add --agents plugin:%s", action, plugin, plugin).
		With("action", action).With("plugin", plugin)
}

// MissingHostGrant is the fault of a plugin's fetch to a host that it declares but the project has not granted.
func MissingHostGrant(plugin, host string) *fault.Error {
	return fault.New(fault.PermissionRequired, "host_grant",
		"The plugin %s wants to reach %s and this project has not granted that. Someone who may can run: pawl grant add --plugin %s --host %s", plugin, host, plugin, host).
		With("plugin", plugin).With("host", host)
}

// MissingAccount is the not_found fault, reason missing_account, of a step without an account: none of the name that it
// gives, or, for an empty name, not exactly one for its identity. The checker and a run use it alike. have is how many
// there are, 0 where that isn't known.
func MissingAccount(identity ConnectionIdentity, name string, have int) *fault.Error {
	text := fmt.Sprintf("The step names no account, and this project does not have exactly one for %s. Set one: pawl account set NAME --identity %s, or name one in the step.", identity, identity)
	switch {
	case name != "":
		text = NoAccount(AccountKey{Identity: identity, Name: name}).Message
	case have > 1:
		text = fmt.Sprintf("The step names no account, and this project has %d for %s. Name one of them in the step.", have, identity)
	}
	return fault.New(fault.NotFound, "missing_account", "%s", text).With("identity", identity)
}
