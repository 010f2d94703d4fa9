package api

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/google/uuid"

	"pawl/internal/auth"
	"pawl/internal/fault"
)

// stageTest is the stage that test keys work in, as the table run holds it.
const stageTest = "test"

// stageOf is the stage that a caller's lists are kept to; empty for all.
func stageOf(c *auth.Caller) string {
	if c.TestOnly() {
		return stageTest
	}
	return ""
}

// inTestStage keeps test keys to the stage test: away from routes that change what others are served, and from runs of
// published versions.
func (s *server) inTestStage(r Route) func(huma.Context, func(huma.Context)) {
	ofRun := strings.Contains(r.Path, "/runs/{id}")
	return func(ctx huma.Context, next func(huma.Context)) {
		if c := auth.CallerOf(ctx.Context()); c == nil || !c.TestOnly() || (!r.Live && !ofRun) {
			next(ctx)
			return
		}
		err := error(auth.NotForTestKeys())
		if !r.Live {
			err = s.testRun(ctx)
		}
		if err != nil {
			req, w := humachi.Unwrap(ctx)
			writeProblem(w, req, err)
			return
		}
		next(ctx)
	}
}

// testRun is a fault unless the run that the path names is one of a draft. What is no id is left to the handler.
func (s *server) testRun(ctx huma.Context) error {
	id, err := uuid.Parse(ctx.Param("id"))
	if err != nil {
		return nil //nolint:nilerr // the handler says so, with the parameter's name
	}
	stage, err := s.Store.RunStage(ctx.Context(), projectOf(ctx.Context()).ID, id)
	if err == nil && stage != stageTest {
		return fault.New(fault.Forbidden, "test_key", "Run %s follows a published version, and a test key sees runs of drafts alone. Use a live key, or sign in.", id)
	}
	return err
}

// inStage is what a start asks for. A test key starts drafts, whether the body says so or not.
func inStage(c *auth.Caller, given *NewRun) (NewRun, error) {
	body := NewRun{}
	if given != nil {
		body = *given
	}
	if !c.TestOnly() {
		return body, nil
	}
	if body.Version != nil {
		return body, auth.NotForTestKeys().At("/version")
	}
	body.Draft = true
	return body, nil
}
