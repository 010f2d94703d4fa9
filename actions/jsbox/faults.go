package jsbox

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pawl/internal/fault"
)

// fault says why a run failed otherwise than by what its module returned or threw.
func (r *run) fault(err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	if t, ok := thrownBy(err); ok {
		return r.thrownFault(t, err)
	}
	switch {
	case r.stopped() != nil:
		return r.stopped()
	case errors.Is(err, context.DeadlineExceeded), r.soft.Err() != nil && errors.Is(err, errBroken):
		return r.overTime(reply{})
	case errors.Is(err, errNoMemory):
		return r.overMemory(reply{})
	case errors.Is(err, errIdle):
		return fault.New(r.idle, "never_settled",
			"%s never ends: it waits for a promise that nothing is left to settle.", r.subject)
	default:
		return fault.New(fault.Limit, "engine", "%s made the JavaScript engine fail and was stopped.", r.subject).Because(err)
	}
}

// thrownFault reads an exception of the engine that no JavaScript could catch.
func (r *run) thrownFault(t *thrown, err error) error {
	said := r.v.final(t)
	switch {
	case said.Message == "interrupted" && r.stopped() != nil:
		return r.stopped()
	case said.Message == "interrupted":
		return r.overTime(said)
	case said.Message == "string too long":
		return at(fault.New(fault.Limit, "memory", "%s made a text that is too long and was stopped%s.", r.subject, where(said)), said)
	case t.final || said.Message == "out of memory":
		return r.overMemory(said)
	default:
		return fault.New(fault.Limit, "engine", "%s made the JavaScript engine fail and was stopped.", r.subject).Because(err)
	}
}

func (r *run) overTime(said reply) error {
	return at(fault.New(fault.Limit, "time", "%s ran for more than %s and was stopped%s.", r.subject, r.allowed, where(said)), said)
}

func (r *run) overMemory(said reply) error {
	return at(fault.New(fault.Limit, "memory", "%s needed more than %s of memory and was stopped%s.", r.subject, mebibytes(r.memory), where(said)), said)
}

// mebibytes writes a size.
func mebibytes(n int) string { return fmt.Sprintf("%.4g MiB", float64(n)/(1<<20)) }

// stopped says why a run was stopped from outside, nil where it wasn't.
func (r *run) stopped() error {
	switch {
	case r.caller.Err() != nil:
		return stoppedFault(r.caller.Err())
	case r.engine.Err() != nil:
		return closedFault()
	default:
		return nil
	}
}

func closedFault() error {
	return fault.New(fault.SandboxUnavailable, "closed", "The JavaScript sandbox is shut down.")
}

// brokenHarness says that a module turned the harness in its realm against us; it has only harmed itself.
func (r *run) brokenHarness() error {
	return fault.New(fault.InvalidResponse, "harness", "%s broke the harness that runs it.", r.subject)
}

// stoppedFault says that the caller stopped a run.
func stoppedFault(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.Timeout, "sandbox", "The time of the step was over before the sandbox was done.").Because(err)
	}
	return fault.New(fault.Cancelled, "sandbox", "The call of the sandbox was stopped.").Because(err)
}

// saidFault is a fault that the harness reports.
func (r *run) saidFault(said reply) error {
	kind := fault.Rejected
	reason := said.Reason
	switch reason {
	case "output":
		kind = fault.TooLarge
	case "output_invalid", "harness":
		kind = fault.InvalidResponse
	case "no_tool":
		kind = fault.InvalidInput
	default:
		reason = "threw"
	}
	if reason == "threw" && tooDeep(said) {
		kind, reason = fault.Limit, "stack"
	}
	return at(fault.New(kind, reason, "%s", public(said.Message)), said)
}

// tooDeep says whether the engine's stack was full.
func tooDeep(said reply) bool {
	return said.Name == "RangeError" && strings.Contains(said.Message, "Maximum call stack size exceeded")
}

func (r *run) threwWhileLoaded(said reply) error {
	return at(fault.New(fault.InvalidInput, "threw", "The module %s while it was loaded%s.", strings.TrimSuffix(public(said.Message), "."), where(said)), said)
}

func loadFault(said reply) error {
	reason := said.Reason
	switch reason {
	case "no_default", "no_tools", "tool_missing":
	default:
		reason = "module"
	}
	return fault.New(fault.InvalidInput, reason, "%s", public(said.Message))
}

func syntaxFault(said reply) error {
	text := strings.TrimPrefix(public(said.Message), "threw ")
	return at(fault.New(fault.InvalidInput, "syntax", "The module is no JavaScript: %s%s.", text, where(said)), said)
}

func importFault(specifier string, line, column int) error {
	said := reply{Line: line, Column: column}
	return at(fault.New(fault.InvalidInput, "import",
		"The module imports %q: a plugin's module stands alone, nothing can be imported%s.", specifier, where(said)), said)
}

// at sets the place of a fault.
func at(f *fault.Error, said reply) *fault.Error {
	if said.Line <= 0 && said.Pointer == "" {
		return f
	}
	c := *f
	c.Where = &fault.Where{Pointer: public(said.Pointer)}
	if said.Line > 0 {
		c.Where.Line, c.Where.Column = said.Line, max(said.Column, 0)
	}
	return &c
}

// where writes a place into a sentence.
func where(said reply) string {
	if said.Line <= 0 {
		return ""
	}
	return fmt.Sprintf(" (line %d, column %d)", said.Line, said.Column)
}

// public bounds a text that a module had a say in.
func public(text string) string {
	return strings.ReplaceAll(boundText(strings.ToValidUTF8(text, "\uFFFD"), maxMessageBytes), "\x00", "\uFFFD")
}
