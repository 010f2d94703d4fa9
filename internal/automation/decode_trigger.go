package automation

import (
	"strconv"
	"strings"
	"time"

	"pawl/internal/canon"
)

func (r *reader) triggers(p canon.Place) {
	seen := map[string]string{}
	for _, t := range list(p, 0, MaxTriggers) {
		if !t.Is(canon.Object) {
			continue
		}
		if id, ok := t.Need("id").Text(); ok {
			triggerID(t.Member("id"), id, seen)
		}
		kind, ok := t.Need("type").Choice("manual", "schedule", "webhook", "event", "poll")
		if ok {
			trigger(t, kind)
		}
	}
}

func triggerID(p canon.Place, id string, seen map[string]string) {
	switch first, twice := seen[id]; {
	case !stepID.MatchString(id):
		p.Refuse("id", "%q can't be the id of a trigger: write a small letter, then small letters, digits and _, at most 40 in all.", clip(id))
	case twice:
		p.Refuse("duplicate_id", "The id %q is taken: another trigger has it at %s.", id, first)
	default:
		seen[id] = p.Pointer()
	}
}

func trigger(p canon.Place, kind string) {
	switch kind {
	case "manual":
		p.Object("id", "type")
	case "schedule":
		schedule(p)
	case "webhook":
		p.Object("id", "type", "input", "respond")
		choice(p.Member("respond"), "on_accept", "output")
	case "event":
		p.Object("id", "type", "input", "automation", "on")
		named(p.Need("automation"))
		choice(p.Need("on"), "succeeded", "failed", "ended")
	case "poll":
		p.Object("id", "type", "input", "action", "account", "every", "items", "key")
		identity(p.Need("action"))
		account(p.Member("account"))
		positive(p.Need("every"))
		text(p.Need("items"))
		text(p.Need("key"))
	}
}

func schedule(p canon.Place) {
	p.Object("id", "type", "input", "cron", "every", "timezone", "dst", "on_overlap", "on_misfire")
	if p.Member("cron").Present() == p.Member("every").Present() {
		p.Refuse("schedule", "A schedule has either cron or every.")
	}
	if cron := p.Member("cron"); cron.Present() {
		if s, ok := cron.Text(); ok && len(strings.Fields(s)) != 5 && !strings.HasPrefix(s, "@") {
			cron.Refuse("cron", "%q has no five fields: write minute, hour, day of month, month and day of week, or a word such as @daily.", clip(s))
		}
	}
	positive(p.Member("every"))
	text(p.Member("timezone"))
	if dst := p.Member("dst"); dst.Present() && dst.Object("gap", "overlap") {
		choice(dst.Member("gap"), "run_after", "skip")
		choice(dst.Member("overlap"), "first", "second", "both")
	}
	choice(p.Member("on_overlap"), "skip", "queue_one", "cancel_previous", "allow")
	choice(p.Member("on_misfire"), "run_last", "run_all", "skip")
}

// instant is a template of an instant; one that is written out must be RFC 3339.
func instant(p canon.Place) {
	if !p.Present() {
		return
	}
	s, ok := p.Text()
	if !ok || strings.Contains(s, "{{") {
		return
	}
	if _, err := time.Parse(time.RFC3339, s); err != nil {
		p.Refuse("instant", "%q is no instant: write it as 2026-07-01T08:00:00Z, or an expression in {{ }}.", clip(s))
	}
}

// factor is by how much a delay grows.
func factor(p canon.Place) {
	if !p.Present() || !p.Is(canon.Number) {
		return
	}
	if f, err := strconv.ParseFloat(p.Value().Text(), 64); err != nil || f < 1 || f > MaxFactor {
		p.Refuse("range", "This must be a number from 1 to %d.", MaxFactor)
	}
}
