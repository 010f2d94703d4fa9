package api

import (
	"slices"
	"strings"
	"time"

	"pawl/internal/fault"
	"pawl/internal/store"
)

// prefixOf is the part of a path that names the loops around a position: "each.3." of "each.3.ticket".
func prefixOf(path string) string { return path[:strings.LastIndexByte(path, '.')+1] }

// settleContainers gives containers and steps that wait for a retry the state that follows from the steps around
// them: no row of their own says it.
func settleContainers(run *store.Run, steps []Step, known map[string]stepInfo, open []store.WaitRow) {
	for i := range steps {
		s := &steps[i]
		info := known[s.ID]
		if run.FinishedAt == nil && s.State == stepFailed {
			awaitRetry(s, info, known, open)
		}
		if info.container() && (s.State == stepSucceeded || s.State == stepRunning) {
			s.State = containerState(run, s, info, steps, known)
			s.FinishedAt = nil
			if s.State != stepRunning {
				s.FinishedAt = lastWithin(s, info, steps, known)
			}
		}
	}
}

// awaitRetry makes a failed step wait when the retry wrapper around it does.
func awaitRetry(s *Step, info stepInfo, known map[string]stepInfo, open []store.WaitRow) {
	for id := info.Parent; id != ""; id = known[id].Parent {
		for _, w := range open {
			at := stepPath(w.Path)
			if w.Kind == "retry" && idOf(at) == id && strings.HasPrefix(s.Path, prefixOf(at)) {
				s.State, s.FinishedAt = stepWaiting, nil
				s.Waiting = &WaitingFor{For: w.Kind, Since: w.Since, Until: w.Until, Path: s.Path}
				return
			}
		}
	}
}

// containerState is failed or cancelled where the run ended in the container, running while the walk may still be
// in it, and succeeded once a step behind it was seen.
func containerState(run *store.Run, s *Step, info stepInfo, steps []Step, known map[string]stepInfo) string {
	if run.State == "succeeded" || behind(s, info, steps, known) {
		return stepSucceeded
	}
	if run.FinishedAt == nil {
		return stepRunning
	}
	if run.Error != nil && fault.FromJSON(*run.Error).Details["path"] == s.Path { // its deadline was over
		return stepFailed
	}
	ended := stepSucceeded
	for i := range steps {
		if !within(s, info, &steps[i], known) {
			continue
		}
		switch steps[i].State {
		case stepFailed:
			return stepFailed
		case stepCancelled:
			ended = stepCancelled
		}
	}
	return ended
}

// within says whether a step stands inside a container, in the container's own iteration.
func within(s *Step, info stepInfo, o *Step, known map[string]stepInfo) bool {
	in, ok := known[o.ID]
	return ok && in.first > info.first && in.first <= info.last && strings.HasPrefix(o.Path, prefixOf(s.Path))
}

// lastWithin is when the last step of a container ended; when it was decided for one that took in nothing.
func lastWithin(s *Step, info stepInfo, steps []Step, known map[string]stepInfo) *time.Time {
	last := s.StartedAt
	for i := range steps {
		at := steps[i].FinishedAt
		if at != nil && (last == nil || at.After(*last)) && within(s, info, &steps[i], known) {
			last = at
		}
	}
	return last
}

// behind says whether a step that stands behind the container, in the same iteration or outside of it, was seen.
func behind(s *Step, info stepInfo, steps []Step, known map[string]stepInfo) bool {
	return slices.ContainsFunc(steps, func(o Step) bool {
		in, ok := known[o.ID]
		return ok && in.first > info.last && strings.HasPrefix(prefixOf(s.Path), prefixOf(o.Path)) && !otherArm(info, in, known)
	})
}

// otherArm says whether two steps stand in arms of one parallel step or in a try and its catch or finally, where
// the order of the document is not that of the walk.
func otherArm(a, b stepInfo, known map[string]stepInfo) bool {
	for id := a.Parent; id != ""; id = known[id].Parent {
		p := known[id]
		if b.first <= p.last && (p.Type == "parallel" || p.Type == "try") {
			return true
		}
	}
	return false
}
