package activities

import (
	"strings"
	"time"

	"pawl/internal/fault"
	"pawl/internal/ledger"
	"pawl/workflows"
)

// toKnown turns what the ledger knows into outcomes for the walk. Attempts whose outcome is open have to be asked for.
func toKnown(rows []ledger.Known) []workflows.Known {
	out := make([]workflows.Known, 0, len(rows))
	for i := range rows {
		k := &rows[i]
		switch {
		case k.Decision == "if" && k.Label == labelSkipped: // under both names: an action's condition is part of its attempt
			out = append(out, workflows.Known{Path: k.Path, Decision: decided(k)},
				workflows.Known{Path: strings.TrimSuffix(k.Path, "?"), N: 1, Step: workflows.StepOut{State: workflows.Skipped}})
		case k.Decision != "":
			out = append(out, workflows.Known{Path: k.Path, Decision: decided(k)})
		case k.State == ledger.Sending || k.State == ledger.Unknown:
			out = append(out, workflows.Known{Path: k.Path, N: k.N, Earlier: k.Earlier, Open: true})
		default:
			out = append(out, workflows.Known{Path: k.Path, N: k.N, Earlier: k.Earlier, Step: attempted(k)})
		}
	}
	return out
}

func decided(k *ledger.Known) workflows.DecideOut {
	return workflows.DecideOut{
		Label: k.Label, Count: k.Count, LeftMS: max(0, k.Left), Failed: k.Failed, Kind: k.Kind,
		Durable: k.Decision == "wait" || k.Decision == "retry",
	}
}

func attempted(k *ledger.Known) workflows.StepOut {
	a := ledger.Attempt{State: k.State, Again: k.Again, SettledAs: k.Settled}
	return stepOut(&a, k.Failed, k.Kind, k.Reason, time.Duration(k.Wait)*time.Millisecond)
}

// outcome is what a closed attempt means for the walk.
func outcome(a *ledger.Attempt) workflows.StepOut {
	if a.Error == nil {
		return stepOut(a, false, "", "", a.RetryAfter)
	}
	return stepOut(a, true, string(a.Error.Kind), a.Error.Reason, a.RetryAfter)
}

func stepOut(a *ledger.Attempt, failed bool, kind, reason string, after time.Duration) workflows.StepOut {
	atOnce := a.SettledAs == "retry" || reason == ledger.ReasonProcessEnded || reason == ledger.ReasonNotInTime
	switch {
	case a.Again && atOnce:
		return workflows.StepOut{State: workflows.Again}
	case a.State == ledger.Answered && !failed:
		return workflows.StepOut{State: workflows.Succeeded}
	case kind == string(fault.Cancelled): // a read that a cancel of the run aborted
		return workflows.StepOut{State: workflows.Cancelled}
	}
	return workflows.StepOut{State: workflows.Failed, Kind: kind, Again: a.Again, After: ceilMS(after)}
}

func ceilMS(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
