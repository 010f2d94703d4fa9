package activities

import (
	"context"
	"fmt"
	"time"

	"pawl/internal/expr"
	"pawl/workflows"
)

// plan is the compiled form of a document. It never changes.
type plan struct {
	skeleton []workflows.Node
	steps    map[string]*planStep
	output   *expr.Template
}

// container is an enclosing each, or a retry that restarts its body: what shows in positions.
type container struct {
	id   string
	loop bool
}

// planStep is the compiled form of a step.
type planStep struct {
	id        string
	kind      workflows.Kind
	pointer   string // JSON pointer into the document
	enclosing []container
	inside    []string // ids of all containers around it, outermost first, for loop variables and catch blocks
	cond      *expr.Template

	// action
	action      string
	identity    string
	imported    bool // from a source that a project imports: its binding is the project's
	account     string
	input       *expr.Template
	timeout     time.Duration
	hold        bool
	failUnknown bool
	repeat      string

	// each
	items     *expr.Template
	as, index string
	maxItems  int
	body      []string // ids of the steps of the body that may give an iteration's output, last first

	// the others
	value   *expr.Template   // set, and the message of check and stop
	cases   []*expr.Template // branch; the condition of check
	waitFor time.Duration
	until   *expr.Template
	outcome string // stop

	// retry
	initial, most time.Duration
	factor        float64
	jitter        bool
	attempts      int
}

// plan gives the compiled form of a document, from the cache or from its bytes.
func (a *Activities) plan(ctx context.Context, digest [32]byte) (*plan, error) {
	if p, ok := a.plans.get(digest); ok {
		return p, nil
	}
	body, err := a.cfg.Store.Document(ctx, digest[:])
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	p, err := compilePlan(body)
	if err != nil {
		return nil, fmt.Errorf("compile the document: %w", err)
	}
	a.plans.put(digest, p, len(body))
	return p, nil
}
