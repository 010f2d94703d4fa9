package api

import (
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"pawl/internal/auth"
)

// projectHeader names the project of a request to /mcp, as does the parameter project; the project default without either.
const projectHeader = "Pawl-Project"

// agentsEndpoint is the way of the agents: MCP's messages, which no schema of ours describes. They pass what the bodies of the
// other routes pass, so that what an agent sends twice or in broken UTF-8 is refused, not guessed at.
func agentsEndpoint(r Route) endpoint {
	return endpoint{r, func(s *server, api huma.API, op huma.Operation) {
		op.Description = "The Model Context Protocol over Streamable HTTP, without sessions (docs/agents.md)."
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Description: "A JSON-RPC message of the protocol"}}}}
		op.Parameters = []*huma.Param{
			{Name: "project", In: "query", Description: "The project, default without", Schema: &huma.Schema{Type: huma.TypeString}},
			{Name: projectHeader, In: "header", Description: "The project, where the address names none", Schema: &huma.Schema{Type: huma.TypeString}},
		}
		api.OpenAPI().AddOperation(&op)
		api.Adapter().Handle(&op, op.Middlewares.Handler(func(ctx huma.Context) {
			req, w := humachi.Unwrap(ctx)
			name := req.URL.Query().Get("project")
			if name == "" {
				name = req.Header.Get(projectHeader)
			}
			if name == "" {
				name = "default"
			}
			caller := auth.CallerOf(req.Context())
			project, err := s.projectFor(req.Context(), caller, name, r.Needs)
			if err == nil {
				err = s.MCP.Serve(w, req, caller, project)
			}
			if err != nil {
				writeProblem(w, req, err)
			}
		}))
	}}
}
