package api

import (
	"context"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"pawl/internal/auth"
	"pawl/internal/fault"
	"pawl/internal/store"
)

// Route is one row of the table of routes. A row without a permission is refused when the server is made.
type Route struct {
	Method string
	Path   string
	// Needs is the permission that the caller must have: in the project, where the path names one.
	Needs   auth.Permission
	ID      string // the operation's id in the OpenAPI document
	Summary string
	// Body is the largest body in bytes; 0 for a route that takes none.
	Body int64
	// Document says that the body is a document, whose own decoder reports on its members.
	Document bool
	// Live says that the route changes what others are served or run although its permission is one that test keys
	// have: they are refused.
	Live bool
	// Once says that the route takes an Idempotency-Key.
	Once bool
	// Status is the status of success, 200 where it is 0.
	Status int
	// Stream names the media type of an answer that is no JSON.
	Stream string
}

// endpoint is a route with its handler.
type endpoint struct {
	Route
	register func(*server, huma.API, huma.Operation)
}

// on binds a handler to a route.
func on[I, O any](r Route, h func(context.Context, *I) (*O, error)) endpoint {
	return endpoint{r, func(s *server, api huma.API, op huma.Operation) {
		huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
			out, err := h(ctx, in)
			if err != nil {
				requestOf(ctx).cause = err
				return nil, newProblem(err, instanceOf(ctx))
			}
			return out, nil
		})
	}}
}

// operation is the huma operation of a route: permission and body first, then huma's checks, then the handler.
func (s *server) operation(r Route, problem *huma.Schema) huma.Operation {
	op := huma.Operation{
		Method: r.Method, Path: r.Path, OperationID: r.ID, Summary: r.Summary, Tags: []string{tagOf(r.Path)},
		DefaultStatus: r.Status, MaxBodyBytes: -1, BodyReadTimeout: -1, SkipValidateBody: r.Document,
		Middlewares: s.before(r),
		Metadata:    map[string]any{"permission": string(r.Needs)},
		Extensions:  map[string]any{"x-pawl-permission": string(r.Needs)},
		Responses: map[string]*huma.Response{"default": {
			Description: "A problem (RFC 9457)",
			Content:     map[string]*huma.MediaType{"application/problem+json": {Schema: problem}},
		}},
		Security: securityOf(r),
	}
	if r.Stream != "" {
		op.Responses["200"] = &huma.Response{Description: "OK", Content: map[string]*huma.MediaType{r.Stream: {}}}
	}
	return op
}

// before is what a request passes on its way to the handler.
func (s *server) before(r Route) huma.Middlewares {
	list := huma.Middlewares{s.permit(r), s.inTestStage(r), s.body(r)}
	if r.Once {
		list = append(list, once)
	}
	return list
}

func securityOf(r Route) []map[string][]string {
	if r.Needs == auth.Public {
		return []map[string][]string{}
	}
	return []map[string][]string{{"apiKey": {}}, {"session": {}}}
}

// tagOf groups operations by the first word of their path behind the prefix and the project.
func tagOf(path string) string {
	parts := strings.Split(strings.Trim(strings.TrimPrefix(path, prefix), "/"), "/")
	if len(parts) > 2 && parts[0] == "projects" {
		return parts[2]
	}
	return parts[0]
}

type projectKey struct{}

// projectOf is the project that the path names.
func projectOf(ctx context.Context) store.Project {
	p, _ := ctx.Value(projectKey{}).(store.Project)
	return p
}

// permit lets only callers with the route's permission through. A project that the caller has no part in reads
// like one that is not there.
func (s *server) permit(r Route) func(huma.Context, func(huma.Context)) {
	scoped := slices.Contains(strings.Split(r.Path, "/"), "{project}")
	return func(ctx huma.Context, next func(huma.Context)) {
		req, w := humachi.Unwrap(ctx)
		caller := auth.CallerOf(ctx.Context())
		switch {
		case r.Needs == auth.Public:
			next(ctx)
		case caller == nil:
			writeProblem(w, req, fault.New(fault.Unauthenticated, "credentials", "Sign in, or send an API key."))
		case scoped:
			p, err := s.projectFor(ctx.Context(), caller, ctx.Param("project"), r.Needs)
			if err != nil {
				writeProblem(w, req, err)
				return
			}
			next(huma.WithValue(ctx, projectKey{}, p))
		case !caller.May(r.Needs):
			writeProblem(w, req, caller.Need(r.Needs))
		default:
			next(ctx)
		}
	}
}

func (s *server) projectFor(ctx context.Context, c *auth.Caller, name string, needs auth.Permission) (store.Project, error) {
	p, err := s.Store.ProjectByName(ctx, name)
	if err != nil {
		return p, err
	}
	if !c.InProject(p.ID) {
		return p, store.NoProject(name)
	}
	if !c.MayIn(p.ID, needs) {
		return p, c.Need(needs)
	}
	return p, nil
}

// body reads and checks the body; a write that takes none refuses one, a read ignores it.
func (s *server) body(r Route) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		req, w := humachi.Unwrap(ctx)
		if err := s.checkBody(ctx, r); err != nil {
			writeProblem(w, req, err)
			return
		}
		next(ctx)
	}
}

func (s *server) checkBody(ctx huma.Context, r Route) error {
	req, w := humachi.Unwrap(ctx)
	if r.Body == 0 {
		return noBody(w, req)
	}
	v, err := readBody(w, req, r.Body)
	switch {
	case r.Document && isLimit(err): // the formats have lower limits, of which their decoders know
		return nil
	case err != nil || r.Document:
		return err
	}
	return exactNames(s.schemas, bodySchema(ctx.Operation()), v).Err()
}
